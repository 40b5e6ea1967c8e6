"""Footprint of a handler, found from outside: writes by comparing states, reads by running it again.

Written cells are those that differ between the states before and after (`state_cells`). Reads are recorded in a second
run, for which dicts and connections are replaced by recording ones; its state is discarded, and it counts only if it
has the same effects and leads to the same state. The rest of the state always counts as read.

Law: a cell that is not read has no influence on the run; a cell that is not written is unchanged.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from sdnloom.engine.model import Cell, Event
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import Reaction, ReadsAndWrites, RunContext
from sdnloom.network.program_cells import Connected
from sdnloom.platforms.capture.states import StateId, StateStore
from sdnloom.platforms.footprint.recording_dict import RecordedReads, recorded_cells, recording_tables
from sdnloom.platforms.footprint.state_cells import REST, StateCells, dicts_of, partition

Effects = tuple[tuple[tuple[str, OpenFlowMessage], ...], tuple[Event, ...]]  # messages and events of a step


class FootprintRecorder:
    """Finds the cells of states, and those that a step reads and writes.

    `apps` and `connections` return the present ones by name; `recording` records reads of connections while it lasts.
    """

    def __init__(
        self,
        states: StateStore[Any],
        apps: Callable[[], Mapping[str, Any]],
        connections: Callable[[], Mapping[str, Any]] = dict,
        recording: Callable[[set[str]], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._states, self._apps, self._connections, self._recording = states, apps, connections, recording
        self._known: dict[StateId, StateCells | None] = {}

    def footprint(
        self, core: StateId, reactions: Sequence[Reaction], again: Callable[[RunContext], Sequence[Effects]]
    ) -> ReadsAndWrites | None:
        """Return the cells that reactions in a state read (written ones included) and write.

        `again` takes their steps once more, each in the given context. None if the cells are not known.
        """
        before = self._parts(core)
        if before is None:
            return None
        tables, switches = set[tuple[str, Any]](), set[str]()
        ends: list[StateCells | None] = []
        effects = again(lambda: self._watching(before, tables, switches, ends))
        if list(effects) != [(one.messages, one.events) for one in reactions]:
            return None  # recording changed its behaviour
        writes: set[Cell] = set()
        for one, end in zip(reactions, ends, strict=True):
            after = self._parts(one.core)  # type: ignore[arg-type]
            if after is None or end is None or after != end:
                return None
            writes |= before.changed(end)  # `end`, for its dicts have the insertion order of this step
        reads = {REST, *map(Connected, switches), *recorded_cells(tables)}
        return frozenset(reads | writes), frozenset(writes)

    def _parts(self, core: StateId) -> StateCells | None:
        """Return the cells of a state; None where they are not known.

        Where insertion order is part of the state, a new key changes what every reader of the table sees.
        """
        states = self._states
        if states.ordered:
            return None
        if core not in self._known:
            states.restore(core)
            self._known[core] = self._present()
        return self._known[core]

    def _present(self) -> StateCells | None:
        roots, scope = self._states.digest_roots()
        return partition(roots, scope, dicts_of(self._apps()), self._connections())

    @contextmanager
    def _watching(
        self, parts: StateCells, tables: RecordedReads, switches: set[str], ends: list[StateCells | None]
    ) -> Iterator[None]:
        """Replace dicts and connections by recording ones during a run; the state has to be restored afterwards.

        The cells of the state that it leads to are added to `ends`.
        """
        found = {each.name: each for each in dicts_of(self._apps()) if each.name in parts.tables}
        recording = recording_tables({name: each.items for name, each in found.items()}, tables)
        for name, table in recording.items():
            found[name].holder[found[name].attribute] = table
        with self._recording(switches):
            yield
        for table in recording.values():
            table.notes = set()  # reads from here on are ours
        ends.append(self._present())
