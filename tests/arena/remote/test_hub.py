"""Hub and hand against a broker that loses, repeats and delays messages, with workers and coordinators that are killed.

Everything happens in simulated time: a run of hours takes a second.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from playout.arena.coordinator import Coordinator
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.lease import LEASE
from playout.arena.play.referee import play
from playout.arena.remote.hand import Hand
from playout.arena.remote.hub import BURST, Hub
from playout.arena.remote.messages import (
    BEAT,
    DIGEST,
    LARGEST,
    Ack,
    Beat,
    Claim,
    Done,
    Drop,
    Give,
    Here,
    Message,
    Over,
    Refused,
    Topics,
    Wait,
    from_coordinator,
    pack,
)
from playout.arena.remote.spool import Spool
from playout.arena.store.store import Store
from playout.arena.terms.job import Job, Played
from playout.games import catalogue

from ..players import ScriptedDriver

CUP = "engines: {{one: {{}}, two: {{}}, three: {{}}}}\ngame: tic_tac_toe\nnodes: 1\ngames: {}\n"
TOPICS = Topics("playout/1/cup")
KEY = b"a key that nobody knows"


def game_of(job: Job, number: int, rng: random.Random) -> Played:
    """A game with a winner that chance chooses."""
    scripts = [["a1", "a2", "a3"], ["b1", "b2", "resign"]]
    if rng.random() < 0.5:
        scripts = [["a1", "c3", "resign"], ["b1", "b2", "b3"]]
    if number == 1:
        scripts.reverse()
    drivers = ScriptedDriver(scripts[0]), ScriptedDriver(scripts[1])
    return play(catalogue.load(job.game), job, number, drivers)


class World:
    """Coordinator, workers and a bad broker, in simulated time."""

    def __init__(self, folder: Path, games: int, seed: int, workers: int = 4, *, loss: float = 0.2) -> None:
        self.now = 0.0
        self.rng = random.Random(seed)
        self.folder, self.text, self.loss = folder, CUP.format(games), loss
        self.store = Store(folder / "cup.arena")
        self.boots = itertools.count()
        self.mail: list[tuple[float, int, str, bytes]] = []
        self.hands: dict[str, Hand] = {}
        self.spools: dict[str, Spool] = {}
        self.playing: dict[str, list[tuple[float, Give, int]]] = {}
        self.faults: Counter[str] = Counter()
        self.coordinator, self.hub = self._coordinator()
        for number in range(workers):
            self.start_worker(f"w{number}")

    def _coordinator(self) -> tuple[Coordinator, Hub]:
        made = Coordinator(self.store, plans_of(parse(self.text, "cup.yaml"), Path()), lambda: self.now)
        return made, Hub(made, TOPICS, lambda: self.now, KEY)

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        for spool in self.spools.values():
            spool.close()

    def kill_coordinator(self) -> None:
        self.faults["coordinator"] += 1
        self.store.close()
        self.store = Store(self.folder / "cup.arena")
        self.coordinator, self.hub = self._coordinator()

    def start_worker(self, name: str) -> None:
        boot = f"boot {next(self.boots)}"
        if name in self.spools:
            self.spools[name].close()
        self.spools[name] = Spool(self.folder / "spool")
        self.hands[name] = Hand(name, boot, 2, TOPICS, self.spools[name], lambda: self.now, KEY, self.rng)
        self.playing[name] = []
        topic = TOPICS.here + name
        self.post(topic, pack(topic, Here(boot=boot, here=True), KEY))

    def kill_worker(self, name: str) -> None:
        self.faults["worker"] += 1
        self.start_worker(name)

    def post(self, topic: str, payload: bytes) -> None:
        """Sends a message: it may be lost, come twice, or come late."""
        while self.rng.random() >= self.loss:
            delay = self.rng.expovariate(2.0) if self.rng.random() < 0.5 else 0.01
            heapq.heappush(self.mail, (self.now + delay, next(self.boots), topic, payload))
            if self.rng.random() >= self.loss:
                return

    def step(self) -> None:
        self.now += 0.25
        while self.mail and self.mail[0][0] <= self.now:
            _, _, topic, payload = heapq.heappop(self.mail)
            if topic.startswith(TOPICS.to_worker):
                self.hands[TOPICS.worker(topic)].take(topic, payload)
            else:
                for where, reply in self.hub.take(topic, payload):
                    self.post(where, reply)
        self.hub.tick()
        for name, hand in self.hands.items():
            self._work(name, hand)
            for topic, payload in hand.tick():
                self.post(topic, payload)

    def _work(self, name: str, hand: Hand) -> None:
        playing = self.playing[name]
        while len(playing) < 2 and (give := hand.next_job()) is not None:
            first = min(set(range(give.job.games)) - set(give.played))
            playing.append((self.now + self.rng.expovariate(0.2), give, first))
        for entry in list(playing):
            due, give, number = entry
            hand.moved(give.job.id)
            if due > self.now and hand.wanted(give.job.id):
                continue
            playing.remove(entry)
            if hand.wanted(give.job.id):
                hand.deliver(give, number, game_of(give.job, number, self.rng))
                if number == 0 and 1 not in give.played:
                    playing.append((self.now + self.rng.expovariate(0.2), give, 1))
                    continue
            hand.end(give.job.id)

    def run(self, faults: float) -> None:
        """Plays to the end; ``faults`` is the chance of a kill in a step."""
        for number in range(1_000_000):
            if self.coordinator.finished:
                return
            self.step()
            if faults and (self.rng.random() < faults or number % 100 == 99):
                if number % 3 == 0:
                    self.kill_coordinator()
                else:
                    self.kill_worker(self.rng.choice(sorted(self.hands)))
        raise AssertionError("the tournament does not end")


@pytest.mark.parametrize("seed", range(4))
def test_each_game_is_recorded_once_whatever_is_killed_and_lost(tmp_path: Path, seed: int) -> None:
    with World(tmp_path, 40, seed) as world:
        world.run(faults=0.01)
        games = [played.id for played in world.store.games()]
        assert len(games) == len(set(games)) == 120
        rows = world.store.pairs("tic_tac_toe")
        assert {row.state for row in rows} == {"done"}
        assert sum(len(row.results) for row in rows) == 120
        assert world.faults["worker"] >= 2
        assert world.faults["coordinator"] >= 2


def test_without_faults_nothing_is_played_twice(tmp_path: Path) -> None:
    with World(tmp_path, 20, 1, loss=0.0) as world:
        world.run(faults=0.0)
        assert world.store.mishaps() == []
        assert len(list(world.store.games())) == 60


def test_the_standings_do_not_depend_on_faults(tmp_path: Path) -> None:
    with World(tmp_path, 20, 3) as world:
        world.run(faults=0.02)
        pairs = world.coordinator.pairs("tic_tac_toe")
        recorded = Counter(played.result for played in world.store.games())
        assert sum(recorded.values()) == sum(len(pair.results) for pair in pairs)


# Single messages.


def hub(games: int = 2) -> tuple[Hub, Coordinator, Store, list[float]]:
    now = [0.0]
    store = Store(":memory:")
    made = Coordinator(store, plans_of(parse(CUP.format(games), "cup.yaml"), Path()), lambda: now[0])
    return Hub(made, TOPICS, lambda: now[0], KEY), made, store, now


def say(to: Hub, name: str, message: Message, key: bytes | None = KEY) -> list[Message]:
    """The answers to a worker's message."""
    topic = TOPICS.to_coordinator + name
    replies = to.take(topic, pack(topic, message, key))
    assert {where for where, _ in replies} <= {TOPICS.to_worker + name}
    return [from_coordinator(where, payload, KEY) for where, payload in replies]


