"""A worker of its own, written from docs/arena.md alone: it knows tic-tac-toe, and nothing of playout.

    python tiny_worker.py PORT NAME KEY_FILE

Its engines play the first free cell or the last one, by the option ``Last`` of their entry in the tournament's file.
"""

import asyncio
import hashlib
import hmac
import json
import sys
import uuid

import aiomqtt

ROOT = "playout/1/cup/arena"
CELLS = [column + row for row in "123" for column in "abc"]
LINES = [
    ("a1", "b1", "c1"), ("a2", "b2", "c2"), ("a3", "b3", "c3"), ("a1", "a2", "a3"),
    ("b1", "b2", "b3"), ("c1", "c2", "c3"), ("a1", "b2", "c3"), ("a3", "b2", "c1"),
]  # fmt: skip


def result(moves):
    """The result of player 0; None while the game goes on."""
    for player, value in ((0, 1.0), (1, -1.0)):
        if any(set(line) <= set(moves[player::2]) for line in LINES):
            return value
    return 0.0 if len(moves) == 9 else None


def played(job, number):
    """A game of a pair."""
    seats = job["players"] if number == 0 else job["players"][::-1]
    opening = job.get("opening", {})
    moves = list(opening.get("moves", []))
    while result(moves) is None:
        free = [cell for cell in CELLS if cell not in moves]
        last = seats[len(moves) % 2].get("options", {}).get("Last", False)
        moves.append(free[-1] if last else free[0])
    return {
        "id": f"{job['id']}/{number}",
        "game": job["game"],
        "names": [seat["name"] for seat in seats],
        "opening": opening,
        "moves": [[move] for move in moves],
        "result": result(moves),
        "end": "normal",
    }


class Worker:
    """The state of the worker."""

    def __init__(self, client, name, key):
        self.client, self.name, self.key, self.boot = client, name, key, uuid.uuid4().hex
        self.waiting = {}

    async def say(self, **message):
        """Sends a signed message."""
        topic = f"{ROOT}/c/{self.name}"
        await self.client.publish(topic, self.signed(topic, message))

    async def be(self, here):
        """Says that it is there, or not."""
        topic = f"{ROOT}/here/{self.name}"
        await self.client.publish(topic, self.signed(topic, {"here": here, "desks": 1}), qos=1, retain=True)

    def signed(self, topic, message):
        """The bytes of a message."""
        body = json.dumps({"boot": self.boot, **message}).encode()
        digest = hmac.new(self.key, topic.encode() + b"\n" + body, hashlib.sha256).hexdigest()
        return digest.encode() + body

    async def repeat(self):
        """Asks for work, and delivers again what is not acknowledged."""
        while True:
            if not self.waiting:
                await self.say(t="claim", v=1, free=1)
            for done in list(self.waiting.values()):
                await self.say(**done)
            await asyncio.sleep(2)

    async def run(self):
        """Works until the tournament is over."""
        await self.client.subscribe(f"{ROOT}/w/{self.name}", qos=1)
        await self.be(True)
        asking = asyncio.create_task(self.repeat())
        async for message in self.client.messages:
            said = json.loads(message.payload[64:])
            if said["boot"] != self.boot:
                continue
            if said["t"] == "give":
                job = said["job"]
                for number in range(job["games"]):
                    if number not in said.get("played", []):
                        done = {"t": "done", "cup": said["cup"], "job": job["id"], "number": number}
                        done["attempt"] = said["attempt"]
                        self.waiting[f"{job['id']}/{number}"] = {**done, "played": played(job, number)}
                        await self.say(**self.waiting[f"{job['id']}/{number}"])
            elif said["t"] == "ack":
                self.waiting.pop(said["game"], None)
                if not self.waiting:
                    await self.say(t="claim", v=1, free=1)
            elif said["t"] in ("over", "refused"):
                asking.cancel()
                await self.be(False)
                return


async def main():
    """Connects and works."""
    with open(sys.argv[3], "rb") as file:
        key = file.read().strip()
    async with aiomqtt.Client("127.0.0.1", int(sys.argv[1])) as client:
        await Worker(client, sys.argv[2], key).run()


if __name__ == "__main__":
    asyncio.run(main())
