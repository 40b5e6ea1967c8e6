"""Concolic execution: the handler of simple_switch_13 beside CrossHair, guesses beside the solver, and what it costs.

All speeds are of one process in one run, in seconds of its own time. The first table runs the bare handler
(`concolic_handler`), as CrossHair gets it; the second the app as `sdnloom` runs it, on os-ken and symbolic bytes.
"""

import gc
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.concolic_crosshair import measure as measure_crosshair
from benchmarks.concolic_handler import APP, LLDP, Handler, handler
from benchmarks.report import Report
from sdnloom.inputs.concolic import ConcolicClasses, ConcolicExplorer, ConcolicOptions
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.skeletons import SenderView, Skeleton, make_skeletons
from sdnloom.inputs.switch_paths import packet_ins
from sdnloom.network.openflow import V13
from sdnloom.network.program import Call, ClockTick, MessageIn, SwitchUp
from sdnloom.network.switch import Switch, SwitchCore, initial_switch_core, plain_ports, receive_message, receive_packet
from sdnloom.platforms.line_trace import line_trace
from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.operations.calls import trust
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.values.make import MAC, symbolic_int, symbolic_text

CLASSES = 11
FOLDER = APP.parents[2]
ROUTER_STACKS = ("arp", "ipv4", "ipv4/icmp", "ipv4/tcp", "ipv4/udp")
MAC_BITS, TYPE_BITS = 48, 16


def seconds(run: Callable[[], Any], least: float) -> float:
    """The shortest time of a call, of as many calls as fit into the time box."""
    gc.collect()
    best, spent = float("inf"), 0.0
    while spent < least:
        start = time.process_time()
        run()
        took = time.process_time() - start
        best, spent = min(best, took), spent + max(took, 1e-6)
    return best


def explore_handler(run: Handler, options: ExplorationOptions) -> int:
    """The number of classes of the handler without a controller around it."""
    src, dst, kind = var("src", MAC_BITS, "mac"), var("dst", MAC_BITS, "mac"), var("type", TYPE_BITS, "hex")

    def once(execution: Execution) -> Any:
        values = [execution.value(name) for name in ("src", "dst")]
        texts = [
            symbolic_text(value.to_bytes(6, "big").hex(":"), term, MAC)
            for value, term in zip(values, (src, dst), strict=True)
        ]
        return run(texts[0], texts[1], symbolic_int(execution.value("type"), kind))

    found = explore(once, [src, dst, kind], initial={"src": 5, "dst": 6, "type": 0x800}, options=options)
    assert found.complete, found.reasons
    return len(found.classes)


class Standing:
    """A program with one switch, which answers; inputs are given one after the other."""

    def __init__(self, program: Any, ports: Sequence[int] = (1, 2, 3)) -> None:
        self.program, self.core = program, program.initial()
        self.config = Switch(1, plain_ports(*ports), version=V13)
        self.switch: SwitchCore = initial_switch_core(self.config)
        self.give(SwitchUp("s1", 1, self.config.ports))

    def give(self, *inputs: Any) -> None:
        """Give inputs and let the switch answer."""
        todo = list(inputs)
        while todo:
            reaction = self.program.handle(self.core, todo.pop(0))[0]
            self.core = reaction.core
            for _, message in reaction.messages:
                outcome = receive_message(self.config, self.switch, message)[0]
                self.switch = outcome.core
                todo += [MessageIn("s1", answer) for answer in outcome.messages]

    def receive(self, skeleton: Skeleton, port: int, values: dict[str, int]) -> None:
        """Let a packet come in at the switch."""
        outcome = receive_packet(self.config, self.switch, port, skeleton.packet(values))[0]
        self.switch = outcome.core
        self.give(*(MessageIn("s1", message) for message in outcome.messages))

    def question(self, skeleton: Skeleton, port: int) -> HandlerQuestion:
        """The question about packets that come in at a port."""
        message, _ = packet_ins(self.config, self.switch, port, skeleton)[0]
        return HandlerQuestion(self.core, "s1", message, skeleton)


