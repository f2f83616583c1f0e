"""A game in progress with its clock, books and searcher: the only thing that a protocol drives.

THE INTERFACE (being implemented by the founder; program against this):

class Session:
    def __init__(self, game: Game, *, post: Callable[[SearchInfo | SearchResult], None], books=()) -> None
        # post is called from the search thread, once per report and exactly once with the SearchResult at the end
    game: Game                     # may be replaced by set_game
    options: Options
    state: Any                     # the current state (definition's)
    searching: bool                # Any thread.
    move_texts: tuple[str, ...]    # moves since the start position, in the game's notation
    def set_game(self, game: Game) -> None      # e.g. boardsize / UCI_Chess960: new rules; new start position; keeps options
    def new_game(self) -> None                  # start position, forget the graph
    def set_position(self, text: str | None, moves: Sequence[str]) -> None
        # text None = the game's start. All or nothing: GameError / IllegalMove (naming the move and its index) change nothing.
    def play(self, text: str, player: int | None = None) -> None
        # plays one move (or roll); with player given and not to move, the other player is made to move first
        # (HasPlayerChange). Raises IllegalMove, state unchanged.
    def undo(self) -> None                      # raises IllegalMove("cannot undo") at the start
    def set_player(self, player: int) -> None   # GTP genmove of either colour; raises IllegalMove if the game cannot
    def go(self, limits: Limits) -> None        # Must not block. Starts the search thread; post() gets infos then the result.
                                                # Raises PlayoutError if already searching.
                                                # search_moves with illegal texts are dropped; none left = all moves.
    def stop(self) -> None                      # Any thread. Must not block.
    def ponder_hit(self) -> None                # Any thread. Must not block. The clock of limits starts now.
    def wait(self, timeout: float | None = None) -> bool   # Blocks until no search runs.
    def set_option(self, name: str, text: str) -> None     # BadOption; takes effect at the next search
    def close(self) -> None                     # Blocks. Stops a search and frees everything.
"""
