"""Abstract states, which keep only the part of a trace's past that later races depend on, and their steps.

Definitions 5 to 7 need little of the past, so traces of every length lead to finitely many abstract states:

- CT->SW needs that the last event of the switch was forwarding. A big switch can always forward, so in complete mode
  every update of it completes this race, one event later.
- CT->SW<-CT needs the last update of the switch, if its sender has been idle since, and that the controller that
  updates it next does not know of it. CT->CT->SW needs the same of the controller that reconfigures the sender.

Clocks are asymmetric: an element knows of an update if it is the sender or the switch, or has received a message from
an element that knows. When traces end at their first harmful race, states hold all of this, and which element acted
first, which decides between two races of one event. Otherwise each `Mark` holds one update beside a state; the tables
of its switch do not change while it lasts, because the next update closes it.

Tables are not part of states: steps write them and never depend on them.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import BigSwitch, ChannelMessage, ElementRole, RaceModel
from sdnloom.races.language.properties import RaceType
from sdnloom.races.search.behaviour import (
    Abilities,
    Emission,
    LocalState,
    Processing,
    Reception,
    SwitchTables,
    behaviours,
)
from sdnloom.races.search.trace import Label, ProcessLabel, ReconfigureLabel
from sdnloom.races.search.truth_sets import TableCell

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """The last update of a switch while its sender is idle; `knows` has a bit for each element that knows of it.

    Interned: equal updates are the same object.
    """

    label: ReconfigureLabel
    table: int | None
    knows: int


class ControlState(NamedTuple):
    """An abstract state without its tables. Tuples and bits are indexed by element; None or 0 if not applicable."""

    locals: tuple[int, ...]
    updates: tuple[Update | None, ...]
    processed: tuple[SwitchTables | None, ...]  # if a switch forwarded last: its tables then; () for a big switch
    initiators: int = 0  # bits of the elements that have started an event
    earlier: tuple[int, ...] = ()  # per switch: bits of the controllers that started an event before it


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """A race without the tables of forwarding: `first` is None if a big switch forwards. Interned."""

    kind: RaceType
    first: Label | None
    second: ReconfigureLabel
    switch: int


@dataclass(frozen=True, slots=True, eq=False)
class RaceCheck:
    """A race that a step completes.

    For a switch given by a term, it is harmful if a property differs between the policy `before` and the policy of the
    second label; for a big switch, between the current tables and those with that policy at `table`.
    """

    signature: Signature
    table: int | None = None
    before: Policy | None = None
    forwards_first: bool = False


class Mark(NamedTuple):
    """A state after an update of a switch that may still race with a later event."""

    control: ControlState
    switch: int
    update: Update


@dataclass(frozen=True, slots=True, eq=False)
class AbstractStep:
    """A transition of the abstract state; `cell` and `value` are the table cell and value that it writes, if any.

    `opens` is the mark of an update that may race.
    """

    label: ReconfigureLabel | ProcessLabel
    target: ControlState
    checks: tuple[RaceCheck, ...] = ()
    table: int | None = None
    cell: int | None = None
    value: int = 0
    opens: Mark | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MarkStep:
    """The effect of a step on a mark: a race (`check`), or the mark that remains (`target`); neither closes it."""

    step: AbstractStep
    check: RaceCheck | None
    target: Mark | None


@dataclass(frozen=True, slots=True)
class _Communication:
    label: ReconfigureLabel
    sender_then: int
    receiver_then: int
    table: int | None


class Abstraction:
    """The abstract transition system of a model.

    With `remember_updates` states hold the updates that may race and steps check for all races; otherwise marks do.
    """

    def __init__(self, model: RaceModel, *, first_race_only: bool, remember_updates: bool) -> None:
        self.model = model
        self._first_race_only = first_race_only
        self._remember_updates = remember_updates
        self._behaviours = behaviours(model)
        self.first_tables = tuple(behaviour.tables for behaviour in self._behaviours)
        self._roles = [element.role for element in model.elements]
        self._controllers = sum(
            1 << element for element, role in enumerate(self._roles) if role is ElementRole.CONTROLLER
        )
        self._big = [isinstance(element, BigSwitch) for element in model.elements]
        self.cells = _cells(model)
        self._cell_of = {(cell.element, cell.table): level for level, cell in enumerate(self.cells)}
        self._value_of = [{policy: value for value, policy in enumerate(cell.policies)} for cell in self.cells]
        self._ids: list[dict[LocalState, int]] = [{} for _ in model.elements]
        self._locals: list[list[LocalState]] = [[] for _ in model.elements]
        self._receptions: dict[tuple[int, int], dict[ChannelMessage, list[Reception]]] = {}
        self._communications: dict[tuple[int, ...], tuple[_Communication, ...]] = {}
        self._steps: dict[ControlState, tuple[AbstractStep, ...]] = {}
        self._mark_steps: dict[Mark, tuple[MarkStep, ...]] = {}
        self._labels: dict[ReconfigureLabel, ReconfigureLabel] = {}
        self._updates: dict[tuple[ReconfigureLabel, int | None, int], Update] = {}
        self._signatures: dict[tuple[RaceType, Label | None, ReconfigureLabel, int], Signature] = {}

    def initial(self) -> ControlState:
        """Return the first abstract state."""
        count = len(self._roles)
        local = tuple(self._id(element, behaviour.initial) for element, behaviour in enumerate(self._behaviours))
        nothing = (None,) * count
        return ControlState(local, nothing, nothing, 0, (0,) * count if self._first_race_only else ())

    def steps(self, control: ControlState) -> tuple[AbstractStep, ...]:
        """Return the steps in a fixed order: by acting element, then as the model lists them."""
        known = self._steps.get(control)
        if known is None:
            found = list(self._processing_steps(control))
            found += [self._communication_step(control, each) for each in self._all_communications(control.locals)]
            known = self._steps[control] = tuple(found)
        return known

    def mark_steps(self, mark: Mark) -> tuple[MarkStep, ...]:
        """Return the steps of a marked state that do not just close the mark."""
        known = self._mark_steps.get(mark)
        if known is None:
            found = [self._mark_step(mark, step) for step in self.steps(mark.control)]
            known = self._mark_steps[mark] = tuple(step for step in found if step.check or step.target)
        return known

    def _mark_step(self, mark: Mark, step: AbstractStep) -> MarkStep:
        update, label = mark.update, step.label
        idle = update.label.sender
        if label.source == idle:
            return MarkStep(step, None, None)
        if isinstance(label, ProcessLabel):
            return MarkStep(step, None, Mark(step.target, mark.switch, update))
        if label.receiver in (mark.switch, idle):
            check = None
            if self._roles[label.sender] is ElementRole.CONTROLLER and not update.knows >> label.sender & 1:
                updates = label.receiver == mark.switch
                kind = RaceType.CT_SW_CT if updates else RaceType.CT_CT_SW
                check = self._update_check(kind, mark.switch, update, label, step.table if updates else update.table)
            return MarkStep(step, check, None)
        return MarkStep(step, None, Mark(step.target, mark.switch, self._after_message(update, label)))

    def _after_message(self, update: Update, label: ReconfigureLabel) -> Update:
        """Return the update after a message: the receiver knows of it if the sender does."""
        if update.knows >> label.sender & 1:
            return self._update(update.label, update.table, update.knows | 1 << label.receiver)
        return update

    def _id(self, element: int, local: LocalState) -> int:
        ids = self._ids[element]
        if local not in ids:
            ids[local] = len(ids)
            self._locals[element].append(local)
        return ids[local]

    def _abilities(self, element: int, local: int) -> Abilities:
        return self._behaviours[element].abilities(self._locals[element][local])

    def _received(self, element: int, local: int) -> dict[ChannelMessage, list[Reception]]:
        key = (element, local)
        if key not in self._receptions:
            found: dict[ChannelMessage, list[Reception]] = {}
            for reception in self._abilities(element, local).receptions:
                found.setdefault(reception.message, []).append(reception)
            self._receptions[key] = found
        return self._receptions[key]

    def _all_communications(self, local: tuple[int, ...]) -> tuple[_Communication, ...]:
        known = self._communications.get(local)
        if known is None:
            found: list[_Communication] = []
            for sender, state in enumerate(local):
                for emission in self._abilities(sender, state).emissions:
                    found += self._receivers(sender, emission, local)
            known = self._communications[local] = tuple(found)
        return known

    def _receivers(self, sender: int, emission: Emission, local: tuple[int, ...]) -> list[_Communication]:
        found: list[_Communication] = []
        message = emission.message
        for receiver, state in enumerate(local):
            if receiver == sender:
                continue
            for reception in self._received(receiver, state).get(message, ()):
                label = ReconfigureLabel(message.channel, message.policy, sender, receiver)
                label = self._labels.setdefault(label, label)
                then = self._id(sender, emission.then), self._id(receiver, reception.then)
                found.append(_Communication(label, *then, reception.table))
        return found

    def _processing_steps(self, control: ControlState) -> list[AbstractStep]:
        found: list[AbstractStep] = []
        for element, state in enumerate(control.locals):
            if self._big[element] and not self._first_race_only:
                continue  # changes nothing: checks assume that it can forward
            able = self._abilities(element, state)
            found += [self._processing_step(control, element, processing) for processing in able.processings]
        return found

    def _processing_step(self, control: ControlState, element: int, processing: Processing) -> AbstractStep:
        tables = () if processing.policy is None else (processing.policy,)
        local = _replaced(control.locals, element, self._id(element, processing.then))
        processed = control.processed
        if self._roles[element] is ElementRole.SWITCH:
            processed = _replaced(processed, element, tables)
        updates = tuple(
            None if update is not None and update.label.sender == element else update for update in control.updates
        )
        initiators, earlier = self._after_event(control, element)
        return AbstractStep(ProcessLabel(element, tables), ControlState(local, updates, processed, initiators, earlier))

    def _communication_step(self, control: ControlState, communication: _Communication) -> AbstractStep:
        sender, receiver = communication.label.sender, communication.label.receiver
        local = list(control.locals)
        local[sender], local[receiver] = communication.sender_then, communication.receiver_then
        initiators, earlier = self._after_event(control, sender)
        target = ControlState(
            tuple(local),
            self._known_updates(control, communication),
            tuple(
                None if element in (sender, receiver) else tables for element, tables in enumerate(control.processed)
            ),
            initiators,
            earlier,
        )
        checks = self._checks(control, communication) if self._roles[sender] is ElementRole.CONTROLLER else ()
        cell = None if communication.table is None else self._cell_of[receiver, communication.table]
        value = 0 if cell is None else self._value_of[cell][communication.label.policy]
        opens = None
        if not self._remember_updates and self._may_race(sender, receiver):
            knows = 1 << sender | 1 << receiver
            opens = Mark(target, receiver, self._update(communication.label, communication.table, knows))
        return AbstractStep(communication.label, target, checks, communication.table, cell, value, opens)

    def _may_race(self, sender: int, receiver: int) -> bool:
        return self._roles[sender] is ElementRole.CONTROLLER and self._roles[receiver] is ElementRole.SWITCH

    def _known_updates(self, control: ControlState, communication: _Communication) -> tuple[Update | None, ...]:
        if not self._remember_updates:
            return control.updates
        sender, receiver = communication.label.sender, communication.label.receiver
        found: list[Update | None] = []
        for element, update in enumerate(control.updates):
            if element == receiver and self._roles[receiver] is ElementRole.SWITCH:
                fresh = self._update(communication.label, communication.table, 1 << sender | 1 << receiver)
                found.append(fresh if self._may_race(sender, receiver) else None)
            elif update is None or update.label.sender in (sender, receiver):
                found.append(None)
            else:
                found.append(self._after_message(update, communication.label))
        return tuple(found)

    def _update(self, label: ReconfigureLabel, table: int | None, knows: int) -> Update:
        key = (label, table, knows)
        if key not in self._updates:
            self._updates[key] = Update(label, table, knows)
        return self._updates[key]

    def _signature(self, kind: RaceType, first: Label | None, second: ReconfigureLabel, switch: int) -> Signature:
        key = (kind, first, second, switch)
        if key not in self._signatures:
            self._signatures[key] = Signature(*key)
        return self._signatures[key]

    def _after_event(self, control: ControlState, element: int) -> tuple[int, tuple[int, ...]]:
        """Return `initiators` and `earlier` after an event of the element."""
        initiators, earlier = control.initiators, control.earlier
        if not self._first_race_only or initiators >> element & 1:
            return initiators, earlier
        if self._roles[element] is ElementRole.SWITCH:
            earlier = _replaced(earlier, element, initiators & self._controllers)
        initiators |= 1 << element
        # Once every switch has acted, the order of first events no longer matters.
        everyone = (1 << len(self._roles)) - 1
        return everyone if initiators | self._controllers == everyone else initiators, earlier

    def _checks(self, control: ControlState, communication: _Communication) -> tuple[RaceCheck, ...]:
        sender, receiver = communication.label.sender, communication.label.receiver
        if self._roles[receiver] is ElementRole.CONTROLLER:
            return tuple(
                self._update_check(RaceType.CT_CT_SW, element, update, communication.label, update.table)
                for element, update in enumerate(control.updates)
                if update is not None and update.label.sender == receiver and not update.knows >> sender & 1
            )
        checks: list[RaceCheck] = []
        processed = control.processed[receiver]
        if self._big[receiver]:
            if processed is not None or not self._first_race_only:
                signature = self._signature(RaceType.CT_SW, None, communication.label, receiver)
                checks.append(RaceCheck(signature, communication.table, forwards_first=not self._first_race_only))
        elif processed is not None:
            signature = self._signature(
                RaceType.CT_SW, ProcessLabel(receiver, processed), communication.label, receiver
            )
            checks.append(RaceCheck(signature, before=processed[0]))
        update = control.updates[receiver]
        if update is not None and not update.knows >> sender & 1:
            checks.append(
                self._update_check(RaceType.CT_SW_CT, receiver, update, communication.label, communication.table)
            )
            if self._first_race_only and control.earlier[receiver] >> update.label.sender & 1:
                checks.reverse()
        return tuple(checks)

    def _update_check(
        self, kind: RaceType, switch: int, update: Update, second: ReconfigureLabel, table: int | None
    ) -> RaceCheck:
        signature = self._signature(kind, update.label, second, switch)
        return RaceCheck(signature, table) if self._big[switch] else RaceCheck(signature, before=update.label.policy)


def _cells(model: RaceModel) -> tuple[TableCell, ...]:
    """Return the tables that a message can replace."""
    found: list[TableCell] = []
    for index, element in enumerate(model.elements):
        if isinstance(element, BigSwitch):
            for table, switch in enumerate(element.switches):
                written = [*switch.updates, *(request.answer for request in switch.requests)]
                policies = tuple(dict.fromkeys([switch.initial, *(message.policy for message in written)]))
                writable = sorted({policies.index(message.policy) for message in written})
                if written:
                    found.append(TableCell(index, table, policies, tuple(writable)))
    return tuple(found)


def _replaced(values: tuple[_T, ...], index: int, value: _T) -> tuple[_T, ...]:
    return (*values[:index], value, *values[index + 1 :])