def learn(standing: Standing) -> None:
    """Both hosts have sent a packet."""
    frame = make_skeletons(["ethernet"], SenderView(), {})[0]
    for port, src, dst in ((1, 1, 2), (2, 2, 1)):
        standing.receive(frame, port, {"eth.src": src, "eth.dst": dst})


def route(standing: Standing) -> None:
    """The router gets two addresses and a route."""
    for body in (
        '{"address": "172.16.20.1/24"}',
        '{"address": "172.16.30.30/24"}',
        '{"destination": "192.168.30.0/24", "gateway": "172.16.30.1"}',
    ):
        standing.give(Call("POST /router/0000000000000001", (body,)))


def bridge(standing: Standing) -> None:
    """The bridge hears of another one, and time passes."""
    bpdu = make_skeletons(["bpdu"], SenderView(), {})[0]
    standing.receive(bpdu, 1, {"bpdu.root_mac_address": 5, "bpdu.bridge_mac_address": 7})
    for _ in range(12):
        standing.give(ClockTick())


def unseen(original: Standing, answer: ConcolicClasses, question: HandlerQuestion, files: Any, count: int) -> int:
    """The number of random packets that take lines of the original app which were not explored."""
    chance = random.Random(1)
    predicted = {one.lines for one in answer.classes}
    special = [value for one in answer.classes for value in one.witness.values()]
    missing = 0
    for _ in range(count):
        values = {
            field.name: _random(chance, domain, special)
            for field, domain in question.skeleton.symbolic
            if not field.computed
        }
        frame = question.skeleton.frame(values)
        given = MessageIn("s1", replace(question.message, data=frame, total_len=len(frame)))
        original.program.prepare(original.core)
        _, lines = line_trace(lambda given=given: original.program.handle(original.core, given), files)
        missing += lines not in predicted
    return missing


def _random(chance: random.Random, domain: Any, special: list[int]) -> int:
    """A value of the domain: half of the time one that occurs in a witness, if it fits."""
    value = chance.choice(special) if special and chance.random() < 0.5 else -1
    return value if value in domain else chance.randint(*chance.choice(domain.ranges))


def run(quick: bool, arguments: list[str]) -> Report:
    """Everything; `--quick` with a short time box for CrossHair and fewer random packets."""
    report = Report("concolic")
    if not APP.is_file():
        report.notes.append("simple_switch_13 is not there: `make ryu` fetches it")
        report.floor("the app was fetched", 0, "==", 1)
        return report
    trust("benchmarks")
    _bare(report, quick)
    _whole(report, quick)
    _random_lines(report, 100 if quick else 1_500)
    return report


def _bare(report: Report, quick: bool) -> None:
    original = handler(compile(APP.read_bytes(), str(APP), "exec"))
    rewritten = handler(rewrite(APP.read_bytes(), str(APP)))
    least = 0.2 if quick else 1.0
    table = report.table(
        "simple_switch_13, bare handler, two-entry MAC table, third port", "engine", "classes", "paths", "ms", "paths/s"
    )
    times = {}
    for name, options in (
        ("sdnloom", ExplorationOptions()),
        ("sdnloom, solver only", ExplorationOptions(guess=False)),
    ):
        classes = explore_handler(rewritten, options)
        times[name] = seconds(lambda options=options: explore_handler(rewritten, options), least)
        table.add(name, classes, classes, 1e3 * times[name], classes / times[name])
        report.floor(f"{name}: all classes", classes, "==", CLASSES)
    other = measure_crosshair(10 if quick else 40)
    if other is None:
        report.notes.append("CrossHair is not installed: pip install 'sdnloom[bench]'")
        report.floor("CrossHair was run", 0, "==", 1)
    else:
        table.add("CrossHair", other.classes, other.paths, 1e3 * other.seconds, other.paths / other.seconds)
        ratio = CLASSES / times["sdnloom"] / (other.paths / other.seconds)
        report.floor("times CrossHair's paths per second", ratio, ">=", 100)
    report.floor("guesses: share of the solver's time", times["sdnloom"] / times["sdnloom, solver only"], "<=", 0.5)
    packets = [(src, dst, kind) for src in _MACS for dst in _MACS for kind in (0x800, LLDP)]

    def all_packets(run: Handler) -> None:
        for packet in packets:
            run(*packet)

    plain, changed = (seconds(lambda run=run: all_packets(run), least) for run in (original, rewritten))
    costs = report.table("one call with plain values, microseconds", "code", "bare handler", "times")
    costs.add("as written", 1e6 * plain / len(packets), 1.0)
    costs.add("rewritten", 1e6 * changed / len(packets), changed / plain)
    report.floor("bare handler, plain values: times the original", changed / plain, "<=", 3)


