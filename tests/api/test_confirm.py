"""`run_confirm`: a trace file, or the first violation of a report, as scripts confirm it."""

from functools import partial
from pathlib import Path

import pytest

from sdnloom import SdnloomError, run_check, run_confirm
from sdnloom.confirm.outcome import ConfirmOutcome, ObservedStep
from sdnloom.confirm.run import confirm_with
from tests.check.scenarios import BUFFERED, write
from tests.confirm.model_parts import model_parts


@pytest.fixture(autouse=True)
def parts_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.api.confirm.confirm_trace", partial(confirm_with, model_parts))


def test_a_report_and_its_trace_are_confirmed_alike(tmp_path: Path) -> None:
    report = run_check(write(tmp_path, BUFFERED))
    steps: list[ObservedStep] = []
    confirmed = run_confirm(report, record=tmp_path / "seen", on_step=steps.append)
    assert (confirmed.outcome, confirmed.taken, confirmed.of_trace) == (ConfirmOutcome.CONFIRMED, 8, 8)
    assert tuple(steps) == confirmed.steps
    again = run_confirm(str(tmp_path / "seen" / "observed.json"))
    assert again.outcome is ConfirmOutcome.CONFIRMED
    assert [each.sent for each in again.steps] == [each.sent for each in confirmed.steps]
    moved = tmp_path / "moved.toml"
    (tmp_path / "hub.toml").rename(moved)
    assert run_confirm(tmp_path / "seen" / "observed.json", scenario=moved).outcome is ConfirmOutcome.CONFIRMED


def test_a_report_without_a_violation_is_refused(tmp_path: Path) -> None:
    report = run_check(write(tmp_path, BUFFERED.replace('host = "h2"', 'host = "h1"')))
    with pytest.raises(SdnloomError, match=r"^confirm: the report says holds; expected one with a violation$"):
        run_confirm(report)
