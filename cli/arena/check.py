"""``playout arena check``: reads a tournament's file and starts each engine once."""

from __future__ import annotations

from playout.cli.arena.run import File


def command(file: File) -> int:
    """Checks a tournament: the file, the openings, and that each engine starts. Status 1: one does not."""
    from playout.arena.file.plan import plans_of
    from playout.arena.file.reader import read
    from playout.arena.trial import try_engines
    from playout.cli.console import console

    plans = plans_of(read(file), file.absolute().parent)
    for plan in plans:
        plan.openings.check()
    out, failed = console(), False
    for plan in plans:
        games = "" if plan.total is None else f", {plan.total} games"
        openings = f", {len(plan.openings)} openings" if len(plan.openings) else ""
        out.print(f"{plan.name}: {plan.game}, {len(plan.players)} engines{games}{openings}")
    for plan, player, name, wrong in try_engines(plans):
        if player.enters:
            out.print(f"  {plan.name}: {player.name}: it enters at the broker, {player.pace.words}", soft_wrap=True)
            continue
        failed = failed or wrong is not None
        said = f"{name}, {player.protocol}, {player.pace.words}" if wrong is None else f"FAILED: {wrong}"
        out.print(f"  {plan.name}: {player.name}: {said}", soft_wrap=True)
    return 1 if failed else 0
