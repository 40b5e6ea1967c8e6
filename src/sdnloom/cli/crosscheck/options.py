"""Options that commands of `sdnloom crosscheck` share: which tests, and limits."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from sdnloom.cli.options.time_spent import time_spent
from sdnloom.crosscheck.agents.load import AgentSource, load_agent
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.test_document import built_in_tests, load_test
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.errors import SdnloomError
from sdnloom.network.openflow.constants import VERSION_NUMBERS

_DEFAULT_VERSION: Final = "1.0"

tests_option = click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Built-in test or TOML file; may be repeated (default: all built-in tests of the version).",
)
version_option = click.option(
    "--openflow",
    type=click.Choice(list(VERSION_NUMBERS)),
    help=f"Version of OpenFlow (default: that of the tests, or {_DEFAULT_VERSION}).",
)
time_option = click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after that time."
)
paths_option = click.option(
    "--max-paths",
    type=click.IntRange(1),
    default=200_000,
    show_default=True,
    metavar="N",
    help="Stop after N runs of an agent for each test.",
)
inputs_option = click.option(
    "--max-inputs",
    type=click.IntRange(1),
    default=2_000,
    show_default=True,
    metavar="N",
    help="Try at most N inputs of each test on a black box.",
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="For the inputs that are tried on a black box."
)

_LABEL: Final = re.compile(r"([A-Za-z0-9_.-]{1,60})=(.+)")


class CrosscheckOptionError(SdnloomError):
    """Options or files of `sdnloom crosscheck` that do not fit together."""


@dataclass(frozen=True, slots=True)
class LabelledAgent:
    """An agent of the command line: what was given without a label, and its source."""

    given: str
    source: AgentSource


def labelled_agent(text: str) -> LabelledAgent:
    """Return the agent that a text names; with `LABEL=` before it, reports show the label as its name."""
    found = _LABEL.fullmatch(text)
    if found is None:
        return LabelledAgent(text, load_agent(text))
    source = load_agent(found[2])
    source.name = found[1]
    return LabelledAgent(found[2], source)


def check_labels(agents: Sequence[LabelledAgent]) -> None:
    """Refuse two different agents of one name: a report could not tell them apart."""
    given: dict[str, str] = {}
    for agent in agents:
        name = agent.source.name
        if given.setdefault(name, agent.given) != agent.given:
            raise CrosscheckOptionError(
                f"{name} stands for {given[name]} and for {agent.given}; expected another label for one of them"
            )


def chosen_tests(names: Sequence[str], openflow: str | None) -> list[SwitchTest]:
    """Return the named tests, or all built-in ones of the version."""
    if names:
        tests = [load_test(name) for name in dict.fromkeys(names)]
        for test in tests:
            if openflow is not None and test.version != VERSION_NUMBERS[openflow]:
                raise CrosscheckOptionError(
                    f"test {test.name} is not for OpenFlow {openflow}; expected a test of that version, or another "
                    "--openflow"
                )
        labels = [test.name for test in tests]
        for label in labels:
            if labels.count(label) > 1:
                raise CrosscheckOptionError(f"two tests have the name {label}; expected a name of its own for each")
        return tests
    version = VERSION_NUMBERS[openflow or _DEFAULT_VERSION]
    return [test for test in map(load_test, built_in_tests()) if test.version == version]


@contextmanager
def agents_at_work(seconds: float | None) -> Iterator[float]:
    """Context in which an agent that runs on after the limit is ended; it gives the seconds that were spent before."""
    spent = time_spent()
    with LimitWatch(Limits(seconds=seconds), spent).in_force():
        yield spent


def new_folder(folder: Path) -> Path:
    """Return a folder for files, which is made if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CrosscheckOptionError(f"{folder}: cannot make the folder: {error.strerror}") from error
    return folder


def write_file(file: Path, content: str | bytes) -> None:
    """Write a file of a report."""
    try:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise CrosscheckOptionError(f"{file}: cannot write the file: {error.strerror}") from error
