"""The table of targets."""

from __future__ import annotations

from ..protocols.analysis.desk import MNK
from . import files, texts, wire
from .conversations import analysis, conversation
from .target import Target

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        *(
            conversation(protocol, game)
            for protocol, games in {
                "uci": ("chess", "tic_tac_toe", "connect_four"),
                "ugi": ("backgammon", "hex:5,swap=true", "go:5", MNK),
                "gtp": ("go:5", "hex:5,swap=true", "chess", "connect_four", "backgammon", MNK),
                "ubgi": ("backgammon",),
                "gnubg": ("backgammon",),
                "xboard": ("chess",),
            }.items()
            for game in games
        ),
        *(
            conversation(protocol, game, real=True)
            for protocol, game in (
                ("uci", "chess"),
                ("ugi", "backgammon"),
                ("gtp", "go:5"),
                ("gtp", "hex:5,swap=true"),
                ("ubgi", "backgammon"),
                ("gnubg", "backgammon"),
                ("xboard", "chess"),
            )
        ),
        analysis("go:3"),
        *texts.TARGETS,
        *wire.TARGETS,
        *files.TARGETS,
    )
}
"""By name."""
