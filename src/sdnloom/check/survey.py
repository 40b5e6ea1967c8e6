"""The classes of packets at one port of a network in one of its states, for `sdnloom inputs`.

A rewritten twin of the program is explored. Every witness also runs on the original, from the same state, and must take
the same lines and react in the same way.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple, Protocol

from sdnloom.check.run import Run
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Restart, System
from sdnloom.engine.path import Path, final_state, replay
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.stop_points import LimitReached, check_limits, interruptible, limits_in_force
from sdnloom.inputs.branch_sides import BranchSides, FieldDomain, HostDomains, Senders, UnreachedBranch
from sdnloom.inputs.clients import DiscoveryError
from sdnloom.inputs.concolic import ConcolicClass, ConcolicClasses, ConcolicExplorer, ConcolicOptions, message_with
from sdnloom.inputs.explorable import explorable
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.skeletons import SenderView, Skeleton
from sdnloom.inputs.statistics import reply_skeleton, switch_reply
from sdnloom.inputs.switch_paths import packet_ins
from sdnloom.network.build import switch_config
from sdnloom.network.events import HandlerRaised
from sdnloom.network.network import Network
from sdnloom.network.openflow import PacketIn, StatsReply
from sdnloom.network.program import Preparable, Program, capability
from sdnloom.network.reply_counters import of_every_row
from sdnloom.network.switch import SwitchCore
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.platforms.explorable import HandlerRun, RewrittenProgram
from sdnloom.platforms.line_trace import line_trace
from sdnloom.symbolic.execution import Site
from sdnloom.symbolic.path_search import PathRun

CONFIRMING = 1.0  # seconds after a limit, in which classes that were found are still confirmed


@dataclass(frozen=True)
class SurveyEntry:
    """A class, and how the original program deviates from the prediction; "" if it does not.

    A class that is not `confirmed` has only its condition and its example: the original program did not run on it.
    """

    found: ConcolicClass
    difference: str = ""
    confirmed: bool = True

    @property
    def effects(self) -> HandlerRun:
        """What the program does about the example; nothing is known of a class that is not confirmed."""
        return self.found.handler_run if self.confirmed else HandlerRun((), ())

    @property
    def raised(self) -> tuple[HandlerRaised, ...]:
        """The exceptions that escaped from handlers."""
        return self.found.raised if self.confirmed else ()


@dataclass(frozen=True)
class Survey:
    """The classes at a port, without those that the program does not tell from an earlier one."""

    program: str
    port: SwitchPort
    classes: tuple[SurveyEntry, ...]
    repeated: int
    answers: tuple[ConcolicClasses, ...]
    robust: bool = False
    about: str = "packets"  # of which the classes are, or "statistics", "flow statistics" and so on
    missing: tuple[str, ...] = ()  # what a limit left out
    reply: StatsReply | None = None  # in which the statistics come
    whole: bool = False  # whether the statistics are about the whole switch
    unsent: tuple[str, ...] = ()  # stacks of which the switch sends no packet to the controller
    unreached: tuple[UnreachedBranch, ...] = ()
    domains: tuple[FieldDomain, ...] = ()  # of the fields that conditions mention

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
        """Whether these are all classes, all as predicted, and no side of a branch is unreached."""
        return not self.gaps and not self.divergences and not self.unreached

    @property
    def paths(self) -> int:
        """How often a handler ran."""
        return sum(answer.exploration.statistics.paths for answer in self.answers)


class StatisticsWish(NamedTuple):
    """The statistics to survey: a kind of `KINDS`, and domains of its counters."""

    kind: str
    fields: Mapping[str, str]

    @property
    def of_port(self) -> bool:
        """Whether they are about one port."""
        return self.kind == "ports"

    @property
    def about(self) -> str:
        """The classes in words."""
        return "statistics" if self.of_port else f"{self.kind.removesuffix('s')} statistics"


class SurveyProgress(Protocol):
    """Is told what a survey does."""

    def __call__(self, question: HandlerQuestion, run: PathRun) -> None:
        """A handler ran."""

    def confirming(self, done: int, found: int) -> None:
        """So many of the classes of a stack are confirmed."""


def survey(
    run: Run,
    port: SwitchPort,
    path: Path | None,
    skeletons: Sequence[Skeleton],
    means: ConcolicOptions,
    watch: LimitWatch | None = None,
    progress: SurveyProgress | None = None,
    statistics: "StatisticsWish | None" = None,
    senders: Senders | None = None,
) -> Survey:
    """The classes of packets that come in at a port after the steps of a path, from the start if there is none.

    With `statistics` they are the classes of that reply of the switch, and there are no skeletons of packets.
    `senders` are the host at the port and the others, whose packets may take sides of branches that its own do not.
    At a limit of the watch it ends with the classes found so far. For CONFIRMING seconds more they are confirmed.
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
        reply: StatsReply | None = None
        if statistics is not None:
            config = switch_config(network.topology.switch(port.switch), network.switches)
            reply = switch_reply(config, switch, statistics.kind, port.port)
            skeletons = [reply_skeleton(reply, statistics.fields, network.switches.version)]
            _check_counters(statistics, skeletons[0])
        explorer = ConcolicExplorer(twin, means, progress)
        answers, classes, missing = list[ConcolicClasses](), list[SurveyEntry](), list[str]()
        alike: dict[object, list[ConcolicClass]] = {}  # classes by what they execute
        unsent: list[str] = []
        repeated, deadline = 0, _Deadline(watch)
        asked: list[Skeleton] = []
        for skeleton in skeletons:
            if (reason := watch.reason_to_stop()) is not None:
                missing.append(f"{skeleton.stack.name}: not explored, {reason}")
                continue
            try:
                came = messages_at(network, switch, port, skeleton) if reply is None else [(reply, skeleton)]
            except DiscoveryError:
                unsent.append(skeleton.stack.name)
                if len(unsent) == len(skeletons):
                    raise _no_packet(port, unsent) from None
                continue
            found = [explorer.explore(HandlerQuestion(core, port.switch, message, kind)) for message, kind in came]
            answers += found
            asked += [kind for _, kind in came]
            new = [one for answer in found for one in answer.classes]
            for number, one in enumerate(new, 1):
                same = alike.setdefault(one.path.trail, [])  # thousands perhaps; none of one question repeats another
                if any(other.question is not one.question and one.repeats(other) for other in same):
                    repeated += 1
                    continue
                same.append(one)
                if progress is not None:
                    progress.confirming(number, len(new))
                try:
                    with limits_in_force(deadline.reason_to_stop):
                        check_limits()
                        with interruptible("a handler"):
                            classes.append(SurveyEntry(one, _difference(one, program, original, twin)))
                except LimitReached:
                    classes.append(SurveyEntry(one, confirmed=False))
    unconfirmed = sum(not each.confirmed for each in classes)
    if unconfirmed:
        missing.append(f"{unconfirmed} of the classes shown, for which no time was left to confirm them")
    if senders is None or reply is not None:
        senders = Senders((HostDomains(SenderView(), tuple(skeletons)),))
    sides = BranchSides(senders, means.exploration)
    for skeleton, answer in zip(asked, answers, strict=True):
        sides.add(skeleton, answer)
    return Survey(
        program.name,
        port,
        tuple(classes),
        repeated,
        tuple(answers),
        means.robust,
        Survey.about if statistics is None else statistics.about,
        tuple(missing),
        reply,
        statistics is not None and not statistics.of_port,
        tuple(unsent),
        unreached=sides.unreached() if watch.reason_to_stop() is None else (),
        domains=sides.domains(),
    )


