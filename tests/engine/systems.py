"""Small random systems with correct declarations that cover every discipline, mode and kind of property.

A step is a random table over exactly what its action declares to read, and changes exactly what it declares to write.
Some actions do less for some kinds of messages and say so in their footprint, and some do less in some cores and say so
in their outcomes.
Every space is finite: a message carries fuel, what a reception sends carries less (or, in a cyclic system, is one
message with as much), and an action that takes nothing and sends has a budget in a cell of its own.
"""

import random
import zlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from sdnloom.engine.disciplines import Bag, BarrierBag, Fifo, Lossy, Ports, Reorder
from sdnloom.engine.model import (
    ALL,
    Action,
    Channel,
    Component,
    Discipline,
    Fault,
    Footprint,
    Mode,
    Needs,
    Outcome,
    Property,
    System,
)
from sdnloom.engine.stable_text import stable_text

REDUCIBLE = frozenset(Needs) - {Needs.STATE}
DISCIPLINES = (
    "fifo",
    "bag",
    "lossy fifo",
    "lossy bag",
    "lossy ports",
    "reorder",
    "ports",
    "declared ports",
    "barriers",
)
_PORTED = ("lossy ports", "ports", "declared ports")


def is_barrier(message: Any) -> bool:
    """Messages are (kind, fuel); kind 1 is a barrier where a channel knows barriers."""
    return bool(message[0] == 1)


@dataclass
class Plan:
    """An action as the generator plans it."""

    component: str
    name: str
    take: str | None
    mode: Mode
    sends: list[str] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)  # places of the cells in the core
    writes: list[int] = field(default_factory=list)
    all_reads: bool = False
    all_writes: bool = False
    budget: int | None = None  # the place of the cell that counts down
    accepts: int | None = None  # the only kind of message it takes
    kinds: dict[int, tuple[list[int], list[int], list[str]]] | None = None  # by kind: reads, writes, sends
    peeks: bool = False  # where the first cell it reads is 0 it reads no other, and writes one cell at most


@dataclass(frozen=True, eq=False)
class Table:
    """A step that looks up its outcomes in a table, which is drawn on demand."""

    seed: str
    plan: Plan
    ports: dict[str, tuple[str, ...]]  # channel -> the ports that this component may use there
    cyclic: bool
    memo: dict[Any, tuple[Any, ...]] = field(default_factory=dict)

    def __call__(self, core: tuple[int, ...], message: Any) -> list[Outcome]:
        plan = self.plan
        if plan.budget is not None and core[plan.budget] == 0:
            return []
        if plan.accepts is not None and kind_of(message) != plan.accepts:
            return []
        reads, writes, channels = plan.reads, plan.writes, plan.sends
        if plan.kinds is not None:
            kinds = sorted(kinds_of(message))
            reads, writes, channels = (
                [one for one in every if any(one in plan.kinds[kind][what] for kind in kinds)]
                for what, every in enumerate((reads, writes, channels))
            )
        if plan.peeks and reads and core[reads[0]] == 0:
            reads, writes = reads[:1], writes[:1]
        read = tuple(core) if plan.all_reads else tuple(core[place] for place in reads)
        key = (read, message)
        if key not in self.memo:
            self.memo[key] = self._draw(random.Random(f"{self.seed}/{key!r}"), message, writes, channels)
        results = []
        own = () if plan.budget is None else (plan.budget,)
        for number, (values, sends, events) in enumerate(self.memo[key]):
            after = list(core)
            for place, value in zip(writes, values, strict=True):
                after[place] = value
            if plan.budget is not None:
                after[plan.budget] -= 1
            told = plan.kinds is not None or plan.peeks
            results.append(
                Outcome(
                    tuple(after),
                    sends,
                    events,
                    cells(*reads, *own) if told and not plan.all_reads else None,
                    cells(*writes, *own) if told and not plan.all_writes else None,
                    choice=f"choice {number}" if number else "",
                )
            )
        return results

    def footprint(self, core: Any, before: tuple[Any, ...], message: Any) -> Footprint:
        """The footprint of the step for a message, or a part of one."""
        assert self.plan.kinds is not None
        reads, writes, sends = self.plan.kinds[next(iter(kinds_of(message)))]
        own = () if self.plan.budget is None else (self.plan.budget,)
        return Footprint(
            ALL if self.plan.all_reads else cells(*reads, *own),
            ALL if self.plan.all_writes else cells(*writes, *own),
            frozenset(sends),
        )

    def _draw(self, rng: random.Random, message: Any, writes: list[int], channels: list[str]) -> tuple[Any, ...]:
        plan = self.plan
        outcomes = []
        refusing = 4 if plan.accepts is None else 1
        for _ in range(rng.choices((0, 1, 2), (refusing, 10, 1))[0]):
            values = tuple(rng.randrange(2) for _ in writes)
            if plan.take is None:
                fuel, many = 2, rng.choice((1, 1, 1, 2))
            else:
                fuel, many = fuel_of(message), rng.choice((0, 1, 1, 2))
            if self.cyclic and plan.take is not None and channels and rng.random() < 0.4:
                fuel, many = fuel + 1, 1  # pass it on
                kept = fuel - 1
            else:
                kept = rng.randrange(fuel) if fuel else 0
            sends = []
            for _ in range(many if fuel and channels else 0):
                channel, sent = rng.choice(channels), (rng.randrange(2), kept)
                ports = self.ports.get(channel)
                sends.append((channel, (rng.choice(ports), sent) if ports else sent))
            events = [(plan.component, plan.name, rng.randrange(2)) for _ in range(rng.choice((0, 1, 1, 2)))]
            outcomes.append((values, tuple(sends), tuple(events)))
        return tuple(outcomes)


