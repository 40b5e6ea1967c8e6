"""A path of a program of actors as it is shown: a lane for each actor, an arrow for each message."""

from collections.abc import Iterator, Sequence

from sdnloom.actors.actor import Actor
from sdnloom.actors.causes import actor_causes
from sdnloom.actors.network.controller import Controller
from sdnloom.actors.network.host import Host
from sdnloom.actors.network.network import NetworkProgram
from sdnloom.actors.network.packets import NamedPacket
from sdnloom.actors.network.switch import Switch
from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.state import ActorState
from sdnloom.actors.state_view import StateView
from sdnloom.actors.step_words import ArgumentText, TaskSent
from sdnloom.engine.counterexample.message_routes import RoutedMessage, routed_messages
from sdnloom.engine.path import clocks
from sdnloom.engine.semantics import State, Transition
from sdnloom.network import events
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.text import brief_match_words
from sdnloom.network.topology import Topology
from sdnloom.report.actors.names import program_names
from sdnloom.report.actors.state import field_lines, task_texts
from sdnloom.report.actors.value_text import argument_words, effects_words
from sdnloom.report.describe import Names
from sdnloom.report.steps import short_texts, transition_text
from sdnloom.report.view.result_view import (
    CodeView,
    LaneKind,
    LaneState,
    LaneView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)

# Events that a transfer shows already.
_TRANSFERRED = (TaskSent, events.Sent, events.Forwarded, events.ToController)

_EMPTY = ("{}", "set()", "()", "[]", "frozenset()")


def actor_trace(
    program: Program,
    initial: State,
    transitions: Sequence[Transition],
    code: Sequence[tuple[CodeView, ...]] = (),
    length: str = "",
) -> TraceView:
    """The path as it is shown; `code` has the functions that each step ran."""
    names, lanes = program_names(program), _lanes(program)
    semantics = ActorSemantics(program)
    states = {lane.name: _lane_state(semantics, lane.name, state_of(initial), names) for lane in lanes}
    first = dict(states)
    direct = actor_causes(program, transitions)
    sent: dict[int, list[RoutedMessage]] = {}
    for each in routed_messages(transitions):
        sent.setdefault(each.sent, []).append(each)
    short = short_texts(transitions, names)
    steps = []
    for position, (transition, clock) in enumerate(zip(transitions, clocks(transitions, direct), strict=True)):
        after = {lane.name: _lane_state(semantics, lane.name, state_of(transition.state), names) for lane in lanes}
        changes = {name: now for name, now in after.items() if now != states[name]}
        states = after
        message = transition.step.message
        told = [event for event in transition.events if not isinstance(event, _TRANSFERRED)]
        steps.append(
            StepView(
                number=position + 1,
                lane=transition.step.component,
                action=transition.step.action,
                text=short[position],
                long=transition_text(transition, names),
                takes=_taken(message, names),
                effects=tuple(effects_words(told, names)),
                transfers=tuple(_transfers(transition, sent.get(position, []), names)),
                causes=tuple(sorted(cause + 1 for cause in direct[position])),
                clock=clock,
                code=code[position] if position < len(code) else (),
                changes=changes,
                environment=not direct[position],
            )
        )
    return TraceView(lanes, tuple(steps), _wires(program), first, length=length)


def _taken(message: object, names: Names) -> str:
    """The arguments of a task in full, with the names of protocols."""
    return brief_match_words(argument_words(message, names, brief=False)) if isinstance(message, ArgumentText) else ""


def _transfers(transition: Transition, sent: Sequence[RoutedMessage], names: Names) -> Iterator[TransferView]:
    tasks = [event for event in transition.events if isinstance(event, TaskSent)]
    for each in sent:
        task = next((task for task in tasks if _is_sent(task, each)), None)
        if task is None or task.actor == transition.step.component:  # the result of a task, or a message to itself
            continue
        packet = next((value for value in task.arguments.values if isinstance(value, NamedPacket)), None)
        is_packet = packet is not None and task.method == "receive"
        yield TransferView(
            task.actor,
            brief_match_words(f"{task.method}{argument_words(task.arguments, names)}"),
            "packet" if is_packet else "task",
            None if each.received is None else each.received + 1,
            long=f"{task.method}{argument_words(task.arguments, names, brief=False)}",
            packet="" if packet is None else str(packet.name),
            data=encode_packet(packet.packet) if packet is not None and is_packet else b"",
        )


def _is_sent(task: TaskSent, sent: RoutedMessage) -> bool:
    """Whether the event tells of this message; a task without arguments is a message None."""
    return f"{task.actor}.{task.method}" == sent.channel and sent.message in (task.arguments, None)


def _lanes(program: Program) -> tuple[LaneView, ...]:
    order: list[LaneKind] = ["controller", "switch", "actor", "host"]
    found = [LaneView(actor.name, _kind(actor)) for actor in (*program.actors, *program.monitors)]
    return tuple(sorted(found, key=lambda lane: order.index(lane.kind)))


def _kind(actor: Actor) -> LaneKind:
    if isinstance(actor, Controller):
        return "controller"
    return "switch" if isinstance(actor, Switch) else "host" if isinstance(actor, Host) else "actor"


def _lane_state(semantics: ActorSemantics, lane: str, state: ActorState, names: Names) -> LaneState:
    program = semantics.program
    actor = next(each for each in (*program.actors, *program.monitors) if each.name == lane)
    view = StateView(program, PLAIN, state)
    facts = [StateLine(field, text) for field, text in field_lines(actor, view, names) if text not in _EMPTY]
    facts += [StateLine("tasks", text) for text in sorted(task_texts(semantics, state, lane, names))]
    return tuple(facts)


def _wires(program: Program) -> tuple[WireView, ...]:
    """The connections of a network of actors; other programs have none."""
    if not isinstance(program, NetworkProgram) or program.network is None:
        return ()
    return (*_links(program.network.topology), *_control(program))


def _links(topology: Topology) -> Iterator[WireView]:
    for link in topology.links:
        yield WireView(link.a, str(link.a_port), link.b, str(link.b_port))
    for host in topology.hosts:
        yield WireView(host.name, "", host.switch, str(host.port))


def _control(program: Program) -> Iterator[WireView]:
    controllers = [actor.name for actor in program.actors if isinstance(actor, Controller)]
    switches = [actor.name for actor in program.actors if isinstance(actor, Switch)]
    for controller in controllers:
        yield from (WireView(controller, "", switch, "", control=True) for switch in switches)
