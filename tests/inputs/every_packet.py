"""Oracle of discovery: every packet of a small domain is sent, and the verdict must be the same.

    python -m tests.inputs.every_packet both 0 1000      # family, first number, how many
    python -m tests.inputs.every_packet --show both 17   # one case: its program and both results

A verdict is incomplete if a branch of the program needs a packet outside of the domain; that is no difference, as the
domain is given.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdnloom.check.report import Report
from sdnloom.check.scenario import Scenario
from sdnloom.inputs.options import DiscoverOptions
from tests.inputs.random_cases import FAMILIES, MOST_STATES, Case, outcomes_of, random_case


@dataclass(frozen=True)
class Answer:
    """What a search says: the verdict, the names of violated properties, and the outcomes of its runs."""

    verdict: str
    violated: frozenset[str]
    outcomes: frozenset[frozenset[str]]
    reason: str = ""
    report: Report | None = None

    @property
    def cut_off(self) -> bool:
        """Whether the search was too large."""
        return self.report is not None and self.report.result.statistics.states >= MOST_STATES

    @property
    def only_unreached(self) -> bool:
        """Whether all classes of the domain were found, and the verdict is incomplete because of packets outside."""
        found = None if self.report is None else self.report.discovery
        return found is not None and found.finished and not found.gaps and bool(found.unreached)


def answer(scenario: Scenario, kinds: tuple[type, ...]) -> Answer:
    """Search a scenario to its end."""
    seen: set[frozenset[Any]] = set()
    recorded = replace(scenario, properties=(*scenario.properties, outcomes_of(kinds, seen)))
    report = recorded.check()
    violated = frozenset(one.property for one in report.result.violations)
    return Answer(report.verdict, violated, frozenset(seen), report.result.incomplete or "", report)


@dataclass(frozen=True)
class Comparison:
    """The answers with every packet and with discovered packets."""

    case: Case
    every: Answer
    discovered: Answer | None  # None if the search with every packet was too large

    @property
    def skipped(self) -> bool:
        """Whether a search was too large for a comparison."""
        return self.discovered is None or self.discovered.cut_off

    @property
    def differences(self) -> tuple[str, ...]:
        """How the answers differ."""
        every, discovered = self.every, self.discovered
        if discovered is None or discovered.cut_off:
            return ()
        found = []
        if every.violated != discovered.violated:
            missed = ", ".join(sorted(every.violated - discovered.violated))
            extra = ", ".join(sorted(discovered.violated - every.violated))
            found.append(f"missed: {missed or 'nothing'}; too many: {extra or 'nothing'}")
        elif every.verdict != discovered.verdict and not discovered.only_unreached:
            found.append(f"{every.verdict} becomes {discovered.verdict} ({discovered.reason})")
        missing = every.outcomes - discovered.outcomes
        if missing:
            found.append(f"{len(missing)} outcomes missed, such as {sorted(min(missing, key=sorted))}")
        extra_outcomes = discovered.outcomes - every.outcomes
        if extra_outcomes:
            found.append(f"{len(extra_outcomes)} outcomes too many, such as {sorted(min(extra_outcomes, key=sorted))}")
        return tuple(found)


def compare(case: Case, folder: Path, options: DiscoverOptions | None = None) -> Comparison:
    """Search a case with every packet, then with packets that are discovered with these options."""
    every = answer(case.enumerating(folder), case.kinds)
    if every.cut_off:
        return Comparison(case, every, None)
    discovering = case.discovering(folder)
    return Comparison(case, every, answer(replace(discovering, discovery=options or discovering.discovery), case.kinds))


def _show(case: Case, folder: Path) -> None:
    compared = compare(case, folder)
    lines = [case.text, f"{case.network}", f"{case.domain.options}"]
    for name, one in (("every packet", compared.every), ("discovered", compared.discovered)):
        if one is None or one.report is None:
            continue
        lines += [f"-- {name}: {one.verdict} {sorted(one.violated)} {one.reason}", *map(str, map(sorted, one.outcomes))]
        for shown in one.report.result.violations:
            lines += [shown.property, *(f"    {step}" for step in shown.path.steps)]
        if one.report.discovery is not None:
            for host in one.report.discovery.network.hosts:
                lines += [f"pool {label}" for _, pool in getattr(host, "pools", ()) for label, _ in pool]
    sys.stdout.write("\n".join([*lines, *compared.differences, ""]))


def main() -> None:
    """Compare many cases and list the differences; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.inputs.every_packet", description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    different, verdicts, skipped, start = [], Counter(), 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.first, given.first + given.count):
            case = random_case(given.family, number)
            if given.show:
                _show(case, Path(folder))
                continue
            compared = compare(case, Path(folder))
            skipped += compared.skipped
            verdicts[compared.every.verdict] += 1
            if compared.differences:
                different.append(number)
                sys.stdout.write(f"{given.family} {number}: {'; '.join(compared.differences)}\n")
                sys.stdout.flush()
    seconds = time.perf_counter() - start
    sys.stdout.write(
        f"{given.count} cases of {given.family} in {seconds:.0f} s: {dict(verdicts)}, {skipped} too large, "
        f"{len(different)} differ\n"
    )
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