def test_a_worker_gets_as_many_pairs_as_it_has_free_desks() -> None:
    one, _, _, _ = hub()
    given = say(one, "w", Claim(boot="b", free=2))
    assert [type(message) for message in given] == [Give, Give]
    assert [type(message) for message in say(one, "v", Claim(boot="b", free=5))] == [Give]
    assert say(one, "v", Claim(boot="b")) == [Wait(boot="b")]


def test_a_game_is_acknowledged_once_it_is_on_the_disk() -> None:
    one, _, store, _ = hub()
    [give] = say(one, "w", Claim(boot="b"))
    assert isinstance(give, Give)
    assert give.cup == store.id
    played = game_of(give.job, 0, random.Random(1))
    done = Done(boot="b", cup=give.cup, job=give.job.id, number=0, attempt=give.attempt, played=played)
    assert say(one, "w", done) == [Ack(boot="b", cup=give.cup, game=played.id, receipt="recorded")]
    assert say(one, "w", done) == [Ack(boot="b", cup=give.cup, game=played.id, receipt="repeat")]
    assert list(store.games()) == [played]


def test_a_game_that_cannot_be_written_is_not_acknowledged() -> None:
    one, _, store, _ = hub()
    [give] = say(one, "w", Claim(boot="b"))
    assert isinstance(give, Give)
    played = game_of(give.job, 0, random.Random(1))
    done = Done(boot="b", cup=give.cup, job=give.job.id, number=0, attempt=give.attempt, played=played)
    store._base.execute("PRAGMA query_only = ON")
    assert say(one, "w", done) == []
    store._base.execute("PRAGMA query_only = OFF")
    assert [type(message) for message in say(one, "w", done)] == [Ack]


