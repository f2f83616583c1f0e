"""Sphinx's configuration: ``nox -s docs`` builds the site into docs/_build."""

from __future__ import annotations

import playout

project = "playout"
author = "the playout developers"
copyright = "2026, the playout developers"
version = release = playout.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "linkify"]
myst_linkify_fuzzy_links = False
myst_heading_anchors = 4
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}

html_theme = "furo"
html_title = f"playout {release}"
html_theme_options = {"source_view_link": "", "top_of_page_buttons": []}
