"""Executions of programs, counted: the figures of the load balancer, limits, and executions that need not end."""

import pytest

from examples.actors.load_balancer import program, with_barriers
from sdnloom.actors import Actor, Program
from sdnloom.actors.executions.count import count_executions
from sdnloom.engine.result import Limits
from sdnloom.errors import SdnloomError


@pytest.mark.parametrize(
    ("level", "count", "loops"), [("none", 286, 110), ("actor", 10, 4), ("entry", 8, 2), ("context", 8, 2)]
)
def test_the_load_balancer_has_eight_executions_two_of_them_with_a_loop(level, count, loops):
    found = count_executions(program(), level)
    assert (found.count, found.violating, found.final_states) == (count, {"NoForwardingLoop": loops}, 8)
    assert found.complete


@pytest.mark.parametrize(("level", "count"), [("none", 3), ("actor", 1), ("entry", 1), ("context", 1)])
def test_with_barriers_there_is_one_execution(level, count):
    found = count_executions(with_barriers(1), level)
    assert (found.count, found.violating, found.final_states, found.complete) == (count, {}, 1, True)


@pytest.mark.parametrize(("level", "count"), [("none", 1_170_984), ("entry", 4), ("context", 4)])
def test_two_packets_with_barriers(level, count):
    found = count_executions(with_barriers(2), level)
    assert (found.count, found.violating, found.final_states, found.complete) == (count, {}, 2, True)


class Flipper(Actor):
    on: bool = False

    async def flip(self):
        self.on = not self.on
        self.later.flip()


@pytest.mark.parametrize("level", ["entry", "context"])
def test_executions_that_need_not_end_are_refused_with_the_step_that_leads_back(level):
    flipper = Flipper("f")
    found = count_executions(Program((flipper,), (flipper.flip(),)), level)
    assert found.count == 0
    assert found.incomplete == "f: flip, step 2 of a path, leads back to a state of it, so executions need not end"


class Cell(Actor):
    value: int = 0

    async def put(self, value):
        self.value = value


def writers(*values: int) -> Program:
    cell = Cell("c")
    return Program((cell,), tuple(cell.put(value) for value in values))


@pytest.mark.parametrize(
    ("values", "actor", "entry", "context"), [((1, 2, 3), 6, 6, 6), ((1, 1, 1), 6, 1, 1), ((1, 1, 2), 6, 4, 4)]
)
def test_writes_of_one_value_commute(values, actor, entry, context):
    counts = [count_executions(writers(*values), level).count for level in ("actor", "entry", "context")]
    assert counts == [actor, entry, context]


def test_what_a_limit_leaves_uncounted_is_said():
    five = writers(1, 2, 3, 4, 5)
    assert count_executions(five).count == 120
    found = count_executions(five, limits=Limits(states=40))
    assert found.incomplete == "the limit of 40 states was reached"
    assert 0 < found.count < 120
    assert count_executions(five, limits=Limits(depth=4)).incomplete == "the depth limit of 4 was reached"
    assert count_executions(five, "context", Limits(seconds=1e-9)).incomplete == "the time limit of 1e-09 s was reached"


def test_an_unknown_level_is_named():
    with pytest.raises(SdnloomError, match="level is 'much'; expected one of none, actor, entry, context"):
        count_executions(writers(1), "much")  # type: ignore[arg-type]