_MACS = tuple(f"00:00:00:00:00:0{number}" for number in range(1, 5))


def _whole(report: Report, quick: bool) -> None:
    program = OskenProgram(["ryu.app.simple_switch_13"], path=[FOLDER])
    original, twin = Standing(program), Standing(program.rewritten())
    for each in (original, twin):
        learn(each)
    skeleton = make_skeletons(["ethernet"], SenderView(), {"eth.type": "any"})[0]
    question = twin.question(skeleton, 3)
    table = report.table("the same app on os-ken, symbolic bytes", "search", "classes", "ms", "paths/s")
    for name, options in (("guesses", ExplorationOptions()), ("solver only", ExplorationOptions(guess=False))):
        explorer = ConcolicExplorer(twin.program, ConcolicOptions(options))
        classes = len(explorer.explore(question).classes)
        took = seconds(lambda explorer=explorer: explorer.explore(question), 0.2 if quick else 1.0)
        table.add(name, classes, 1e3 * took, classes / took)
        report.floor(f"on os-ken, {name}: all classes", classes, "==", CLASSES)
    frame = skeleton.frame({"eth.src": 1, "eth.dst": 2})
    given = MessageIn("s1", replace(question.message, data=frame, total_len=len(frame)))
    times = [
        seconds(lambda each=each: each.program.handle(each.core, given), 0.2 if quick else 1.0)
        for each in (original, twin)
    ]
    costs = report.table("one reaction with plain values, microseconds", "code", "whole reaction", "times")
    costs.add("as written", 1e6 * times[0], 1.0)
    costs.add("rewritten", 1e6 * times[1], times[1] / times[0])
    report.floor("on os-ken, plain values: times the original", times[1] / times[0], "<=", 3)


def _random_lines(report: Report, count: int) -> None:
    """Whether random packets take only lines that were explored."""
    table = report.table("lines of random packets", "app", "stack", "classes", "packets", "not explored")
    jobs: list[tuple[str, dict[str, Any], Callable[[Standing], None], Sequence[str], int]] = [
        ("rest_router", {}, route, ROUTER_STACKS, 1),
        ("simple_switch_stp_13", {"hub": "eventlet"}, bridge, ("bpdu",), 1),
        ("simple_switch_13", {}, learn, ("ethernet", "arp", "ipv4/tcp"), 3),
    ]
    for app, options, prepare, stacks, port in jobs:
        program = OskenProgram([f"ryu.app.{app}"], path=[FOLDER], **options)
        original, twin = Standing(program), Standing(program.rewritten())
        for each in (original, twin):
            prepare(each)
        for stack in stacks:
            question = twin.question(make_skeletons([stack], SenderView(), {})[0], port)
            answer = ConcolicExplorer(twin.program).explore(question)
            number = min(count, 200) if stack == "bpdu" else count  # its threads are replayed for each
            missing = unseen(original, answer, question, twin.program.own_files, number)
            table.add(app, stack, len(answer.classes), number, missing)
            report.floor(f"{app}, {stack}: packets whose lines were not explored", missing, "==", 0)
            report.floor(f"{app}, {stack}: reasons to be incomplete", len(answer.gaps), "==", 0)
