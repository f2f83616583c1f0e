"""The picture of a position of any game."""

from __future__ import annotations

from typing import Any

from playout.games.errors import GameError
from playout.games.game import Game, HasCells, HasLabels, HasRender, HasShades, HasSteps, HasSvg
from playout.games.picture import cells, text


def svg(game: Game[Any, Any], state: Any) -> str:
    """Returns a picture of ``state``, an SVG document: the game's own, or that of its cells, or that of its text.

    Raises:
        GameError: if the game's ``svg`` does not return an SVG document.
    """
    if isinstance(game, HasSvg):
        drawn: object = game.svg(state)
        if not isinstance(drawn, str) or "<svg" not in drawn:
            raise GameError(f"{game.name}: svg gives {str(drawn)[:40]!r}, which is not an SVG document")
        return drawn
    labels = game.labels(state, ()) if isinstance(game, HasLabels) else {}
    shades = game.shades() if isinstance(game, HasShades) else {}
    if isinstance(game, HasSteps):
        return cells.board(game.name, game.cells(state, ()), labels, shades)
    if isinstance(game, HasCells):
        return cells.board(game.name, game.cells(state), labels, shades)
    return text.picture(game.name, game.render(state) if isinstance(game, HasRender) else str(state))
