"""Declarations of options in the form of UCI, which UGI and UBGI use too."""

from __future__ import annotations

from playout.engine.options.table import Option, Value


def declaration(option: Option, default: Value) -> str:
    """The ``option`` line that declares ``option`` with ``default`` to an interface."""
    head = f"option name {option.name} type"
    if option.kind == "check":
        return f"{head} check default {'true' if default else 'false'}"
    if option.kind == "spin":
        return f"{head} spin default {default} min {int(option.low or 0)} max {int(option.high or 0)}"
    if option.kind == "combo":
        return f"{head} combo default {default} " + " ".join(f"var {choice}" for choice in option.choices)
    if option.kind == "button":
        return f"{head} button"
    return f"{head} string default {default if default != '' else '<empty>'}"
