"""Renamings of the members of groups: all of them where they are few, otherwise a sample.

A program may look at names in any way: compare them with a constant, sort them, cut them into pieces. Only if all
renamings of what a step, or a check of a state, can see lead to the renamed result does it treat members alike.
"""

import math
import random
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import permutations, product
from typing import Any, TypeVar

from sdnloom.actors.program import Naming
from sdnloom.actors.values import Stored

Change = Callable[[Any], Stored]  # of symbols to plain values
GroupMember = tuple[int, int]  # a group and an index in it
MOST_TRIED = 720  # renamings of one step, all those of 6 members; if there are more, a sample is tried
SAMPLE_SIZE = 120
_SEED = 16
T = TypeVar("T", bound=Hashable)


class Renamings:
    """Renamings of the groups of a naming."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sizes = [len(group.members) for group in naming.groups]
        self.sampled = False  # whether some renamings were not tried, because they were too many

    def of(self, members: Collection[GroupMember]) -> Iterable[Change]:
        """Every renaming that differs in what it does to these members; a sample if they are too many."""
        inside = [sorted(index for group, index in members if group == number) for number in range(len(self._sizes))]
        count = math.prod(math.perm(size, len(found)) for size, found in zip(self._sizes, inside, strict=True))
        if count > MOST_TRIED:
            return self.sample()
        images = [permutations(range(size), len(found)) for size, found in zip(self._sizes, inside, strict=True)]
        return [
            self._change([dict(zip(*pair, strict=True)) for pair in zip(inside, chosen, strict=True)])
            for chosen in product(*images)
        ]

    def sample(self) -> Iterator[Change]:
        """Renamings: the names as they are and reversed, then those in which members take all names in turn, others."""
        self.sampled = True
        drawing, turns = random.Random(_SEED), max(self._sizes, default=1)
        for number in range(SAMPLE_SIZE):
            orders = []
            for size in self._sizes:
                order = list(range(size))
                if number >= 2 * turns:
                    drawing.shuffle(order)
                turn = number // 2 % size
                order = order[turn:] + order[:turn]
                orders.append(order[::-1] if number % 2 else order)
            yield self._change(orders)

    def _change(self, orders: Sequence[Any]) -> Change:
        return lambda atom: self._naming.plain(atom, lambda symbol: orders[symbol.group][symbol.index])

    def exchanges(self) -> list[dict[GroupMember, GroupMember]]:
        """The exchanges of two neighbours in a group; all renamings are made of them."""
        return [
            {(group, index): (group, index + 1), (group, index + 1): (group, index)}
            for group, size in enumerate(self._sizes)
            for index in range(size - 1)
        ]


def orbit(start: T, moves: Iterable[Callable[[T], T]], most: int) -> list[T] | None:
    """What the moves make of the start, itself first; None if that is more than `most`."""
    moves, found, pending = list(moves), {start: None}, [start]
    while pending:
        each = pending.pop()
        for move in moves:
            moved = move(each)
            if moved not in found:
                if len(found) >= most:
                    return None
                found[moved] = None
                pending.append(moved)
    return list(found)
