"""Stubborn sets: which tasks of a state are enough to explore there, as far as the summaries know.

A set T of tasks of a state s is *closed* if
- for a task x in T that can take a step: every task u whose summary conflicts with that step is in T;
- for x that awaits a future: the task whose result it is (a task that failed has none, then nothing can wake x);
- for x behind a barrier, and for a barrier: one of the control tasks before it;
- for x whose condition does not hold: every u whose summary writes, with another value, what the condition read.
A search takes the steps of E(s), the tasks of one closed set that can take a step.

Steps conflict if one writes what the other reads or writes, except that two writes of one value do not. At the level
`context`, what a state holds counts, too: both orders lead to the same state, so there is no conflict, if x writes the
value that is there and u reads it, or if x reads a value and u writes the same. (Whoever may write another value
conflicts and is in T, so the value stays until x runs.) Sending a control message reads, and sending a barrier writes,
the control channel of the switch. A failed task writes and sends nothing, but has read. Whether a future is known is
no read; completing a task conflicts with nothing.

Law. Let a search have ended with the summaries with which it began, and let every visited state have a path in the
reduced graph to a state that is expanded in full (the cycle proviso). Then for each visited s and each path w from s:
(1) w is, up to swaps of steps that do not conflict, the beginning of a path of the reduced graph from s; (2) the
summary of the task of s from which a step of w descends covers that step, and every condition evaluated along w. So
all final states and all steps are found.

Proof, by induction on the length of w, then on the distance from s to a state expanded in full. A condition that does
not hold counts as a last step of w that only reads. Let w = w' e, so w' is covered.
Claim: if no step of w' is of E(s), all steps of w' descend from tasks outside of T. The first that does not would be
of a task of T that could not run in s, and something in w' enabled it: a step of T before it, by the closure.
(a) Some step of w is of E(s), u the first: what is before u descends from tasks outside of T and is covered, so it
does not conflict with u. Move u to the front: a shorter path from the next state.
(b) None is. Then s is not expanded in full; take t of E(s) on a shortest way to such a state. t conflicts with no step
of w', so t w' is a path to the state after w' t. Let e' be the next step of e's task after t w'. If e does not
conflict with t, e' = e, and e is covered by induction. Otherwise e' has read the same as e up to the first location
that t writes with another value, and reads it too; or there is none and e' writes what e writes. By induction the
summary of the task a of s from which e descends has that access, so a is in T. By the claim no step of w' descends
from a, so e is the next step of a itself. If a can run in s, e is of E(s): case (a). If it awaits a future or a barrier
in s, e cannot be the next after w', by the claim. If its condition does not hold in s, nothing in w' changes what it
read, so e is the same evaluation, which s has covered. With symmetry all of this holds up to renaming: summaries are
renamed with tasks.
"""

from collections.abc import Callable

from sdnloom.actors.search.items import Items
from sdnloom.actors.search.options import ReductionLevel
from sdnloom.actors.search.step_memo import CONTROL_CHANNEL, Evaluation, TaskSteps
from sdnloom.actors.search.successor import Cells
from sdnloom.actors.search.summaries import Summaries, Summary
from sdnloom.actors.search.unify import may_be_same
from sdnloom.actors.task import Location
from sdnloom.engine.stop_points import check_limits


