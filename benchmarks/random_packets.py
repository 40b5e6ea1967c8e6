"""Whether "complete" is true: random packets must execute no line that no class of `sdnloom inputs` executes.

For each program, classes are computed at one port. If they are said to be all of the domains, random packets of the
same stacks and domains run on the original program from the same state; half of their values are taken from conditions.
Options: --packets N (10,000), --seed N, --only TEXT. Programs that are not there are left out (`make ryu`, Faucet).
"""

import argparse
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.discovery_limits import ROOT, available
from benchmarks.report import Report
from sdnloom import Scenario, load_scenario
from sdnloom.check.run import Run
from sdnloom.check.survey import Survey, state_after, survey
from sdnloom.engine.model import Restart
from sdnloom.inputs.branch_sides import senders_in
from sdnloom.inputs.concolic import ConcolicClass, ConcolicOptions, message_with
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.inputs.skeletons import DEFAULT_STACKS, SenderView, make_skeletons, packet_label
from sdnloom.inputs.stacks import StackField
from sdnloom.network.program import Preparable, Program, capability
from sdnloom.network.topology.spec import SwitchPort
from sdnloom.platforms.line_trace import Line, line_trace
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.terms.node import postorder

# Scenario and port of s1.
PROGRAMS = (
    ("ryu/rest_router_configured", 1),
    ("ryu/rest_router_configured", 2),
    ("ryu/rest_router_gateway", 1),
    ("ryu/rest_firewall", 1),
    ("faucet/one_vlan", 1),
    ("faucet/acl", 1),
    ("faucet/routing", 1),
)


@dataclass(frozen=True)
class RandomRuns:
    """The classes at a port, and what random packets did: a packet for each line that no class executes."""

    survey: Survey
    packets: int
    paths: int  # different sequences of lines
    unknown: int  # of these, those that no class takes
    lines: int
    outside: Mapping[Line, str]


def random_runs(
    scenario: Scenario, port: SwitchPort, count: int, seed: int = 0, options: ExplorationOptions | None = None
) -> RandomRuns:
    """Survey a port, and run so many random packets if all classes of the domains are said to be found."""
    run = Run(scenario, ordered=True)
    topology = scenario.network.topology
    host = next((each for each in topology.hosts if each.switch_port == port), None)
    sender = SenderView(topology, host)
    means = ConcolicOptions(options or ExplorationOptions())
    senders = senders_in(scenario.network, [sender], DEFAULT_STACKS, {})  # as the command asks
    found = survey(run, port, None, make_skeletons(DEFAULT_STACKS, sender, {}), means, senders=senders)
    classes = [each for answer in found.answers for each in answer.classes]
    if found.gaps or found.divergences or not classes:
        return RandomRuns(found, 0, 0, 0, 0, {})
    core, _ = state_after(run.build_unchecked(run.program), port, None)
    files = classes[0].explorer.program.own_files
    questions = list(dict.fromkeys(each.question for each in classes))
    special, chance = _compared(classes), random.Random(seed)
    known, explored = {line for each in classes for line in each.lines}, {each.lines for each in classes}
    seen, outside = set[tuple[Line, ...]](), dict[Line, str]()
    for _ in range(count):
        question = chance.choice(questions)
        values = {
            field.name: _value(chance, field, domain, special.get(field.name, ()))
            for field, domain in question.skeleton.symbolic
            if not field.computed
        }
        lines = _lines(run.program, core, question, values, files)
        seen.add(lines)
        for line in lines:
            if line not in known:
                outside.setdefault(line, packet_label(question.skeleton.stack, values, sender))
    return RandomRuns(found, count, len(seen), len(seen - explored), len(known), outside)


def _compared(classes: Iterable[ConcolicClass]) -> dict[str, list[int]]:
    """The numbers in conditions of each field, also as the upper bits of it."""
    found: dict[str, set[int]] = {}
    for condition in {each for one in classes for each in one.path.condition}:
        for variable in (each for each in postorder(condition) if each.op == "var"):
            for each in postorder(condition):
                if each.op == "const" and each.width:
                    shifted = each.args[0] << max(variable.width - each.width, 0)
                    found.setdefault(variable.args[0], set()).update({each.args[0], shifted})
    return {name: sorted(values) for name, values in found.items()}


def _value(chance: random.Random, field: StackField, domain: Domain, special: Sequence[int]) -> int:
    """A value of the domain: in half of the cases one of a condition or its neighbour."""
    if special and chance.random() < 0.5:
        value = chance.choice(special) + chance.choice((0, 0, 1, -1))
        if 0 <= value <= field.max_value and value in domain:
            return value
    return chance.randint(*chance.choice(domain.ranges))


def _lines(
    program: Program, core: object, question: HandlerQuestion, values: Mapping[str, int], files: Iterable[Path]
) -> tuple[Line, ...]:
    """The lines that the program executes for a packet."""
    message = message_with(question, values)
    if (preparable := capability(program, Preparable)) is not None:
        preparable.prepare(core)
    reactions, lines = line_trace(lambda: program.handle(core, message), files)
    assert not isinstance(reactions, Restart)  # the run keeps insertion order
    return lines


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report; quick means fewer packets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks random-packets", description=__doc__)
    parser.add_argument("--packets", type=int, default=300 if quick else 10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    report = Report("random-packets")
    rows = report.table(
        "Random packets beside the classes of sdnloom inputs",
        *("program", "port", "classes", "complete", "packets", "lines of classes", "paths", "paths of no class"),
        *("lines outside", "s"),
    )
    outside = unknown = 0
    for name, number in PROGRAMS:
        if given.only not in name or not available(name):
            continue
        before = time.process_time()
        scenario = load_scenario(ROOT / "examples" / f"{name}.toml")
        found = random_runs(scenario, SwitchPort("s1", number), given.packets, given.seed)
        seconds = time.process_time() - before
        classes = sum(len(answer.classes) for answer in found.survey.answers)
        said = "yes" if found.survey.complete else "no"
        rows.add(
            *(name, number, classes, said, found.packets, found.lines, found.paths, found.unknown),
            *(len(found.outside), seconds),
        )
        outside += len(found.outside)
        unknown += found.unknown
        report.notes += [f"{name}: {line.file}:{line.number}, by {label}" for line, label in found.outside.items()]
        reasons = [*found.survey.gaps, *(f"unreached: {each}" for each in found.survey.unreached)]
        report.notes += [f"{name}: not complete: {each}" for each in reasons[:5]]
    report.floor("lines that random packets execute and no class does", outside, "==", 0)
    report.floor("paths that random packets take and no class does", unknown, "==", 0)
    return report
