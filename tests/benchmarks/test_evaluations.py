"""The search with recorded answers is the search that was measured."""

from benchmarks.evaluations import _Questions
from benchmarks.pings import pings
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search


def test_steps_that_hand_out_recorded_answers_give_the_same_search() -> None:
    options = SearchOptions(engine="loop", reduce=True)
    questions = _Questions()
    whole = search(pings(2), options).statistics
    questions.stop()
    again = search(questions.answered(), options).statistics
    assert (again.states, again.transitions) == (whole.states, whole.transitions) == (154, 171)
    assert len(questions.asked) == sum(whole.evaluations.values())
