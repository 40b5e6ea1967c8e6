"""Programs of actors are checked and replayed from Python as from the command line."""

from pathlib import Path

import pytest

from sdnloom import report_text
from sdnloom.actors import ActorOptions, Program, load_program
from sdnloom.engine.result import Limits
from sdnloom.engine.trace import TraceError

ACCOUNT = Path(__file__).parents[2] / "examples" / "actors" / "account.py"


@pytest.fixture
def program() -> Program:
    """The account that loses a deposit."""
    return load_program(ACCOUNT)


def test_every_violation_replays_as_a_trace(program: Program) -> None:
    report = program.check(ActorOptions(find_all=True))
    assert [each.message[-2:] for each in report.violations] == ["10", "20"]
    for violation in report.violations:
        replayed = program.replay(report.trace(violation))
        assert (replayed.confirmed, replayed.warnings) == (True, ())
        assert [each.step for each in replayed.transitions] == list(violation.path.steps)


def test_a_trace_of_another_program_is_refused(program: Program) -> None:
    report = program.check()
    with pytest.raises(TraceError, match="recorded with another scenario"):
        load_program(ACCOUNT, "corrected").replay(report.trace(report.violations[0]))


def test_a_report_knows_bounds_properties_and_executions(program: Program) -> None:
    report = program.check(ActorOptions(reduction="entry", limits=Limits(states=1_000)), counts=True)
    assert report.bounds == ("2 messages at the start", "at most 1,000 states")
    assert report.checked == ("NoTaskErrors", "NoDeadlock", "nothing_is_lost")
    assert (report.reduction, report.final_states) == ("entry", 3)
    assert report.executions is not None
    assert report.executions.violating["nothing_is_lost"] < report.executions.count
    assert report_text(report).splitlines()[0] == (
        "VIOLATED nothing_is_lost: 10 and 20 were put in, and the balance is 20"
    )


def test_reports_of_equal_checks_are_equal(program: Program) -> None:
    one, other = program.check(), load_program(ACCOUNT).check()
    assert report_text(one) == report_text(other)
    assert one.fingerprints == other.fingerprints