def test_a_forged_game_is_refused_and_its_pair_given_out_again() -> None:
    one, _, store, _ = hub()
    [give] = say(one, "w", Claim(boot="b"))
    assert isinstance(give, Give)
    played = msgspec.structs.replace(game_of(give.job, 0, random.Random(1)), names=("two", "one"))
    done = Done(boot="b", cup=give.cup, job=give.job.id, number=0, attempt=give.attempt, played=played)
    assert say(one, "w", done) == [Ack(boot="b", cup=give.cup, game=played.id, receipt="unknown")]
    assert [kind for kind, _, _ in store.mishaps()] == ["refused"]
    [again] = say(one, "v", Claim(boot="b"))
    assert isinstance(again, Give) and (again.job.id, again.attempt) == (give.job.id, 2)


def test_pairs_of_somebody_else_are_dropped() -> None:
    one, _, _, _ = hub()
    [give] = say(one, "w", Claim(boot="b"))
    assert isinstance(give, Give)
    assert say(one, "w", Beat(boot="b", jobs={give.job.id: (1, 1)})) == []
    assert say(one, "v", Beat(boot="b", jobs={give.job.id: (1, 1)})) == [Drop(boot="b", jobs=(give.job.id,))]
    assert say(one, "w", Beat(boot="b", jobs={give.job.id: (2, 1)})) == [Drop(boot="b", jobs=(give.job.id,))]


def test_a_game_of_another_tournament_is_kept_by_the_worker(tmp_path: Path) -> None:
    one, _, store, now = hub()
    with Spool(tmp_path) as spool:
        job = hub()[1].claim("x", "b")
        assert job is not None
        hand = Hand("w", "b", 1, TOPICS, spool, lambda: now[0], KEY)
        hand.deliver(Give(boot="b", cup="another", job=job.job, attempt=1), 0, game_of(job.job, 0, random.Random(1)))
        answers = [reply for topic, payload in hand.tick() for reply in one.take(topic, payload)]
        for where, reply in answers:
            hand.take(where, reply)
        assert hand._times.parcels == {}
        assert [done.cup for done in spool.games()] == ["another"]
    assert list(store.games()) == []
    with Spool(tmp_path) as spool:
        assert [done.cup for done in spool.games()] == ["another"]


def test_a_second_worker_of_a_name_is_refused_while_the_first_lives() -> None:
    one, coordinator, _, now = hub()
    [give] = say(one, "w", Claim(boot="first"))
    assert isinstance(give, Give)
    assert say(one, "w", Claim(boot="second")) == [Wait(boot="second", seconds=BEAT)]
    now[0] += BEAT
    assert say(one, "w", Beat(boot="first", jobs={give.job.id: (1, 1)})) == []
    [refused] = say(one, "w", Claim(boot="second"))
    assert isinstance(refused, Refused)
    assert "another worker is called w" in refused.why
    assert coordinator.beat("w", "first", {give.job.id: (1, 2)}) == set()


def test_a_worker_that_was_started_anew_takes_the_place_of_a_silent_one() -> None:
    one, _, _, now = hub()
    [give] = say(one, "w", Claim(boot="first"))
    assert isinstance(give, Give)
    while isinstance(answer := say(one, "w", Claim(boot="second"))[0], Wait):
        now[0] += BEAT
        one.tick()
    assert isinstance(answer, Give)
    assert (answer.job.id, answer.attempt) == (give.job.id, 2)
    assert now[0] <= LEASE + 2 * BEAT


def test_a_worker_of_another_version_is_refused() -> None:
    one, _, _, _ = hub()
    assert say(one, "w", Claim(boot="b", v=2)) == [Refused(boot="b", why="the coordinator speaks version 1, not 2")]


