"""The benchmarks of SOFT's tables: their tests exist, and their measures are what they say."""

import importlib

from benchmarks import soft, soft_table2, soft_table3, soft_table4, soft_table5
from benchmarks.__main__ import BENCHMARKS
from sdnloom.crosscheck.agents.compact.differences import DIFFERENCES
from sdnloom.crosscheck.comparison import compare_partitions
from sdnloom.crosscheck.test_document import built_in_tests, load_test
from sdnloom.symbolic.terms.constructors import add, const, eq, var


def test_every_built_in_test_is_in_the_benchmarks() -> None:
    assert {*soft.TESTS, *soft.MORE_TESTS, *soft.V13_TESTS} == set(built_in_tests())
    for module in (soft_table2, soft_table3, soft_table4):
        assert {name for name in module.PUBLISHED if name} <= set(soft.TESTS)
    assert list(soft_table5.tests(quick=False)) == list(soft_table5.PUBLISHED)
    assert all(hasattr(importlib.import_module(BENCHMARKS[name]), "run") for name in BENCHMARKS if "soft" in name)


def test_the_size_of_a_condition_counts_an_operation_once() -> None:
    total = add(var("x", 8), var("y", 8))
    assert soft.operations([eq(total, const(7, 8))]) == 2
    assert soft.operations([eq(total, const(7, 8)), eq(total, var("z", 8))]) == 3


def test_coverage_grows_with_what_is_run() -> None:
    start = soft.coverage_of("reference-like", [])
    hello = soft.coverage_of("reference-like", [soft.explored("reference-like", load_test("hello")).partition])
    assert 0 < start.reached_lines < hello.reached_lines < hello.lines == start.lines
    assert 0 <= start.reached_branches < hello.reached_branches < hello.branches == start.branches


def test_a_difference_is_reported_by_the_root_cause_that_tells_it() -> None:
    """Of all rows of the table, those of queues and only those are told by the root causes of their test."""
    partitions = [soft.explored(agent, load_test("queue-config")).partition for agent in soft_table3.AGENTS]
    causes = compare_partitions(*partitions).root_causes
    told = {row.name for row in DIFFERENCES if soft_table3.reported_by(row, causes)}
    assert told == {"crash-queues"}


def test_the_messages_of_figure_4_are_symbolic_one_by_one() -> None:
    for count in (1, 2, 3):
        names = {variable.name.partition(".")[0] for variable in soft_table4.sequence(count).cases[0].variables}
        assert names == {f"m{number + 1}" for number in range(count)}
