"""Packed states with consecutive numbers."""

from dataclasses import dataclass, field

import numpy as np

from sdnloom.engine.kernel import jit_order
from sdnloom.engine.kernel.layout import Array, Layout

NO_SLEEP = np.zeros(0, np.uint64)


@dataclass(frozen=True)
class States:
    """Packed states, numbered from `first` on; with their sleep sets, if there are any."""

    first: int
    layout: Layout
    words: Array  # of one state after the other
    asleep: Array = field(default_factory=lambda: NO_SLEEP)

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(self.words) // self.layout.words

    @property
    def last(self) -> int:
        """The number after that of the last state."""
        return self.first + self.count

    def state(self, position: int) -> Array:
        """The words of one state."""
        return self.words[position * self.layout.words : (position + 1) * self.layout.words]

    def values(self, position: int) -> Array:
        """The values of one state's columns."""
        row: Array = self.layout.unpack(self.state(position))[0]
        return row

    def part(self, start: int, stop: int) -> "States":
        """Some of the states."""
        width = self.layout.words
        return States(
            self.first + start, self.layout, self.words[start * width : stop * width], self.asleep[start:stop]
        )

    def loaded(self) -> "States":
        """The states in memory, where these are."""
        return self

    def to(self, layout: Layout) -> "States":
        """The states in another layout."""
        if layout is self.layout:
            return self
        return States(self.first, layout, repacked(self.words, self.layout, layout), self.asleep)


def joined(parts: list[States]) -> States:
    """The states of several parts that follow each other."""
    if len(parts) == 1:
        return parts[0]
    layout = parts[-1].layout
    return States(
        parts[0].first,
        layout,
        np.concatenate([part.to(layout).words for part in parts]),
        np.concatenate([part.asleep for part in parts]),
    )


def repacked(words: Array, before: Layout, after: Layout) -> Array:
    """The words of states in another layout."""
    if before is after:
        return words
    results = np.empty(len(words) // before.words * after.words, np.uint64)
    jit_order.repack_states(
        words, before.words, before.word, before.shift, before.mask, results, after.words, after.word, after.shift
    )
    return results
