"""What a swarm covers of the ping system, whose size is known, beside what it says that it covers.

Members keep all their hashes here, so that the states found are counted; the estimates see the usual samples only.
Options: --only TEXT, --seed N.
"""

import argparse
import time
from dataclasses import replace
from typing import NamedTuple

from benchmarks.pings import pings
from benchmarks.report import Report
from sdnloom.engine.counterexample.finding_log import FindingLog
from sdnloom.engine.memo import Memo
from sdnloom.engine.swarm.coverage import SwarmCoverage, coverage_of
from sdnloom.engine.swarm.member import BitstateSearch, MemberOutcome
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.engine.swarm.probe import probed_depth
from sdnloom.engine.swarm.run import search_swarm
from sdnloom.engine.swarm.state_hash import ContentDigests
from sdnloom.engine.system_graph import SystemGraph

STATES = {4: 68_868, 5: 1_004_445, 6: 14_489_544}
KIB, WHOLE_SHARE = 1024, 10**9
# The factors by which the lower estimate may be too large (it is where little was found), and the upper one too small.
LOW_TOO_LARGE, HIGH_TOO_SMALL = 3.0, 1.5
MOST_OMITTED = 4.0  # states missed over those expected to be taken for known ones, which hide what only they lead to


class Case(NamedTuple):
    """A swarm on the ping system."""

    count: int
    options: SwarmOptions

    @property
    def name(self) -> str:
        """The name of the case."""
        given = self.options
        share = "all" if given.transitions == WHOLE_SHARE else f"{given.transitions:,}"
        return f"{self.count} pings, {given.members} x {share}, {given.memory // KIB:,} KiB"


QUICK = (
    Case(4, SwarmOptions(members=8, transitions=20_000)),
    Case(4, SwarmOptions(members=4, transitions=60_000, memory=256 * KIB)),
    Case(4, SwarmOptions(members=1, transitions=WHOLE_SHARE, memory=64 * KIB)),
    Case(4, SwarmOptions(members=8, transitions=WHOLE_SHARE, memory=8 * KIB)),
)
FULL = (
    *QUICK,
    Case(5, SwarmOptions(members=8, transitions=300_000)),
    Case(5, SwarmOptions(members=1, transitions=WHOLE_SHARE, memory=1024 * KIB)),
    Case(5, SwarmOptions(members=8, transitions=WHOLE_SHARE, memory=128 * KIB)),
    Case(6, SwarmOptions(members=8, transitions=1_000_000)),
)


class Covered(NamedTuple):
    """What became of a swarm: its members, the states that they found, counted, and what the samples say."""

    members: list[MemberOutcome]
    found: int
    coverage: SwarmCoverage
    seconds: float


def covered(case: Case) -> Covered:
    """Run the members of a case one after the other."""
    options, system = case.options, pings(case.count)
    before = time.process_time()
    graph = SystemGraph(Memo(system))
    digests, probed = ContentDigests(graph), probed_depth(graph, options.seed, options.depth)
    members: list[MemberOutcome] = []
    found: set[int] = set()
    for number in range(1, options.members + 1):
        plan = replace(options.plan(number, probed), sample_size=STATES[case.count] + 1)
        log = FindingLog(system, None, find_all=False)
        search = BitstateSearch(digests, plan, options.memory, options.bits_per_state, log, lambda *counts: None)
        outcome = search.outcome(search.run())
        found.update(outcome.sample)
        members.append(replace(outcome, sample=outcome.sample[: options.sample_size]))
    coverage = coverage_of([each.sample for each in members], options.sample_size)
    return Covered(members, len(found), coverage, time.process_time() - before)


def run(quick: bool, arguments: list[str]) -> Report:
    """Measure every case; judge the estimates by the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks swarm", description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    report = Report("swarm")
    table = report.table(
        "share of the ping system's states that swarms found, in percent",
        *("swarm", "counted", "found", "real", "low estimate", "high estimate", "odds", "CPU s", "transitions/s"),
    )
    for case in QUICK if quick else FULL:
        if given.only not in case.name:
            continue
        case = case._replace(options=replace(case.options, seed=given.seed))
        done, states = covered(case), STATES[case.count]
        real, low, high = done.found / states, *(done.coverage.share or (None, None))
        transitions = sum(each.transitions for each in done.members)
        table.add(
            *(case.name, sum(each.states for each in done.members), done.found, 100 * real),
            *(None if share is None else 100 * share for share in (low, high)),
            *(max(each.odds for each in done.members), done.seconds, transitions / done.seconds),
        )
        if low is not None and high is not None:
            report.floor(f"{case.name}: low estimate over the real share", low / real, "<=", LOW_TOO_LARGE)
            report.floor(f"{case.name}: real share over the high estimate", real / high, "<=", HIGH_TOO_SMALL)
        if len(done.members) == 1:
            [only] = done.members
            missed = (states - done.found) / only.omitted
            report.floor(f"{case.name}: states missed over the expected ones", missed, "<=", MOST_OMITTED)
    options = SwarmOptions(given.seed, members=6, transitions=20_000, memory=64 * KIB)
    results = {search_swarm(pings(4), replace(options, jobs=jobs)).members for jobs in (1, 2, 3)}
    report.floor("different results with 1, 2 and 3 processes", len(results), "==", 1)
    return report
