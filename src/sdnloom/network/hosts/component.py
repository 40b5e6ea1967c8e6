"""The component of a host, built from the actions and steps that the host describes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sdnloom.engine.disciplines import Bag, Fifo
from sdnloom.engine.model import NONE, Action, Cell, Channel, Component, Footprint, Message, Mode, Outcome
from sdnloom.network.events import HostMoved, Lost, NetworkRested, Received, Sent
from sdnloom.network.hosts.host import Host, HostStep, HostView
from sdnloom.network.packet import Mpls, Packet
from sdnloom.network.topology.spec import SwitchPort


class HostCore(NamedTuple):
    """The core of a host component: the port that the host is plugged into, and its own state."""

    port: SwitchPort
    state: Any


PORT: frozenset[Cell] = frozenset({"port"})


def ports_of(host: Host, view: HostView) -> tuple[SwitchPort, ...]:
    """Return all ports where the host may be plugged in, beginning with the one of the topology."""
    return tuple(dict.fromkeys((view.me.switch_port, *host.ports())))


def inbox(host: str, port: SwitchPort, ports: Sequence[SwitchPort]) -> str:
    """Return the name of the channel that leads to a host at a port. A host that never moves has one channel."""
    return f"{host}.in" if len(ports) == 1 else f"{host}.in@{port}"


def component_of(host: Host, view: HostView) -> tuple[Component, tuple[Channel, ...]]:
    """Return the component of a host, and the channels on which it sends to itself; its inboxes belong to links."""
    component = _HostComponent(host, view)
    tasks = [Channel(component.todo, host.name, Bag())] if host.works else []
    moves = [Channel(component.rest, host.name, Fifo())] if component.reports_rest else []
    core = HostCore(view.me.switch_port, host.initial(view))
    return Component(host.name, core, component.actions()), (*tasks, *moves)


class _HostComponent:
    def __init__(self, host: Host, view: HostView) -> None:
        self.host, self.view = host, view
        self.ports = ports_of(host, view)
        self.wires = frozenset(f"{port.switch}.in" for port in self.ports)
        self.todo, self.rest = f"{host.name}.todo", f"{host.name}.rest"
        self.reports_rest = view.rest and len(self.ports) > 1
        # The port of a host that never moves is not a cell: nothing writes it.
        self.port_cell = PORT if len(self.ports) > 1 else NONE

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
                cells | self.port_cell,
                cells,
                footprint=self.footprint(Footprint(cells | self.port_cell, cells, sends)),
            )
            for port in self.ports
        ]
        if host.works:
            cells = host.work_cells
            found.append(
                Action("work", self.working, self.todo, self.wires | tasks, cells | self.port_cell, cells, Mode.MUST)
            )
        rest = frozenset({self.rest}) if self.reports_rest else frozenset[str]()
        if self.reports_rest:
            found.append(Action("rest", self.resting, self.rest, reads=NONE, writes=NONE, mode=Mode.IDLE))
        for act in host.acts(view):
            writes = act.cells | (PORT if act.moves else NONE)
            found.append(
                Action(
                    act.name,
                    self.acting(act.step),
                    None,
                    (self.wires if act.sends else frozenset[str]()) | (rest if act.moves else frozenset[str]()),
                    act.cells | self.port_cell,
                    writes,
                    act.mode,
                )
            )
        return tuple(found)

    def receiving(self, port: SwitchPort) -> Callable[[Any, Any], list[Outcome]]:
        def receive(core: HostCore, packet: Any) -> list[Outcome]:
            if core.port != port:
                return [Outcome(core, (), (Lost(port, packet, "moved"),))]
            if _is_labelled(packet):
                return [Outcome(core, (), (Lost(port, packet, "labelled"),), self.port_cell, NONE)]
            steps = self.host.receive(self.view, core.state, packet)
            if _ignored(core, steps):
                return [Outcome(core, (), (Received(self.host.name, packet),), self.port_cell, NONE)]
            return [self.outcome(core, step, (Received(self.host.name, packet),)) for step in steps]

        return receive

    def footprint(self, full: Footprint) -> Callable[[Any, tuple[Any, ...], Any], Footprint]:
        """The footprint of receiving a packet that waits: only the port, if the host ignores it in every state."""
        ignoring = Footprint(self.port_cell, NONE, frozenset())

        def of_packet(core: HostCore, before: tuple[Any, ...], packet: Any) -> Footprint:
            if _is_labelled(packet) or _ignored(core, self.host.receive(self.view, core.state, packet)):
                return ignoring
            return full

        return of_packet

    def working(self, core: HostCore, task: Any) -> list[Outcome]:
        return [self.outcome(core, step) for step in self.host.work(self.view, core.state, task)]

    def acting(self, run: Callable[[HostView, Any], Sequence[HostStep]]) -> Callable[[Any, Any], list[Outcome]]:
        views = {port: replace(self.view, at=port) for port in self.ports}

        def act(core: HostCore, _: None) -> list[Outcome]:
            steps = run(views[core.port], core.state)
            return [self.outcome(core, step) for step in steps if step.port != core.port]

        return act

    def resting(self, core: HostCore, _: None) -> list[Outcome]:
        return [Outcome(core, (), (NetworkRested(self.host.name),))]

    def outcome(self, core: HostCore, step: HostStep, events: tuple[Any, ...] = ()) -> Outcome:
        port = core.port if step.port is None else step.port
        if port != core.port:
            events = (*events, HostMoved(self.host.name, core.port, port))
        sends: list[tuple[str, Message]] = [(f"{port.switch}.in", (port.port, packet)) for packet in step.packets]
        sends += [(self.todo, task) for task in step.tasks]
        if self.reports_rest and port != core.port:
            sends.append((self.rest, "moved"))
        sent = tuple(Sent(self.host.name, packet) for packet in step.packets)
        return Outcome(HostCore(port, step.state), tuple(sends), events + sent, choice=step.choice)


def _is_labelled(packet: Packet) -> bool:
    """Whether a packet carries an MPLS label, which no host reads."""
    return any(isinstance(header, Mpls) for header in packet.headers)


def _ignored(core: HostCore, steps: Sequence[HostStep]) -> bool:
    """Whether a host ignores a packet in this state and in every other."""
    return tuple(steps) == (HostStep(core.state, ignores=True),)
