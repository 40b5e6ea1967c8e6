"""What a handler of a program that was run touches of its state: found from outside, by comparing and by watching.

What it changes shows when the parts of the states before and after are compared (`partition.py`). What it looks at is
noted in a second run, for which tables and connections are replaced by ones that note; the state after that run is
thrown away, and it counts only if it did the same and came to the same. The rest of the state counts as looked at
always: looks at it are free.

Law: what is not among the parts looked at has no influence on the run; what is not among those changed is as it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from sdnloom.engine.model import Cell, Event
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import Reaction, ReadsAndWrites
from sdnloom.network.program_cells import Connected
from sdnloom.platforms.capture.states import StateId, StateStore
from sdnloom.platforms.footprint.recording_dict import Notes, note_tables, noted_cells
from sdnloom.platforms.footprint.state_cells import REST, StateCells, dicts_of, partition

Watcher = Callable[[], AbstractContextManager[object]]
Effects = tuple[tuple[tuple[str, OpenFlowMessage], ...], tuple[Event, ...]]  # messages and events of a step


class FootprintRecorder:
    """The parts of states, and what steps between them touched.

    `apps` and `connections` give the present ones by name; `noting` surrounds a run in which looks at connections are
    noted.
    """

    def __init__(
        self,
        states: StateStore[Any],
        apps: Callable[[], Mapping[str, Any]],
        connections: Callable[[], Mapping[str, Any]] = dict,
        noting: Callable[[set[str]], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._states, self._apps, self._connections, self._noting = states, apps, connections, noting
        self._known: dict[StateId, StateCells | None] = {}

    def touched(
        self, core: StateId, reactions: Sequence[Reaction], again: Callable[[Watcher], Sequence[Effects]]
    ) -> ReadsAndWrites | None:
        """Return what reactions in a state looked at (what they changed included), and what they changed.

        `again` takes their steps once more, each inside of what it is given. None if it is not known what they touch.
        """
        before = self._parts(core)
        if before is None:
            return None
        tables, switches = set[tuple[str, Any]](), set[str]()
        ends: list[StateCells | None] = []
        did = again(lambda: self._watching(before, tables, switches, ends))
        if list(did) != [(one.messages, one.events) for one in reactions]:
            return None  # it noticed that it was watched
        writes: set[Cell] = set()
        for one, end in zip(reactions, ends, strict=True):
            after = self._parts(one.core)  # type: ignore[arg-type]
            if after is None or end is None or after != end:
                return None
            writes |= before.changed(end)  # whose tables were filled in the order of this very step
        reads = {REST, *map(Connected, switches), *noted_cells(tables)}
        return frozenset(reads | writes), frozenset(writes)

    def _parts(self, core: StateId) -> StateCells | None:
        """Return the parts of a state; None where they cannot be told apart.

        Where the order counts in which dicts were filled, every new key is seen by all who look at its table.
        """
        states = self._states
        if states.ordered:
            return None
        if core not in self._known:
            states.bring(core)
            self._known[core] = self._present()
        return self._known[core]

    def _present(self) -> StateCells | None:
        roots, scope = self._states.readable()
        return partition(roots, scope, dicts_of(self._apps()), self._connections())

    @contextmanager
    def _watching(
        self, parts: StateCells, tables: Notes, switches: set[str], ends: list[StateCells | None]
    ) -> Iterator[None]:
        """Let tables and connections note who looks; what the apps hold afterwards has to be put back.

        The parts of the state that they come to are added to the ends.
        """
        found = {each.name: each for each in dicts_of(self._apps()) if each.name in parts.tables}
        noting = note_tables({name: each.items for name, each in found.items()}, tables)
        for name, table in noting.items():
            found[name].holder[found[name].attribute] = table
        with self._noting(switches):
            yield
        for table in noting.values():
            table.notes = set()  # from here on it is us who look
        ends.append(self._present())
