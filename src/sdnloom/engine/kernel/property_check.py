"""Properties and observers on the new states of a block, once for each distinct combination of what they read."""

from collections.abc import Iterator

import numpy as np

from sdnloom.engine import user_code
from sdnloom.engine.kernel import jit_memo
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.kernel.new_rows import NewRows
from sdnloom.engine.kernel.states import States
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.observers import Observation
from sdnloom.engine.semantics import AT_REST, Finding

_AT_EVENTS = (Needs.EVENT, Needs.ORDER)
# The flags that a state must not have for a property to be checked in it.
_UNWANTED = {Needs.QUIESCENT: jit_memo.FLAG_MUST, Needs.SETTLED: jit_memo.FLAG_MUST | jit_memo.FLAG_IDLE}
_ANY = np.zeros(0, np.bool_)  # every state counts, whatever its property reports


class PropertyCheck:
    """A property that is checked on new states."""

    def __init__(self, memo: KernelMemo, prop: Property, each_at_rest: bool) -> None:
        self.memo, self.prop = memo, prop
        self.columns = sorted(memo.graph.columns_of(prop))
        self.unwanted = _UNWANTED.get(prop.needs, 0)
        self._reporter: int | None = None  # the property's place among those whose memory alone reports something
        if prop.needs in _AT_EVENTS and prop.has_memory:
            self._reporter = memo.with_memory.index(prop)
            self.columns = [memo.components + self._reporter]
        self._each = each_at_rest and prop.needs in AT_REST and not prop.sometimes
        self._new = NewRows(self.columns)
        self._answers: dict[tuple[int, ...], str | None] = {}
        self.position = 0  # of the state that is judged

    def findings(self, states: States, flags: Array) -> Iterator[tuple[int, Finding]]:
        """The findings of the property, each with the position of the first state of a new combination of values.

        If states at rest are judged one by one (`each_at_rest`), with the positions of all such states.
        """
        if self._each:
            yield from self._all(states, flags)
            return
        reporting = _ANY if self._reporter is None else self.memo.reporting[self._reporter]
        for position in self._new.positions(states, flags, self.unwanted, reporting):
            message = self._message(states, position)
            if message is not None:
                yield position, Finding(self.prop.name, message)

    def _all(self, states: States, flags: Array) -> Iterator[tuple[int, Finding]]:
        positions = np.flatnonzero(flags & self.unwanted == 0)
        rows = states.layout.unpack(states.words, self.columns)[positions].tolist()
        for position, row in zip(positions.tolist(), rows, strict=True):
            key = tuple(row)
            if key not in self._answers:
                self._answers[key] = self._message(states, position)
            message = self._answers[key]
            if message is not None:
                yield position, Finding(self.prop.name, message)

    def _message(self, states: States, position: int) -> str | None:
        self.position = position
        semantics, value = self.memo.tables.semantics, self.memo.value(states.values(position))
        return user_code.violated(self.prop, semantics.memory(self.prop, value), semantics.columns(self.prop, value))


class BlockObserver:
    """An observer of new states."""

    def __init__(self, memo: KernelMemo, observation: Observation) -> None:
        self.observation = observation
        self.unwanted = jit_memo.FLAG_MUST if observation.observer.quiescent else 0
        self._new = NewRows(sorted(memo.graph.columns_named(observation.observer.columns)))

    def new(self, states: States, flags: Array) -> Iterator[int]:
        """The first state of each combination of places that the observer was not passed before."""
        return self._new.positions(states, flags, self.unwanted, _ANY)
