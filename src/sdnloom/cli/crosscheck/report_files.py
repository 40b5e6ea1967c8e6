"""Files that `run` and `compare` write beside their report: witnesses, pytest files, captures of exchanges."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sdnloom.cli.crosscheck.options import new_folder, write_file
from sdnloom.crosscheck.agents.load import AgentSource
from sdnloom.crosscheck.comparison import Comparison, Inconsistency, RootCause
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.recorded_agent import RecordedAgent
from sdnloom.crosscheck.result import CrosscheckResult
from sdnloom.crosscheck.witness_file import SwitchWitness, write_witness
from sdnloom.report.crosscheck.pcapng import exchange_pcapng
from sdnloom.report.crosscheck.pytest_file import expected_test, pair_test
from sdnloom.report.crosscheck.view import case_of
from sdnloom.report.file_name import file_name, file_names

witnesses_option = click.option(
    "--witnesses",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a witness file for each root cause, which `sdnloom crosscheck try` runs.",
)
pytest_option = click.option(
    "--pytest-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a pytest file for each root cause, which fails while the difference is there.",
)
every_option = click.option(
    "--inconsistencies", "every", is_flag=True, help="Show every inconsistency, and write files for each of them."
)


@dataclass(frozen=True, slots=True)
class FoundWitness:
    """A root cause or an inconsistency with its place in the result and the start of its files' names."""

    pair: int
    place: int  # among the root causes or the inconsistencies of the pair
    cause: bool
    name: str
    witness: SwitchWitness

    @property
    def pytest_name(self) -> str:
        """The name of the pytest file, which is a name of a module too."""
        return f"test_{self.name.replace('-', '_').replace('.', '_')}.py"


def found_witnesses(result: CrosscheckResult, every: bool) -> Iterator[FoundWitness]:
    """Yield a witness for each root cause and, if wanted, for each inconsistency."""
    parts = dict(zip(result.agents, file_names(result.agents), strict=True))
    for pair, comparison in enumerate(result.comparisons):
        start = "" if len(result.comparisons) == 1 else f"{'-'.join(parts[name] for name in comparison.agents)}-"
        groups: list[tuple[bool, Sequence[RootCause | Inconsistency]]] = [(True, comparison.root_causes)]
        if every:
            groups.append((False, comparison.inconsistencies))
        for cause, group in groups:
            digits = max(2, len(str(len(group))))
            for place, one in enumerate(group):
                kind = "cause" if cause else "inconsistency"
                name = f"{start}{kind}-{place + 1:0{digits}}-{file_name(one.test)}"
                yield FoundWitness(pair, place, cause, name, _witness(comparison, one))


def _witness(comparison: Comparison, one: RootCause | Inconsistency) -> SwitchWitness:
    test, case = case_of(comparison, one)
    return SwitchWitness(test, case.name, dict(one.witness), comparison.agents, one.outputs, one.condition)


def write_witness_files(found: Sequence[FoundWitness], folder: Path) -> dict[tuple[int, int], Path]:
    """Write the witness files; return those of root causes by pair and number."""
    new_folder(folder)
    written: dict[tuple[int, int], Path] = {}
    for one in found:
        file = folder / f"{one.name}.json"
        write_witness(one.witness, file)
        if one.cause:
            written[one.pair, one.place] = file
    return written


def write_pair_tests(found: Sequence[FoundWitness], folder: Path, given: Mapping[str, str]) -> None:
    """Write pytest files that run both agents, as they were given by name."""
    new_folder(folder)
    for one in found:
        first, second = one.witness.agents
        write_file(folder / one.pytest_name, pair_test(one.witness, (given[first], given[second])))


def write_expected_tests(found: Sequence[FoundWitness], folder: Path, agent: str) -> None:
    """Write pytest files that run one agent and expect what the first agent of the witness did."""
    new_folder(folder)
    for one in found:
        write_file(folder / one.pytest_name, expected_test(one.witness, agent))


def write_captures(found: Sequence[FoundWitness], folder: Path, sources: Mapping[str, AgentSource]) -> None:
    """Run each witness on its agents again and write what passed, one file for each agent."""
    new_folder(folder)
    with ExitStack() as stack:
        agents: dict[tuple[str, int], RecordedAgent] = {}
        for one in found:
            test = one.witness.test
            for name, part in zip(one.witness.agents, file_names(one.witness.agents), strict=True):
                if (name, test.version) not in agents:
                    opened = stack.enter_context(sources[name].open(test.version))
                    agents[name, test.version] = RecordedAgent(opened)
                agent = agents[name, test.version]
                run_case(agent, test.case(one.witness.case), test.version, one.witness.values)
                comment = f"{one.witness.condition}; agent {name}, test {test.name}"
                write_file(folder / f"{one.name}-{part}.pcapng", exchange_pcapng(agent.exchange, comment))


def shown_files(**folders: Any) -> None:
    """Say on stderr which folders have files now."""
    for what, folder in folders.items():
        if folder is not None:
            click.echo(f"{what.replace('_', ' ')}: {folder}", err=True)
