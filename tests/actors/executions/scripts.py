"""Random programs whose tasks carry out scripts, on three actors: many of their steps are independent."""

import random
from typing import Any

from sdnloom.actors import Actor, Program

Script = tuple[tuple[Any, ...], ...]


class Scripted(Actor):
    """Does what it is told."""

    table: dict = {}  # noqa: RUF012 (a field)
    control = frozenset({"order"})

    async def run(self, script):
        await self.follow(script)

    async def order(self, script):
        await self.follow(script)

    async def barrier(self):
        pass

    async def follow(self, script):
        for what, key, value in script:
            match what:
                case "put":
                    self.table[key] = value
                case "add":
                    self.table[key] = self.table.get(key, 0) + value
                case "all":
                    self.table[key] = len(self.table)
                case "until":
                    await self.until(lambda key=key, value=value: self.table.get(key) == value)
                case "send":
                    ACTORS[key].run(value)
                case "order":
                    ACTORS[key].order(value)
                case "await":
                    await ACTORS[key].run(value)
                case "barrier":
                    await ACTORS[key].barrier()


ACTORS = [Scripted(name) for name in "abc"]


def random_script(rng: random.Random, depth: int) -> Script:
    """A script of one to three lines, with scripts inside of it up to a depth."""
    lines: list[tuple[Any, ...]] = []
    for _ in range(rng.randint(1, 3)):
        what = rng.choice(("put", "put", "add", "all", "until", "send", "send", "order", "await", "barrier"))
        if what in ("send", "order", "await"):
            if depth:
                lines.append((what, rng.randrange(3), random_script(rng, depth - 1)))
        else:
            key = rng.randrange(3)
            lines.append((what, key, rng.randint(1, 2)))
    return tuple(lines)


def scripted_program(seed: int) -> Program:
    """A program with three to four scripts at the start."""
    rng = random.Random(seed)
    start = [rng.choice(ACTORS).run(random_script(rng, 2)) for _ in range(rng.randint(3, 4))]
    return Program(tuple(ACTORS), tuple(start))