class StubbornTasks:
    """Chooses the tasks to explore. At the level `actor` all fields of an actor are taken to be one location."""

    def __init__(self, items: Items, level: ReductionLevel = "context") -> None:
        self.items = items
        self._by_actor, self._in_context = level == "actor", level == "context"
        self.summaries = Summaries(items)
        self._conflicts: dict[tuple[int, int, int], bool] = {}
        self._overlaps: dict[tuple[int, Location], bool] = {}

    def version_of(self, state: TaskSteps) -> int:
        """The version of the summaries since which nothing changed that the choice in a state depends on."""
        member = self.summaries.member
        return max(member(task)[0].version for task in state.tasks())

    def chosen(self, state: TaskSteps, cells: Cells) -> tuple[int, ...]:
        """The places of the enabled tasks that are to be explored: those of a smallest closed set."""
        tasks, enabled = state.tasks(), state.enabled
        summaries = [self.summaries.of(task) for task in tasks]
        steps = [evaluation for _, evaluation in (*enabled, *state.blocked)]
        rows: list[int | None] = [None] * len(tasks)

        def row(place: int) -> int:
            """The tasks that must be in a closed set with the one at this place, as a set of bits."""
            found = rows[place]
            if found is None:
                if place < len(steps):
                    found = self._rivals(steps[place], cells, summaries) & ~(1 << place)
                else:
                    found = self._enablers(tasks, place)
                rows[place] = found
            return found

        return _smallest(len(enabled), row)

    def _rivals(self, step: Evaluation, cells: Cells, summaries: list[Summary]) -> int:
        """The tasks whose summaries conflict with a step, or with the reads of a condition."""
        check_limits()  # with thousands of tasks, one choice takes minutes
        unchanged = 0  # bits of the writes that change nothing
        for place, (location, item) in enumerate(step.writes):
            if self._in_context and cells.get(location, -1) == item:
                unchanged |= 1 << place
        known, number = self._conflicts, step.number
        found = 0
        for place, summary in enumerate(summaries):
            key = number, unchanged, summary.number
            conflict = known.get(key)
            if conflict is None:
                conflict = known[key] = self._conflict(step, unchanged, summary)
            if conflict:
                found |= 1 << place
        return found

    def _enablers(self, tasks: list[int], place: int) -> int:
        """One task, as a set of bits, without which the waiting one cannot go on; none if there is no such task."""
        items, waits = self.items, tasks[place]
        template = items.template[waits]
        if template.awaited >= 0:
            future = items.individuals[waits][template.awaited]
            return sum(1 << each for each, task in enumerate(tasks) if items.own[task] == future)
        actor = items.actor[waits]
        for each, task in enumerate(tasks):
            first = items.template[task].is_control and not items.template[task].segment
            if first and items.actor[task] == actor:
                return 1 << each
        return 0

    # Conflicts.

    def conflict(self, step: Evaluation, summary: Summary) -> bool:
        """Whether a task of this summary may conflict with a step, whatever the state holds."""
        return self._conflict(step, 0, summary)

    def _conflict(self, step: Evaluation, unchanged: int, summary: Summary) -> bool:
        if self._by_actor and self._share_an_actor(step, summary):
            return True
        return self._writes_conflict(step, unchanged, summary) or self._reads_conflict(step, summary)

    def _writes_conflict(self, step: Evaluation, unchanged: int, summary: Summary) -> bool:
        for place, (location, item) in enumerate(step.writes):
            if not unchanged >> place & 1 and self._is_read(location, summary):
                return True
            if location in summary.writes:
                values = summary.writes[location]
                if values is None or any(value != item for value in values):
                    return True
            if any(self._overlap(location, wild) for wild in summary.wild_writes):
                return True
        return False

    def _is_read(self, location: int, summary: Summary) -> bool:
        if location in summary.reads:
            return True
        if any(self.items.locations.covers(query, location) for query in summary.query_reads):
            return True
        return any(self._overlap(location, wild) for wild in summary.wild_reads)

    def _reads_conflict(self, step: Evaluation, summary: Summary) -> bool:
        locations = self.items.locations
        for location, value in step.reads:
            if any(self._overlap(location, wild) for wild in summary.wild_writes):
                return True
            if not isinstance(value, tuple):
                if location in summary.writes:
                    values = summary.writes[location]
                    if values is None or not self._in_context or any(each != value for each in values):
                        return True
                continue
            held = {self.items.location[item]: item for item in value}
            for at, values in summary.writes.items():
                if locations.covers(location, at):
                    before = held.get(at, -1)
                    if values is None or not self._in_context or any(each != before for each in values):
                        return True
        return False

    def _overlap(self, location: int, wild: Location) -> bool:
        """Whether a location, or a query, and one with an unknown member of a group may have a cell in common."""
        key = location, wild
        found = self._overlaps.get(key)
        if found is None:
            found = self._overlaps[key] = may_be_same(self.items.locations.values[location], wild)
        return found

    def _share_an_actor(self, step: Evaluation, summary: Summary) -> bool:
        values = self.items.locations.values
        one = [values[at] for at, _ in (*step.reads, *step.writes)]
        two = [values[at] for at in (*summary.reads, *summary.query_reads, *summary.writes)]
        two += [*summary.wild_reads, *summary.wild_writes]
        return any(
            CONTROL_CHANNEL not in (first.field, second.field)
            and may_be_same(Location(first.actor, ""), Location(second.actor, ""))
            for first in one
            for second in two
        )


def _smallest(enabled: int, row: Callable[[int], int]) -> tuple[int, ...]:
    """The enabled tasks of a closed set with the fewest of them; those before `enabled` are."""
    can_run = (1 << enabled) - 1
    best, least = can_run, enabled
    for start in range(enabled):
        inside = pending = 1 << start
        while pending:
            place = (pending & -pending).bit_length() - 1
            added = row(place) & ~inside
            inside |= added
            pending = (pending | added) & ~(1 << place)
            if added and (inside & can_run).bit_count() >= least:
                break
        else:
            if (inside & can_run).bit_count() < least:
                best, least = inside & can_run, (inside & can_run).bit_count()
                if least == 1:
                    break
    return tuple(place for place in range(enabled) if best >> place & 1)
