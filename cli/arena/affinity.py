"""The switch that shares the processors out among the games."""

from __future__ import annotations

from typing import Annotated

import typer

Affinity = Annotated[
    bool, typer.Option("--affinity", help="Binds each game that is played at a time to processors of its own.")
]