def cells(*places: int) -> frozenset[str]:
    """The names of the cells at these positions of a core."""
    return frozenset(f"cell {place}" for place in places)


def kinds_of(message: Any) -> set[int]:
    """The kinds in a message, in the heads of one with several, or in one part (port, (kind, fuel))."""
    if isinstance(message[0], tuple):
        return {int(kind) for _, (kind, _) in message}
    return {int(message[1][0] if isinstance(message[1], tuple) else message[0])}


def kind_of(message: Any) -> int:
    """The kind of a message as it is received, of the first head where there are several."""
    return int(message[0][1][0] if isinstance(message[0], tuple) else message[0])


def fuel_of(message: Any) -> int:
    """The most fuel in a message as it is received: (kind, fuel), or the heads ((port, (kind, fuel)), ...)."""
    if isinstance(message[0], tuple):
        return max(fuel for _, (_, fuel) in message)
    return int(message[1])


def random_system(seed: int, *, cyclic: bool | None = None, needs: Collection[Needs] = frozenset(Needs)) -> System:
    """The system of this seed, with properties of the given needs; `cyclic` None draws whether it may run for ever."""
    rng = random.Random(f"system {seed}")
    if cyclic is None:
        cyclic = rng.random() < 0.4
    names = "ABCD"[: rng.choice((1, 2, 2, 2, 3, 3))]
    kinds = [rng.choice(DISCIPLINES) for _ in range(rng.choice((0, 1, 1, 1, 2, 2)))]
    receivers = {f"c{number}": rng.choice(names) for number in range(len(kinds))}
    plans = _plans(rng, names, receivers)
    shared = {name: rng.choice((1, 2, 3, 3)) for name in names}
    for plan in plans:
        _footprint(rng, plan, shared[plan.component])
    _narrow(random.Random(f"narrow {seed}"), plans)
    sizes = dict(shared)
    initial = {name: [0] * shared[name] for name in names}
    for plan in plans:
        if plan.take is None and (plan.sends or not cyclic):
            plan.budget = sizes[plan.component]
            sizes[plan.component] += 1
            initial[plan.component].append(rng.choice((1, 1, 1, 2)))
    ports = {
        channel: {name: (name,) if rng.random() < 0.7 else (name, f"{name}'") for name in names}
        for channel, kind in zip(receivers, kinds, strict=True)
        if kind in _PORTED
    }
    channels = []
    for channel, kind in zip(receivers, kinds, strict=True):
        senders = {plan.component for plan in plans if channel in plan.sends}
        pairs = [(name, port) for name in sorted(senders) for port in ports.get(channel, {}).get(name, ())]
        channels.append(Channel(channel, receivers[channel], _discipline(rng, kind, tuple(pairs))))
    components = tuple(
        Component(
            name,
            tuple(initial[name]),
            tuple(_action(seed, plan, sizes[name], ports, cyclic) for plan in plans if plan.component == name),
        )
        for name in names
    )
    system = System(components, tuple(channels))
    count = rng.choice((0, 1, 1, 2, 3)) if needs else 0
    kinds_of_need = sorted(needs, key=lambda need: need.value)
    properties = tuple(_property(rng, system, f"p{number}", rng.choice(kinds_of_need)) for number in range(count))
    return replace(system, properties=properties)


