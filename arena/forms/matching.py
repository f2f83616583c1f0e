"""The greatest number of pairs that can be formed of players some of whom may meet: Edmonds' blossom algorithm."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence


def most_pairs(players: Sequence[int], may_meet: Callable[[int, int], bool]) -> int:
    """Returns the greatest number of pairs of ``players`` in which nobody stands twice. ``may_meet`` is symmetric."""
    found = _Matching(players, may_meet)
    return sum(found.improved(one) for one in players)


class _Matching:
    """A matching that grows by one pair at a time."""

    def __init__(self, players: Sequence[int], may_meet: Callable[[int, int], bool]) -> None:
        self._players = players
        self._others = {one: [two for two in players if two != one and may_meet(one, two)] for one in players}
        self._mate: dict[int, int] = {}

    def improved(self, root: int) -> bool:
        """Gives ``root`` a partner if a path of changes allows for it; returns whether there is one more pair."""
        if root in self._mate:
            return False
        self._base = {one: one for one in self._players}
        """The player who stands for the blossom, an odd circle, of each player."""
        self._before: dict[int, int] = {}
        """The player from whom the search came to each one at an odd place of its path."""
        self._reached, self._waiting = {root}, deque([root])
        while self._waiting:
            one = self._waiting.popleft()
            for two in self._others[one]:
                if self._base[one] == self._base[two] or self._mate.get(one) == two:
                    continue
                if two == root or self._mate.get(two) in self._before:
                    self._contract(one, two)
                elif two not in self._before:
                    self._before[two] = one
                    if two not in self._mate:
                        self._exchange(two)
                        return True
                    self._reach(self._mate[two])
        return False

    def _reach(self, player: int) -> None:
        if player not in self._reached:
            self._reached.add(player)
            self._waiting.append(player)

    def _contract(self, one: int, two: int) -> None:
        """Makes one blossom of the circle that the meeting of ``one`` and ``two`` closes."""
        stem = self._common(one, two)
        blossom = self._marked(one, stem, two) | self._marked(two, stem, one)
        for player in self._players:
            if self._base[player] in blossom:
                self._base[player] = stem
                self._reach(player)

    def _common(self, one: int, two: int) -> int:
        """Returns the base at which the ways from two players back to the root join."""
        passed = set[int]()
        while True:
            one = self._base[one]
            passed.add(one)
            if one not in self._mate:
                break
            one = self._before[self._mate[one]]
        while (two := self._base[two]) not in passed:
            two = self._before[self._mate[two]]
        return two

    def _marked(self, player: int, stem: int, child: int) -> set[int]:
        """Returns the bases on the way from ``player`` to ``stem``, which can be gone in both directions from now."""
        found = set[int]()
        while self._base[player] != stem:
            mate = self._mate[player]
            found |= {self._base[player], self._base[mate]}
            self._before[player] = child
            child, player = mate, self._before[mate]
        return found

    def _exchange(self, player: int) -> None:
        """Pairs all players on the way from the root to ``player`` anew."""
        last: int | None = player
        while last is not None:
            one = self._before[last]
            following = self._mate.get(one)
            self._mate[last], self._mate[one] = one, last
            last = following