class _Deadline:
    """The end of confirmation: CONFIRMING seconds after a limit of the watch, or after Ctrl-C was noticed."""

    def __init__(self, watch: LimitWatch) -> None:
        self._watch, self._end = watch, math.inf

    def reason_to_stop(self) -> str | None:
        reason = self._watch.reason_to_stop()
        if reason is not None and self._end == math.inf:
            self._end = monotonic() + CONFIRMING + min(self._watch.left, 0)
        return reason if monotonic() >= self._end else None


def state_after(system: System, port: SwitchPort, path: Path | None) -> tuple[object, SwitchCore]:
    """The cores of the program and of the switch after the steps of a path."""
    semantics = Semantics(system)
    state = final_state(semantics, replay(semantics, path)) if path is not None else semantics.initial()
    controller, switch = semantics.column("controller", state), semantics.column(port.switch, state)
    return controller.program, switch.core


def messages_at(
    network: Network, core: SwitchCore, port: SwitchPort, skeleton: Skeleton
) -> list[tuple[PacketIn, Skeleton]]:
    """The messages in which packets of a skeleton come to the controller, each with the packets as they come.

    Raises DiscoveryError if there is none.
    """
    config = switch_config(network.topology.switch(port.switch), network.switches)
    found = packet_ins(config, core, port.port, skeleton)
    if not found:
        raise _no_packet(port, [skeleton.stack.name])
    return found


def _check_counters(wish: StatisticsWish, skeleton: Skeleton) -> None:
    """Raise DiscoveryError for a domain of a counter that the reply does not have."""
    names = [field.name for field in skeleton.stack.fields]
    known = {*names, *map(of_every_row, names)}
    for name in wish.fields:
        if name not in known:
            expected = f"expected one of {', '.join(names)}" if names else "it has none in this state"
            raise DiscoveryError(f"{name!r} is no counter of the {wish.about} in this reply; {expected}")


def _no_packet(port: SwitchPort, stacks: Sequence[str]) -> DiscoveryError:
    which = f"the stack {stacks[0]}" if len(stacks) == 1 else f"the stacks {', '.join(stacks)}"
    return DiscoveryError(
        f"{port}: in this state the switch sends no packet of {which} to the controller; "
        "expected one that is connected and has no entry for such a packet, or one that sends it there"
    )


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