def _plans(rng: random.Random, names: str, receivers: dict[str, str]) -> list[Plan]:
    plans: list[Plan] = []

    def add(component: str, take: str | None, weights: tuple[int, int, int]) -> None:
        number = sum(plan.component == component for plan in plans)
        mode = rng.choices((Mode.MUST, Mode.MAY, Mode.IDLE), weights)[0]
        plans.append(Plan(component, f"a{number}", take, mode))

    for channel, receiver in receivers.items():
        takers = rng.choice((1, 2, 2))
        picky = rng.random() < 0.6
        for number in range(takers):
            add(receiver, channel, (8, 2, 1))
            if picky:
                plans[-1].accepts = number
    for _ in range(rng.choice((1, 2, 3, 3))):
        add(rng.choice(names), None, (8, 2, 1))
    sources = [plan for plan in plans if plan.take is None]
    for channel in receivers:
        rng.choice(sources).sends.append(channel)
        for _ in range(rng.choice((0, 1, 1, 2))):
            plan = rng.choice(plans)
            if channel not in plan.sends:
                plan.sends.append(channel)
    return plans


def _footprint(rng: random.Random, plan: Plan, cells: int) -> None:
    places = range(cells)
    plan.all_reads, plan.all_writes = rng.random() < 0.15, rng.random() < 0.1
    plan.reads = sorted(rng.sample(places, min(cells, rng.choice((0, 1, 1, 2)))))
    plan.writes = sorted(rng.sample(places, min(cells, rng.choice((0, 1, 1, 2)))))


def _narrow(rng: random.Random, plans: list[Plan]) -> None:
    """Narrow the footprints of some actions for some messages and cores."""

    def some(values: list[Any]) -> list[Any]:
        return [value for value in values if rng.random() < 0.6]

    for plan in plans:
        plan.peeks = rng.random() < 0.3
        if plan.take is not None and rng.random() < 0.5:
            plan.kinds = {kind: (some(plan.reads), some(plan.writes), some(plan.sends)) for kind in (0, 1)}


def _action(seed: int, plan: Plan, cells: int, ports: dict[str, dict[str, tuple[str, ...]]], cyclic: bool) -> Action:
    own = () if plan.budget is None else (plan.budget,)
    reads = ALL if plan.all_reads else frozenset(f"cell {place}" for place in (*plan.reads, *own))
    writes = ALL if plan.all_writes else frozenset(f"cell {place}" for place in (*plan.writes, *own))
    mine = {channel: by_sender[plan.component] for channel, by_sender in ports.items()}
    step = Table(f"{seed}/{plan.component}/{plan.name}", plan, mine, cyclic)
    footprint = None if plan.kinds is None else step.footprint
    return Action(plan.name, step, plan.take, frozenset(plan.sends), reads, writes, plan.mode, footprint)


def _discipline(rng: random.Random, kind: str, senders: tuple[tuple[str, str], ...]) -> Discipline:
    drop, duplicate = rng.choice(((1, 0), (1, 0), (0, 1), (1, 1)))
    made: dict[str, Discipline] = {
        "fifo": Fifo(),
        "bag": Bag(),
        "lossy fifo": Lossy(drop, duplicate),
        "lossy bag": Lossy(drop, duplicate, Bag()),
        "lossy ports": Lossy(drop, duplicate, Ports(senders)),
        "reorder": Reorder(rng.choice((1, 2))),
        "ports": Ports(),
        "declared ports": Ports(senders),
        "barriers": BarrierBag(is_barrier),
    }
    return made[kind]


