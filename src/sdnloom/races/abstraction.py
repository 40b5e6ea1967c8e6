"""States that forget everything that no later race depends on, and their steps.

What definitions 5 to 7 ask of the past of a trace is little, so states of finite traces of any length fall together:

- CT->SW needs that the switch's last activity was forwarding. A big switch can always forward, so in complete mode
  every update of it has this race, one event later.
- CT->SW<-CT needs the last update of the switch while its sender has been idle since, and that the controller that
  updates it next does not know of it. CT->CT->SW needs the same of the controller that reconfigures the sender.

Clocks are asymmetric: an element knows of an update if it is the sender or the switch, or has received from one that
knows. RaceLoom's mode also remembers forwarding and who acted first, which decides between two races of one event.
Tables are left out: no step depends on them, it only writes them.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from sdnloom.netkat.syntax import Policy
from sdnloom.races.behaviour import Abilities, Emission, Local, Processing, Reception, Tables, behaviours
from sdnloom.races.model import BigSwitch, Message, Model, Role
from sdnloom.races.properties import RaceType
from sdnloom.races.trace import Processed, Reconfigured
from sdnloom.races.truth import Cell

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Update:
    """The last update of a switch while its sender is idle; `knows` has a bit for each element that knows of it."""

    label: Reconfigured
    table: int | None
    knows: int


class Control(NamedTuple):
    """An abstract state without its tables. Places are those of the elements; what does not apply is None or 0."""

    locals: tuple[int, ...]
    updates: tuple[Update | None, ...]
    processed: tuple[Tables | None, ...]  # what a switch last forwarded with, if it did nothing since; () for a network
    sourced: int = 0
    earlier: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """A race that a step completes. `first` is the label of its first event; None is forwarding with current tables.

    It is harmful if a property tells `before` from `after`, policies of a switch given by a term, or, for a big switch,
    the current tables from those with the policy at `table`.
    """

    kind: RaceType
    switch: int
    first: Processed | Reconfigured | None
    policy: Policy
    table: int | None = None
    before: Policy | None = None
    forwards_first: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A transition of the abstract state; `cell` and `value` are what it writes, if anything."""

    label: Reconfigured | Processed
    target: Control
    checks: tuple[Check, ...] = ()
    table: int | None = None
    cell: int | None = None
    value: int = 0


@dataclass(frozen=True, slots=True)
class _Communication:
    label: Reconfigured
    sender_then: int
    receiver_then: int
    table: int | None


