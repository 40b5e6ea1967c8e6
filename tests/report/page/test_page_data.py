"""The compact form of a page's data holds exactly what the view holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.report.page.page_data import page_data
from sdnloom.report.view.result_view import FindingView, LaneView, ResultView, StateLine, StepView, TraceView
from tests.report.page.sample_views import hostile_view, long_view, small_view


def states_of(data: dict[str, Any], trace: dict[str, Any]) -> list[dict[str, list[tuple[str, str]]]]:
    """The states of all lanes after each step, as the scripts of the page put them together; the first is the start."""
    texts = data["texts"]
    names = [texts[name] for name, _ in trace["lanes"]]
    lines = [(texts[part], texts[text]) for part, text in data["lines"]]
    now = {names[lane]: places for lane, places in trace["initial"].items()}
    found = [{name: [lines[place] for place in places] for name, places in now.items()}]
    for step in trace["steps"]:
        for lane, before, after, between in step.get("changes", ()):
            old = now.get(names[lane], [])
            now[names[lane]] = [*old[:before], *between, *old[len(old) - after :]]
        found.append({name: [lines[place] for place in places] for name, places in now.items()})
    return found


def expected_states(trace: TraceView) -> list[dict[str, list[tuple[str, str]]]]:
    now = dict(trace.initial)
    found = [now]
    for step in trace.steps:
        now = {**now, **step.changes}
        found.append(now)
    return [{name: [(line.part, line.text) for line in state] for name, state in each.items()} for each in found]


small_states = st.lists(st.builds(StateLine, st.sampled_from("ab"), st.sampled_from("xyz")), max_size=6).map(tuple)


@given(small_states, st.lists(st.dictionaries(st.sampled_from(["one", "two", "three"]), small_states), max_size=8))
def test_states_are_put_together_from_their_differences(start: tuple[StateLine, ...], changes: list[dict]) -> None:
    lanes = tuple(LaneView(name, "switch") for name in ("one", "two"))  # "three" is not listed, and gets a lane
    steps = tuple(StepView(n, "one", "act", "text", changes=each) for n, each in enumerate(changes, 1))
    trace = TraceView(lanes, steps, initial={"one": start})
    data = page_data([ResultView("check", "n", "holds", "", (), (FindingView("p", "m", trace),))])
    assert states_of(data, data["results"][0]["findings"][0]["trace"]) == expected_states(trace)


def test_texts_lines_and_functions_are_stored_once() -> None:
    data = page_data([small_view(), small_view("trace")])
    assert len(set(data["texts"])) == len(data["texts"])
    assert len(data["lines"]) == 4
    assert len(data["codes"]) == 1
    first, second = (result["findings"] for result in data["results"])
    assert first == second


def test_a_change_of_one_entry_is_stored_as_one_entry() -> None:
    data = page_data([long_view(20, entries=100)])
    steps = data["results"][0]["findings"][0]["trace"]["steps"]
    assert [len(step["changes"][0][3]) for step in steps[5:]] == [1] * 15  # each lane has been changed before


def test_a_step_without_wires_is_told_from_one_that_does_not_change_them() -> None:
    lanes = (LaneView("s1", "switch"),)
    steps = (StepView(1, "s1", "a", "t"), StepView(2, "s1", "a", "t", wires=()))
    view = ResultView("check", "n", "holds", "", (), (FindingView("p", "m", TraceView(lanes, steps)),))
    first, second = page_data([view])["results"][0]["findings"][0]["trace"]["steps"]
    assert "wires" not in first
    assert second["wires"] == []


@pytest.mark.parametrize("text", ["", "a", "__proto__"])
def test_every_text_of_a_view_is_in_its_data(text: str) -> None:
    data = page_data([hostile_view(text)])
    step = data["results"][0]["findings"][0]["trace"]["steps"][0]
    assert data["texts"][step["text"]] == text
    assert step["environment"] is True