def test_at_the_end_workers_are_sent_home() -> None:
    one, coordinator, _, _ = hub()
    rng = random.Random(1)
    while (grant := coordinator.claim("x", "b")) is not None:
        for number in (0, 1):
            coordinator.deliver("x", grant.job.id, number, grant.attempt, game_of(grant.job, number, rng))
    assert say(one, "w", Claim(boot="b")) == [Over(boot="b")]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{}",
        b"nonsense",
        b"\xff" * 100,
        b"[" * 100_000,
        b"x" * (LARGEST + 1),
        b"0" * DIGEST + b'{"t":"claim","boot":"b","free":1}',
        pack("another topic", Claim(boot="b"), KEY),
        pack(TOPICS.to_coordinator + "w", Claim(boot="b"), b"another key"),
        pack(TOPICS.to_coordinator + "w", Claim(boot="b"), None),
        pack(TOPICS.to_coordinator + "w", Wait(boot="b"), KEY),
        pack(TOPICS.to_coordinator + "w", Claim(boot="b", free=0), KEY),
        pack(TOPICS.to_coordinator + "w", Claim(boot="x" * 1000), KEY),
        pack(TOPICS.to_coordinator + "w", Beat(boot="b", jobs={"x": (1, -1)}), KEY),
    ],
    ids=range(14),
)
def test_what_is_no_message_is_counted_and_not_answered(payload: bytes) -> None:
    one, _, _, _ = hub()
    assert one.take(TOPICS.to_coordinator + "w", payload) == []
    assert one.refused == 1
    assert [type(message) for message in say(one, "w", Claim(boot="b"))] == [Give]


def test_fields_that_are_not_known_are_ignored() -> None:
    one, _, _, _ = hub()
    topic = TOPICS.to_coordinator + "w"
    body = b'{"t":"claim","boot":"b","mood":"good","v":1}'
    assert len(Hub(hub()[1], TOPICS, lambda: 0.0).take(topic, body)) == 1
    del one


def test_a_worker_that_says_too_much_is_not_heard_until_later() -> None:
    one, _, _, now = hub()
    answers = [say(one, "w", Claim(boot="b", v=9)) for _ in range(int(BURST) + 5)]
    assert [len(answer) for answer in answers] == [1] * int(BURST) + [0] * 5
    now[0] += 1.0
    assert len(say(one, "w", Claim(boot="b", v=9))) == 1
    assert len(say(one, "v", Claim(boot="b"))) == 1


def test_the_last_will_frees_the_pairs_after_a_while_unless_the_worker_comes_back() -> None:
    one, coordinator, _, now = hub()
    topic = TOPICS.here + "w"
    for comes_back in (True, False):
        [give] = say(one, "w", Claim(boot="b"))
        assert isinstance(give, Give)
        one.take(topic, pack(topic, Here(boot="b", here=False), KEY))
        if comes_back:
            now[0] += 1.0
            say(one, "w", Beat(boot="b", jobs={give.job.id: (1, 1)}))
        for _ in range(4):
            now[0] += 3.0
            one.tick()
        assert one.workers == int(comes_back)
        other = coordinator.claim("v", "b")
        assert other is not None
        assert (other.job.id == give.job.id) == (not comes_back)
    one.take(topic, pack(topic, Here(boot="an earlier one", here=False), KEY))
    assert one.workers == 0


def test_a_worker_that_was_killed_delivers_what_it_had_played(tmp_path: Path) -> None:
    one, _, store, now = hub()
    spool = Spool(tmp_path)
    hand = Hand("w", "first", 1, TOPICS, spool, lambda: now[0], KEY)
    for topic, payload in hand.tick():
        for where, reply in one.take(topic, payload):
            hand.take(where, reply)
    give = hand.next_job()
    assert give is not None
    hand.deliver(give, 0, game_of(give.job, 0, random.Random(1)))
    spool.close()  # as the system does when a process is killed
    now[0] += 1.0
    with Spool(tmp_path) as inherited:
        again = Hand("another", "second", 1, TOPICS, inherited, lambda: now[0], KEY)
        assert not again.idle
        for topic, payload in again.tick():
            for where, reply in one.take(topic, payload):
                again.take(where, reply)
    assert len(list(store.games())) == 1
    assert list(tmp_path.rglob("*.json")) == []