class Abstraction:
    """The abstract transition system of a model, in complete or in RaceLoom's mode."""

    def __init__(self, model: Model, first_race_only: bool) -> None:
        self.model = model
        self._first_race_only = first_race_only
        self._behaviours = behaviours(model)
        self.first_tables = tuple(behaviour.tables for behaviour in self._behaviours)
        self._roles = [element.role for element in model.elements]
        self._controllers = sum(1 << place for place, role in enumerate(self._roles) if role is Role.CONTROLLER)
        self._big = [isinstance(element, BigSwitch) for element in model.elements]
        self.cells = _cells(model)
        self._cell_of = {(cell.element, cell.table): level for level, cell in enumerate(self.cells)}
        self._value_of = [{policy: value for value, policy in enumerate(cell.policies)} for cell in self.cells]
        self._ids: list[dict[Local, int]] = [{} for _ in model.elements]
        self._locals: list[list[Local]] = [[] for _ in model.elements]
        self._receptions: dict[tuple[int, int], dict[Message, list[Reception]]] = {}
        self._communications: dict[tuple[int, ...], tuple[_Communication, ...]] = {}
        self._steps: dict[Control, tuple[Step, ...]] = {}

    def initial(self) -> Control:
        """Return the first abstract state."""
        count = len(self._roles)
        local = tuple(self._id(place, behaviour.initial) for place, behaviour in enumerate(self._behaviours))
        nothing = (None,) * count
        return Control(local, nothing, nothing, 0, (0,) * count if self._first_race_only else ())

    def steps(self, control: Control) -> tuple[Step, ...]:
        """Return the steps in a fixed order: by acting element, then as the model lists them."""
        known = self._steps.get(control)
        if known is None:
            found = list(self._processing_steps(control))
            found += [self._communication_step(control, one) for one in self._all_communications(control.locals)]
            known = self._steps[control] = tuple(found)
        return known

    def _id(self, place: int, local: Local) -> int:
        ids = self._ids[place]
        if local not in ids:
            ids[local] = len(ids)
            self._locals[place].append(local)
        return ids[local]

    def _abilities(self, place: int, local: int) -> Abilities:
        return self._behaviours[place].abilities(self._locals[place][local])

    def _received(self, place: int, local: int) -> dict[Message, list[Reception]]:
        key = (place, local)
        if key not in self._receptions:
            found: dict[Message, list[Reception]] = {}
            for reception in self._abilities(place, local).receptions:
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
                label = Reconfigured(message.channel, message.policy, sender, receiver)
                then = self._id(sender, emission.then), self._id(receiver, reception.then)
                found.append(_Communication(label, *then, reception.table))
        return found

    def _processing_steps(self, control: Control) -> list[Step]:
        found: list[Step] = []
        for place, state in enumerate(control.locals):
            if self._big[place] and not self._first_race_only:
                continue  # changes nothing that a check would not take for granted
            able = self._abilities(place, state)
            found += [self._processing_step(control, place, one) for one in able.processings]
        return found

    def _processing_step(self, control: Control, place: int, processing: Processing) -> Step:
        tables = () if processing.policy is None else (processing.policy,)
        local = _replaced(control.locals, place, self._id(place, processing.then))
        processed = control.processed
        if self._roles[place] is Role.SWITCH:
            processed = _replaced(processed, place, tables)
        updates = tuple(
            None if update is not None and update.label.sender == place else update for update in control.updates
        )
        sourced, earlier = self._acted(control, place)
        return Step(Processed(place, tables), Control(local, updates, processed, sourced, earlier))

    def _communication_step(self, control: Control, one: _Communication) -> Step:
        sender, receiver = one.label.sender, one.label.receiver
        local = list(control.locals)
        local[sender], local[receiver] = one.sender_then, one.receiver_then
        sourced, earlier = self._acted(control, sender)
        target = Control(
            tuple(local),
            self._known_updates(control, one),
            tuple(None if place in (sender, receiver) else tables for place, tables in enumerate(control.processed)),
            sourced,
            earlier,
        )
        checks = self._checks(control, one) if self._roles[sender] is Role.CONTROLLER else ()
        cell = None if one.table is None else self._cell_of[receiver, one.table]
        value = 0 if cell is None else self._value_of[cell][one.label.policy]
        return Step(one.label, target, checks, one.table, cell, value)

    def _known_updates(self, control: Control, one: _Communication) -> tuple[Update | None, ...]:
        sender, receiver = one.label.sender, one.label.receiver
        found: list[Update | None] = []
        for place, update in enumerate(control.updates):
            if place == receiver and self._roles[receiver] is Role.SWITCH:
                fresh = Update(one.label, one.table, 1 << sender | 1 << receiver)
                found.append(fresh if self._roles[sender] is Role.CONTROLLER else None)
            elif update is None or update.label.sender in (sender, receiver):
                found.append(None)
            elif update.knows >> sender & 1 and not update.knows >> receiver & 1:
                found.append(Update(update.label, update.table, update.knows | 1 << receiver))
            else:
                found.append(update)
        return tuple(found)

    def _acted(self, control: Control, place: int) -> tuple[int, tuple[int, ...]]:
        """Return who has started an event, and for each switch which controllers did so before it."""
        sourced, earlier = control.sourced, control.earlier
        if not self._first_race_only or sourced >> place & 1:
            return sourced, earlier
        if self._roles[place] is Role.SWITCH:
            earlier = _replaced(earlier, place, sourced & self._controllers)
        sourced |= 1 << place
        # Once every switch has acted, nobody asks any more.
        everyone = (1 << len(self._roles)) - 1
        return everyone if sourced | self._controllers == everyone else sourced, earlier

    def _checks(self, control: Control, one: _Communication) -> tuple[Check, ...]:
        sender, receiver, policy = one.label.sender, one.label.receiver, one.label.policy
        if self._roles[receiver] is Role.CONTROLLER:
            return tuple(
                self._update_check(RaceType.CT_CT_SW, place, update, policy, update.table)
                for place, update in enumerate(control.updates)
                if update is not None and update.label.sender == receiver and not update.knows >> sender & 1
            )
        checks: list[Check] = []
        processed = control.processed[receiver]
        if self._big[receiver]:
            if processed is not None or not self._first_race_only:
                first = not self._first_race_only
                checks.append(Check(RaceType.CT_SW, receiver, None, policy, one.table, forwards_first=first))
        elif processed is not None:
            label = Processed(receiver, processed)
            checks.append(Check(RaceType.CT_SW, receiver, label, policy, before=processed[0]))
        update = control.updates[receiver]
        if update is not None and not update.knows >> sender & 1:
            checks.append(self._update_check(RaceType.CT_SW_CT, receiver, update, policy, one.table))
            if self._first_race_only and control.earlier[receiver] >> update.label.sender & 1:
                checks.reverse()
        return tuple(checks)

    def _update_check(self, kind: RaceType, switch: int, update: Update, policy: Policy, table: int | None) -> Check:
        if self._big[switch]:
            return Check(kind, switch, update.label, policy, table)
        return Check(kind, switch, update.label, policy, before=update.label.policy)


def _cells(model: Model) -> tuple[Cell, ...]:
    """Return the tables that some message may replace."""
    found: list[Cell] = []
    for place, element in enumerate(model.elements):
        if isinstance(element, BigSwitch):
            for table, switch in enumerate(element.switches):
                written = [*switch.updates, *(request.answer for request in switch.requests)]
                policies = tuple(dict.fromkeys([switch.initial, *(message.policy for message in written)]))
                writable = sorted({policies.index(message.policy) for message in written})
                if written:
                    found.append(Cell(place, table, policies, tuple(writable)))
    return tuple(found)


def _replaced(values: tuple[_T, ...], place: int, value: _T) -> tuple[_T, ...]:
    return (*values[:place], value, *values[place + 1 :])