# Properties. Folds are classes, so that a system is plain data and two generations of it are easy to compare.


@dataclass(frozen=True)
class Count:
    """Counts events of one action, or faults of one channel, up to a maximum. It commutes."""

    what: Any
    most: int

    def __call__(self, memory: int, event: Any) -> int:
        return min(memory + (source_of(event) == self.what), self.most)


@dataclass(frozen=True)
class Automaton:
    """A random automaton over the events of some sources; it does not commute."""

    seed: int
    sources: frozenset[Any]

    def __call__(self, memory: int, event: Any) -> int:
        if source_of(event) not in self.sources:
            return memory
        return zlib.crc32(f"{self.seed}/{memory}/{event!r}".encode()) // 7 % 5


@dataclass(frozen=True)
class Says:
    """A predicate that is violated for one in `rarity` values, or when the memory is at a limit."""

    limit: int | None = None
    rarity: int = 3
    sees_memory: bool = False

    def __call__(self, memory: Any, columns: Any) -> str | None:
        if self.limit is not None:
            return "limit reached" if memory == self.limit else None
        text = stable_text((memory if self.sees_memory else None, dict(columns)))
        return text if zlib.crc32(text.encode()) // 7 % self.rarity == 0 else None


def source_of(event: Any) -> Any:
    """The action that an event is of, or the channel of a fault."""
    return event.channel if isinstance(event, Fault) else event[:2]


def _property(rng: random.Random, system: System, name: str, needs: Needs) -> Property:
    sometimes = rng.random() < 0.2
    actions = [(component.name, action.name) for component in system.components for action in component.actions]
    faulty = [c.name for c in system.channels if isinstance(c.discipline, Lossy | Reorder)]
    columns = tuple(rng.sample([*(c.name for c in system.components), *(c.name for c in system.channels)], 1))
    if needs is Needs.EVENT or (needs is not Needs.ORDER and rng.random() < 0.3):
        most = rng.choice((1, 1, 2))
        fold = Count(rng.choice(actions + faulty), most)
        return Property(name, needs, Says(most), fold=fold, initial=0, sometimes=sometimes)
    if needs is Needs.ORDER or rng.random() < 0.3:
        watches = frozenset(rng.sample(actions, min(len(actions), rng.choice((2, 2, 3)))))
        seen = frozenset(c for c in faulty if _users(system, c) <= watches)
        automaton = Automaton(rng.randrange(1000), watches | seen)
        return Property(name, needs, Says(sees_memory=True), watches, automaton, 0, sometimes=sometimes)
    rarity = 12 if needs is Needs.STATE else 3
    return Property(name, needs, Says(rarity=rarity), columns=columns, sometimes=sometimes)


def _users(system: System, channel: str) -> set[tuple[str, str]]:
    return {
        (component.name, action.name)
        for component in system.components
        for action in component.actions
        if channel in action.sends or action.take == channel
    }


@dataclass(frozen=True)
class History:
    """The multiset of events so far, each counted up to a maximum. It commutes."""

    most: int

    def __call__(self, memory: frozenset[Any], event: Any) -> frozenset[Any]:
        count = next((count for known, count in memory if known == event), 0)
        return memory if count == self.most else memory - {(event, count)} | {(event, count + 1)}


def silent(memory: Any, columns: Any) -> None:
    """A property that never reports anything."""


def with_history(system: System, most: int) -> System:
    """The system with one more property whose memory keeps every event, so that quiescent states contain them."""
    history = Property("history", Needs.QUIESCENT, silent, fold=History(most), initial=frozenset())
    return replace(system, properties=(*system.properties, history))


def systems(**knobs: Any) -> st.SearchStrategy[System]:
    """Random systems as a Hypothesis strategy."""
    return st.builds(lambda seed: random_system(seed, **knobs), st.integers(0, 2**32 - 1))


def seeds(share: int, shares: int, total: int) -> range:
    """One of `shares` equal parts of the seeds 0 to total - 1, so that workers can split the work."""
    return range(share, total, shares)
