"""Sphinx's configuration: ``nox -s docs`` builds the site into docs/_build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.lexers.special import TextLexer

import playout

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "playout"
author = "the playout developers"
copyright = "2026, the playout developers"
version = release = playout.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "linkify"]
myst_linkify_fuzzy_links = False
myst_heading_anchors = 4
exclude_patterns = ["_build"]
suppress_warnings = ["myst.header"]  # the tables of protocols.md stand under small headings

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}

html_theme = "furo"
html_title = f"playout {release}"
html_theme_options = {"source_view_link": "", "top_of_page_buttons": []}


def setup(app: Sphinx) -> None:
    """Shows conversations in lines of JSON as plain text; their marks ``>`` and ``<`` are no JSON."""
    app.add_lexer("jsonl", TextLexer)
