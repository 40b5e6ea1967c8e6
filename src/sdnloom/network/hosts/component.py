"""Hosts as components: a host's plain description becomes actions, channels, cells and events."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sdnloom.engine.disciplines import Bag, Fifo
from sdnloom.engine.model import NONE, Action, Cell, Channel, Component, Footprint, Message, Mode, Outcome
from sdnloom.network.events import HostMoved, Lost, NetworkRested, Received, Sent
from sdnloom.network.hosts.host import Host, HostStep, HostView
from sdnloom.network.topology.spec import SwitchPort


class HostCore(NamedTuple):
    """The core of a host: where it is, and its own state."""

    port: SwitchPort
    state: Any


PORT: frozenset[Cell] = frozenset({"port"})


def ports_of(host: Host, view: HostView) -> tuple[SwitchPort, ...]:
    """Return all ports where the host may be, the first one first."""
    return tuple(dict.fromkeys((view.me.switch_port, *host.ports())))


def inbox(host: str, port: SwitchPort, ports: Sequence[SwitchPort]) -> str:
    """Return the name of the channel that leads to a host at a port; a host that never moves has one."""
    return f"{host}.in" if len(ports) == 1 else f"{host}.in@{port}"


def component_of(host: Host, view: HostView) -> tuple[Component, tuple[Channel, ...]]:
    """Return the host as a component, and the channels that it sends to itself on; its inboxes are links."""
    maker = _Maker(host, view)
    tasks = [Channel(maker.todo, host.name, Bag())] if host.works else []
    moves = [Channel(maker.rest, host.name, Fifo())] if maker.rests else []
    core = HostCore(view.me.switch_port, host.initial(view))
    return Component(host.name, core, maker.actions()), (*tasks, *moves)


class _Maker:
    def __init__(self, host: Host, view: HostView) -> None:
        self.host, self.view = host, view
        self.ports = ports_of(host, view)
        self.wires = frozenset(f"{port.switch}.in" for port in self.ports)
        self.todo, self.rest = f"{host.name}.todo", f"{host.name}.rest"
        self.rests = view.rest and len(self.ports) > 1
        # The port of a host that never moves is not a cell: nothing writes it.
        self.where = PORT if len(self.ports) > 1 else NONE

    def actions(self) -> tuple[Action, ...]:
        host, view = self.host, self.view
        tasks = frozenset({self.todo}) if host.works else frozenset[str]()
        cells, sends = host.receive_cells, (self.wires if host.answers_at_once else frozenset[str]()) | tasks
        found = [
            Action(
                "receive" if len(self.ports) == 1 else f"receive at {port}",
                self.receiving(port),
                inbox(host.name, port, self.ports),
                sends,
                cells | self.where,
                cells,
                footprint=self.foreseeing(Footprint(cells | self.where, cells, sends)),
            )
            for port in self.ports
        ]
        if host.works:
            cells = host.work_cells
            found.append(
                Action("work", self.working, self.todo, self.wires | tasks, cells | self.where, cells, Mode.MUST)
            )
        restless = frozenset({self.rest}) if self.rests else frozenset[str]()
        if self.rests:
            found.append(Action("rest", self.resting, self.rest, reads=NONE, writes=NONE, mode=Mode.IDLE))
        for act in host.acts(view):
            writes = act.cells | (PORT if act.moves else NONE)
            found.append(
                Action(
                    act.name,
                    self.acting(act.step),
                    None,
                    (self.wires if act.sends else frozenset[str]()) | (restless if act.moves else frozenset[str]()),
                    act.cells | self.where,
                    writes,
                    act.mode,
                )
            )
        return tuple(found)

    def receiving(self, port: SwitchPort) -> Callable[[Any, Any], list[Outcome]]:
        def receive(core: HostCore, packet: Any) -> list[Outcome]:
            if core.port != port:
                return [Outcome(core, (), (Lost(port, packet, "moved"),))]
            doings = self.host.receive(self.view, core.state, packet)
            if _ignored(core, doings):
                return [Outcome(core, (), (Received(self.host.name, packet),), self.where, NONE)]
            return [self.outcome(core, doing, (Received(self.host.name, packet),)) for doing in doings]

        return receive

    def foreseeing(self, heeded: Footprint) -> Callable[[Any, tuple[Any, ...], Any], Footprint]:
        """What receiving a packet that waits may do: nothing, if it is ignored now and so in any state."""
        unheeded = Footprint(self.where, NONE, frozenset())

        def foresee(core: HostCore, before: tuple[Any, ...], packet: Any) -> Footprint:
            return unheeded if _ignored(core, self.host.receive(self.view, core.state, packet)) else heeded

        return foresee

    def working(self, core: HostCore, task: Any) -> list[Outcome]:
        return [self.outcome(core, doing) for doing in self.host.work(self.view, core.state, task)]

    def acting(self, step: Callable[[HostView, Any], Sequence[HostStep]]) -> Callable[[Any, Any], list[Outcome]]:
        views = {port: replace(self.view, at=port) for port in self.ports}

        def act(core: HostCore, _: None) -> list[Outcome]:
            doings = step(views[core.port], core.state)
            return [self.outcome(core, doing) for doing in doings if doing.port != core.port]

        return act

    def resting(self, core: HostCore, _: None) -> list[Outcome]:
        return [Outcome(core, (), (NetworkRested(self.host.name),))]

    def outcome(self, core: HostCore, doing: HostStep, events: tuple[Any, ...] = ()) -> Outcome:
        port = core.port if doing.port is None else doing.port
        if port != core.port:
            events = (*events, HostMoved(self.host.name, core.port, port))
        sends: list[tuple[str, Message]] = [(f"{port.switch}.in", (port.port, packet)) for packet in doing.packets]
        sends += [(self.todo, task) for task in doing.tasks]
        if self.rests and port != core.port:
            sends.append((self.rest, "moved"))
        sent = tuple(Sent(self.host.name, packet) for packet in doing.packets)
        return Outcome(HostCore(port, doing.state), tuple(sends), events + sent, choice=doing.choice)


def _ignored(core: HostCore, doings: Sequence[HostStep]) -> bool:
    """Whether a host does nothing about a packet and says that it never would."""
    return tuple(doings) == (HostStep(core.state, ignores=True),)
