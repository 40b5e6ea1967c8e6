"""A black box is tried: what it does with each input, and what the partition says about that."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.black_box import TryProgress, chosen_inputs, try_inputs
from sdnloom.crosscheck.exploration import explore_agent
from sdnloom.crosscheck.output import CRASH, concrete_output
from sdnloom.symbolic.terms.evaluate import evaluate_term
from tests.crosscheck.cases import OUTPUT_TEST, small_agent


class Box:
    """The small agent, as if nobody had its source."""

    name = "box"
    versions = frozenset((1,))
    black_box = True

    def __init__(self, wrap: Callable[[Agent], Agent] = lambda agent: agent) -> None:
        self.wrap = wrap
        self.opened = 0

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        self.opened += 1
        with small_agent().open(version) as agent:
            yield self.wrap(agent)

    def symbolic(self, version: int) -> Callable[[], Agent]:
        raise AssertionError


class Wrapped:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.messages = 0
        self.reset, self.packet, self.advance = agent.reset, agent.packet, agent.advance

    def message(self, data: bytes):  # type: ignore[no-untyped-def]
        self.messages += 1
        return self.agent.message(data)


INPUTS = list(chosen_inputs(OUTPUT_TEST, (), 200))


def test_outputs_are_those_that_the_explored_agent_has() -> None:
    paths = explore_agent(small_agent(), OUTPUT_TEST)
    tried = try_inputs(Box(), OUTPUT_TEST, INPUTS)
    assert [(each.case, each.witness) for each in tried.classes] == INPUTS
    for each in tried.classes:
        (path,) = (one for one in paths.classes if all(evaluate_term(term, each.witness) for term in one.condition))
        assert each.output == concrete_output(path.output, each.witness)
    assert CRASH in {event.kind for each in tried.classes for step in each.output for event in step}


def test_the_partition_is_never_complete_and_says_how_much_was_tried() -> None:
    box = Box()
    tried = try_inputs(box, OUTPUT_TEST, INPUTS)
    assert (tried.agent, tried.kind, tried.complete, tried.unseen) == ("box", "inputs", False, ())
    assert tried.reasons == ("a black box: 200 inputs tried",)
    assert (tried.statistics.runs, tried.statistics.checked) == (220, 20)
    assert box.opened == 1


def test_an_agent_that_remembers_is_found_out() -> None:
    class Forgetful(Wrapped):
        def message(self, data: bytes):  # type: ignore[no-untyped-def]
            self.messages += 1
            return [] if self.messages > 300 else self.agent.message(data)

    tried = try_inputs(Box(Forgetful), OUTPUT_TEST, INPUTS[:140])
    assert len(tried.reasons) == 2
    assert tried.reasons[1].startswith(f"{10} of 20 inputs had another output the second time, first one: m1.actions")


def test_what_the_agent_cannot_show_is_noted() -> None:
    class Blind(Wrapped):
        unseen = ("frame.data",)

    assert try_inputs(Box(Blind), OUTPUT_TEST, INPUTS[:3]).unseen == ("frame.data",)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyboardInterrupt(), "interrupted from the keyboard"),
        (AgentError("agent box: gone"), "the switch cannot be tried any further: agent box: gone"),
    ],
)
def test_what_was_found_before_an_interrupt_is_kept(error: BaseException, reason: str) -> None:
    class Interrupted(Wrapped):
        def message(self, data: bytes):  # type: ignore[no-untyped-def]
            self.messages += 1
            if self.messages == 21:
                raise error
            return self.agent.message(data)

    tried = try_inputs(Box(Interrupted), OUTPUT_TEST, INPUTS)
    assert len(tried.classes) == 10
    assert tried.reasons == ("a black box: 10 inputs tried", reason)


def test_an_agent_that_cannot_be_asked_at_all_is_an_error() -> None:
    class Broken(Wrapped):
        def message(self, data: bytes):  # type: ignore[no-untyped-def]
            raise AgentError("agent box: gone")

    with pytest.raises(AgentError, match=r"^agent box: gone$"):
        try_inputs(Box(Broken), OUTPUT_TEST, INPUTS)


def test_a_limit_of_time_ends_it() -> None:
    times = iter(range(10_000))
    tried = try_inputs(Box(), OUTPUT_TEST, INPUTS, seconds=5, clock=lambda: next(times))
    assert len(tried.classes) == 4
    assert tried.reasons == ("a black box: 4 inputs tried", "the limit of 5 seconds was reached")


def test_progress_counts_inputs() -> None:
    seen: list[TryProgress] = []
    try_inputs(Box(), OUTPUT_TEST, INPUTS[:2], on_event=seen.append)
    try_inputs(Box(), OUTPUT_TEST, iter(INPUTS[:1]), on_event=seen.append)
    assert seen == [
        TryProgress("box", "output", 1, 2),
        TryProgress("box", "output", 2, 2),
        TryProgress("box", "output", 1, None),
    ]
