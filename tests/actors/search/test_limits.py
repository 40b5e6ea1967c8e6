"""Limits hold inside of a single choice and a single state, because either may take minutes with thousands of tasks."""

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Program
from sdnloom.actors.search import actor_graph, stubborn_sets
from sdnloom.actors.search.search import search_program
from sdnloom.engine.result import Incomplete
from sdnloom.engine.stop_points import LimitReached


class Sum(Actor):
    total: int = 0

    async def add(self, number: int) -> None:
        self.total = self.total * 2 + number


def reached() -> None:
    raise LimitReached("enough")


@pytest.mark.parametrize("module", [stubborn_sets, actor_graph])
def test_a_limit_ends_a_search_within_a_state(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "check_limits", reached)
    actor = Sum("sum")
    found = search_program(Program((actor,), tuple(actor.add(number) for number in range(3))))
    assert found.result.verdict == Incomplete("enough")
    assert found.result.statistics.states == 1
