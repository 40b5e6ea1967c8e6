"""The classes of packets at one port of a network in one of its states, for `sdnloom inputs`.

A rewritten twin of the program is explored. Every witness also runs on the original, from the same state, and must take
the same lines and react in the same way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdnloom.check.run import Run
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Restart, System
from sdnloom.engine.path import Path, final_state, replay
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.stop_points import limits_in_force
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.concolic import ConcolicClass, ConcolicClasses, ConcolicExplorer, ConcolicOptions, message_with
from sdnloom.inputs.explorable import explorable
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.flow_tables import packet_in_template
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.statistics import STATISTICS, port_reply
from sdnloom.network.build import switch_config
from sdnloom.network.network import Network
from sdnloom.network.openflow import PacketIn, PortStatsReply
from sdnloom.network.program import Preparable, Program, capability
from sdnloom.network.switch import SwitchCore
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.platforms.explorable import RewrittenProgram
from sdnloom.platforms.line_trace import line_trace
from sdnloom.symbolic.execution import Site
from sdnloom.symbolic.path_search import PathRun

CONFIRMING = 5.0  # seconds after the time limit


@dataclass(frozen=True)
class SurveyEntry:
    """A class, and how the original program deviates from the prediction; "" if it does not."""

    found: ConcolicClass
    difference: str = ""


@dataclass(frozen=True)
class Survey:
    """The classes at a port, without those that the program does not tell from an earlier one."""

    program: str
    port: SwitchPort
    classes: tuple[SurveyEntry, ...]
    repeated: int
    answers: tuple[ConcolicClasses, ...]
    robust: bool = False
    about: str = "packets"  # of which the classes are, or "statistics"
    missing: tuple[str, ...] = ()  # what a limit left out

    @property
    def gaps(self) -> tuple[str, ...]:
        """Why there may be other classes."""
        return tuple(dict.fromkeys([*(gap for answer in self.answers for gap in answer.gaps), *self.missing]))

    @property
    def divergences(self) -> tuple[str, ...]:
        """Runs that differ from the prediction."""
        during = [str(each) for answer in self.answers for each in answer.exploration.divergences]
        return (*during, *(each.difference for each in self.classes if each.difference))

    @property
    def concretised(self) -> dict[Site, int]:
        """Places where a value was concretised, and how often."""
        found: dict[Site, int] = {}
        for answer in self.answers:
            for site, times in answer.exploration.concretised:
                found[site] = found.get(site, 0) + times
        return found

    @property
    def complete(self) -> bool:
        """Whether these are all classes, and all as predicted."""
        return not self.gaps and not self.divergences

    @property
    def paths(self) -> int:
        """How often a handler ran."""
        return sum(answer.exploration.statistics.paths for answer in self.answers)


def survey(
    run: Run,
    port: SwitchPort,
    path: Path | None,
    skeletons: Sequence[Skeleton],
    means: ConcolicOptions,
    watch: LimitWatch | None = None,
    on_run: Callable[[HandlerQuestion, PathRun], None] | None = None,
) -> Survey:
    """The classes of packets that come in at a port after the steps of a path, from the start if there is none.

    At a limit of the watch it ends with the classes found so far. They are confirmed within CONFIRMING seconds more.
    """
    watch = watch or LimitWatch(Limits())
    network, program = run.scenario.network, run.program
    network.topology.check_port(port)
    with watch.in_force():
        with watch.during("during the start-up"):
            twin = explorable(program)
            if path is None:
                systems = run.build_unchecked(twin), run.build_unchecked(program)
            else:
                systems = run.build(twin), run.system
            core, switch = state_after(systems[0], port, path)
            original, _ = state_after(systems[1], port, path)
        explorer = ConcolicExplorer(twin, means, on_run)
        answers, classes, missing = list[ConcolicClasses](), list[SurveyEntry](), list[str]()
        repeated = unconfirmed = 0
        for skeleton in skeletons:
            message = message_at(network, switch, port, skeleton)
            if (reason := watch.reason_to_stop()) is not None:
                missing.append(f"{skeleton.stack.name}: not explored, {reason}")
                continue
            answer = explorer.explore(HandlerQuestion(core, port.switch, message, skeleton))
            answers.append(answer)
            for one in answer.classes:
                if watch.left < -CONFIRMING:
                    unconfirmed += 1
                    continue
                with limits_in_force(None):  # what was found is reported
                    if any(one.repeats(other.found) for other in classes):
                        repeated += 1
                    else:
                        classes.append(SurveyEntry(one, _difference(one, program, original, twin)))
    if unconfirmed:
        missing.append(f"{unconfirmed} found last, for which no time was left to confirm them")
    about = STATISTICS if {each.stack.name for each in skeletons} == {STATISTICS} else Survey.about
    return Survey(
        program.name, port, tuple(classes), repeated, tuple(answers), means.robust, about, missing=tuple(missing)
    )


def state_after(system: System, port: SwitchPort, path: Path | None) -> tuple[object, SwitchCore]:
    """The cores of the program and of the switch after the steps of a path."""
    semantics = Semantics(system)
    state = final_state(semantics, replay(semantics, path)) if path is not None else semantics.initial()
    controller, switch = semantics.column("controller", state), semantics.column(port.switch, state)
    return controller.program, switch.core


def message_at(network: Network, core: SwitchCore, port: SwitchPort, skeleton: Skeleton) -> PacketIn | PortStatsReply:
    if skeleton.stack.name == STATISTICS:
        return port_reply(port)
    config = switch_config(network.topology.switch(port.switch), network.switches)
    message = packet_in_template(config, core, port.port, skeleton)
    if message is None:
        raise DiscoveryError(
            f"{port}: in this state the switch sends no packet of the stack {skeleton.stack.name} to the controller; "
            "expected one that is connected and has no entry for such a packet, or one that sends it there"
        )
    return message


def _difference(one: ConcolicClass, program: Program, core: object, twin: RewrittenProgram) -> str:
    """How the original differs from the prediction of the class for its witness; "" if it does not."""
    came = message_with(one.question, one.witness)
    if (preparable := capability(program, Preparable)) is not None:
        preparable.prepare(core)
    reactions, lines = line_trace(lambda: program.handle(core, came), twin.own_files)
    assert not isinstance(reactions, Restart)  # the run keeps insertion order
    reaction = reactions[0]
    if lines != one.lines:
        place = next((a for a, b in zip(lines, one.lines, strict=False) if a != b), None)
        where = f" from {place.file}:{place.number} on" if place else ""
        return f"{one.readable}: the program takes other lines{where} when it is not rewritten"
    if (reaction.messages, reaction.events) != (one.handler_run.messages, one.handler_run.events):
        return f"{one.readable}: the program does something else when it is not rewritten"
    return ""
