"""Phase 2 against brute force: every input of small domains is looked up in both partitions."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from sdnloom.crosscheck.agents.load import class_in_file
from sdnloom.crosscheck.comparison import CompareOptions, ComparisonError, compare_partitions
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.exploration import explore_agent
from sdnloom.crosscheck.output import AgentEvent, concrete_output
from sdnloom.crosscheck.overlap.class_index import ClassIndex
from sdnloom.crosscheck.overlap.groups import group_condition, groups_by_class, groups_of
from sdnloom.crosscheck.overlap.intersection import NO_SOLVER, NO_TIME, CaseComparer
from sdnloom.crosscheck.overlap.output_terms import outputs_differ
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.crosscheck.switch_test import Case, MessageStep, Part, SwitchTest, Variable
from sdnloom.crosscheck.test_document import domain, read_test
from sdnloom.symbolic.solver.interface import Solver, SolverAnswer, find_solver
from sdnloom.symbolic.terms.constructors import all_, const, eq, not_, ult, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from tests.crosscheck.toy_partitions import all_inputs, random_output, random_partition, scan_classes, toy_test

SOLVER = find_solver()
SHAPES = ((4, 4), (3, 5), (8,), (2, 3, 3))


def compare_toys(first: Partition, second: Partition, per_path: bool = False, solver: type[Solver] | None = SOLVER):
    case = first.test.cases[0]
    known = solver(domain(case), 5.0) if solver else None
    return CaseComparer((ClassIndex(first), ClassIndex(second)), case, per_path=per_path, solver=known).run()


def pairs_by_brute_force(first: Partition, second: Partition, per_path: bool) -> set[tuple[int, int]]:
    groups = [groups_by_class(groups_of(each, "test", per_path)) for each in (first, second)]
    found = set()
    for values in all_inputs(first.test):
        one, other = (scan_classes(each, "test", values) for each in (first, second))
        if one is not None and other is not None:
            outputs = [
                concrete_output(each.classes[number].output, values) for each, number in ((first, one), (second, other))
            ]
            if outputs[0] != outputs[1]:
                found.add((groups[0][one], groups[1][other]))
    return found


@pytest.mark.parametrize("per_path", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_the_pairs_of_groups_that_differ_are_those_of_brute_force(seed: int, per_path: bool) -> None:
    random = Random(seed)
    limits = (((1, 6), (9, 12)), ()) if seed % 3 == 0 else ()
    test = toy_test((4, 4) if limits else SHAPES[seed % 4], limits)
    drop = 0.3 if seed % 5 == 4 else 0.0
    first, second = (random_partition(random, test, agent, drop) for agent in "ab")
    found = compare_toys(first, second, per_path)
    assert set(found.pairs) == pairs_by_brute_force(first, second, per_path)
    assert not found.reasons
    for each in found.inputs:
        assert each.outputs[0] != each.outputs[1]
        assert test.cases[0].variables[0].allows(each.values["m1.a"])


@pytest.mark.parametrize("seed", range(12))
def test_an_input_is_found_down_the_tree_as_by_a_scan(seed: int) -> None:
    random = Random(seed)
    partition = random_partition(random, toy_test(SHAPES[seed % 4]), "a", 0.2 * (seed % 2))
    index = ClassIndex(partition)
    for values in all_inputs(partition.test):
        assert index.find("test", values) == scan_classes(partition, "test", values)


def test_classes_of_a_foreign_partition_may_overlap_and_the_first_one_counts() -> None:
    test = toy_test((8,))
    term = var("m1.a", 8)
    conditions = ((ult(term, const(9, 8)),), (eq(term, const(5, 8)),), (not_(eq(term, const(7, 8))),), ())
    classes = tuple(BehaviourClass("test", {"m1.a": 5}, ((),), condition) for condition in conditions)
    partition = Partition("a", test, "paths", classes[::-1], True)
    for values in all_inputs(test):
        assert ClassIndex(partition).find("test", values) == scan_classes(partition, "test", values)


@pytest.mark.parametrize("seed", range(8))
def test_the_condition_of_a_group_holds_for_the_inputs_of_its_classes(seed: int) -> None:
    random = Random(seed)
    partition = random_partition(random, toy_test(SHAPES[seed % 4]), "a")
    for group in groups_of(partition, "test"):
        condition = group_condition(partition.classes, group.classes)
        slow = [all_(*partition.classes[number].condition) for number in group.classes]
        for values in all_inputs(partition.test):
            assert bool(evaluate_term(condition, values)) == any(evaluate_term(each, values) for each in slow)


def test_outputs_with_terms_differ_where_their_values_do() -> None:
    random = Random(1)
    test = toy_test((3, 3))
    terms = [var(each.name, each.bits) for each in test.cases[0].variables]
    outputs = [random_output(random, terms) for _ in range(30)]
    for one in outputs:
        for other in outputs:
            differ = outputs_differ(one, other)
            for values in all_inputs(test):
                slow = concrete_output(one, values) != concrete_output(other, values)
                assert bool(evaluate_term(differ, values)) == slow


def always(test, agent: str, *output: AgentEvent, complete: bool = True) -> Partition:
    witness = test.cases[0].defaults()
    reasons = () if complete else ("the budget of paths was used up",)
    return Partition(agent, test, "paths", (BehaviourClass("test", witness, (output,)),), complete, reasons)


def test_a_partition_that_says_it_is_complete_and_is_not_is_told() -> None:
    test = toy_test((8,))
    half = BehaviourClass("test", {"m1.a": 0}, ((),), (ult(var("m1.a", 8), const(128, 8)),))
    found = compare_partitions(always(test, "a"), Partition("b", test, "paths", (half,), True))
    assert not found.complete
    assert found.reasons == ("the partition of b says that it is complete, but some inputs have no class (case test)",)


def test_an_incomplete_partition_never_yields_a_complete_comparison() -> None:
    test = toy_test((8,))
    found = compare_partitions(always(test, "a"), always(test, "b", complete=False))
    assert not found.inconsistencies
    assert not found.complete
    assert found.reasons == ("b: the budget of paths was used up",)


@pytest.mark.parametrize("case_has_variables", [True, False])
def test_a_complete_partition_without_classes_is_not_complete(case_has_variables: bool) -> None:
    concrete = read_test({"name": "concrete", "step": [{"message": "barrier_request"}]})
    test = toy_test((8,)) if case_has_variables else concrete
    empty = Partition("b", test, "paths", (), True)
    found = compare_partitions(always(test, "a"), empty)
    assert not found.complete
    assert "the harmless input has no class" in found.reasons[0]


def test_a_partition_that_does_not_say_why_it_is_incomplete_is_incomplete() -> None:
    test = toy_test((8,))
    silent = replace(always(test, "b"), complete=False)
    tried = replace(always(test, "b"), kind="inputs")
    assert compare_partitions(always(test, "a"), silent).reasons == ("b: the partition is not complete",)
    assert "b: only some inputs were tried" in compare_partitions(always(test, "a"), tried).reasons


def test_without_a_solver_only_witnesses_are_compared() -> None:
    test = toy_test((8,))
    found = compare_partitions(always(test, "a"), always(test, "b"), CompareOptions(solver="none"))
    assert (found.complete, found.reasons) == (False, (NO_SOLVER,))


def test_a_time_limit_is_a_reason() -> None:
    test = toy_test((8,))
    found = compare_partitions(always(test, "a"), always(test, "b"), CompareOptions(seconds=-1.0))
    assert (found.complete, found.reasons) == (False, (NO_TIME,))


def test_partitions_of_different_tests_are_refused() -> None:
    one, other = toy_test((8,)), toy_test((4, 4))
    other.document["octets"] = 2  # type: ignore[index]
    with pytest.raises(ComparisonError, match="of test toy, that of b of toy in another form"):
        compare_partitions(always(one, "a"), always(other, "b"))


def test_a_group_that_the_solver_gives_up_is_asked_class_by_class() -> None:
    """The group is a disjunction; each of its classes is one literal."""
    test = toy_test((8,))
    term = var("m1.a", 8)
    outputs = [((),) if value != 3 else ((AgentEvent("crash"),),) for value in range(8)]
    classes = tuple(
        BehaviourClass("test", {"m1.a": value}, outputs[value], (eq(term, const(value, 8)),)) for value in range(8)
    )
    first = Partition("a", test, "paths", classes, False, ("more values",))
    low = ult(term, const(128, 8))
    halves = (
        BehaviourClass("test", {"m1.a": 0}, ((AgentEvent("wait"),),), (low,)),
        BehaviourClass("test", {"m1.a": 200}, ((AgentEvent("close"),),), (not_(low),)),
    )
    second = Partition("b", test, "paths", halves, True)
    asked = []

    class Tired(SOLVER):  # type: ignore[misc, valid-type]
        def check(self, prefix, goal):
            asked.append(prefix)
            return SolverAnswer.UNKNOWN if any(each.op == "not" for each in prefix) else super().check(prefix, goal)

    found = compare_toys(first, second, solver=Tired)
    assert set(found.pairs) == {(0, 0), (1, 0)}
    assert not found.reasons
    assert len(asked) == 13 + 1  # the portions of seven classes, and the group of one class


def test_tried_inputs_are_compared_with_what_the_other_partition_says_of_them() -> None:
    test = toy_test((8,))
    classes = tuple(
        BehaviourClass("test", {"m1.a": value}, ((AgentEvent("crash"),),) if value > 100 else ((),))
        for value in (0, 50, 100, 150, 200)
    )
    tried = Partition("box", test, "inputs", classes, False, ("only 5 inputs were tried",))
    found = compare_partitions(always(test, "a"), tried)
    assert [each.witness for each in found.inconsistencies] == [{"m1.a": 150}]
    assert found.statistics.compared == 5
    assert not found.complete


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_those_of_the_product_of_groups(seed: int) -> None:
    """SOFT's way: each pair of groups is one query."""
    random = Random(100 + seed)
    test = toy_test(SHAPES[seed % 4])
    first, second = (random_partition(random, test, agent) for agent in "ab")
    solver = SOLVER(domain(test.cases[0]), 5.0)
    product = {
        (place, other)
        for place, group in enumerate(groups_of(first, "test"))
        for other, against in enumerate(groups_of(second, "test"))
        if solver.check(
            (group_condition(first.classes, group.classes), group_condition(second.classes, against.classes)),
            outputs_differ(group.output, against.output),
        )
        is not SolverAnswer.UNSAT
    }
    assert set(compare_toys(first, second).pairs) == product


AGENTS = """
class One:
    def reset(self):
        return []

    def message(self, data):
        kind, value = data[1], data[8]
        if kind == 0:
            return []
        if value & 3 == LOW_BITS:
            return [(value >> 6, data)]
        if value > LIMIT:
            raise ValueError(value)
        return [] if value % 5 == 2 else [(1, data[8:])]

    def packet(self, port, frame):
        return []

    def advance(self, milliseconds):
        return []
"""


def test_explored_agents_differ_exactly_on_the_inputs_that_runs_show(tmp_path: Path) -> None:
    variable = Variable("m1.octets", 8, 0)
    step = MessageStep("raw", (Part(32, 0x010D0009), Part(32, 1), Part(8, variable.name)))
    test = SwitchTest("octet", 1, (Case("test", (step,), (variable,)),), {"name": "octet"})
    partitions, runs = [], []
    for name, limit, low_bits in (("a", 200, 1), ("b", 190, 3)):
        file = tmp_path / f"{name}.py"
        file.write_text(AGENTS.replace("LIMIT", str(limit)).replace("LOW_BITS", str(low_bits)))
        source = class_in_file(file, "One", name)
        partitions.append(explore_agent(source, test))
        with source.open(1) as agent:
            runs.append([run_case(agent, test.cases[0], 1, {variable.name: value}) for value in range(256)])
    found = compare_partitions(*partitions)
    assert found.complete
    index = [ClassIndex(each) for each in partitions]
    for value in range(256):
        assert [each.output("test", {variable.name: value}) for each in index] == [runs[0][value], runs[1][value]]
    differing = {value for value in range(256) if runs[0][value] != runs[1][value]}
    assert {each.witness[variable.name] for each in found.inconsistencies} <= differing
    covered = {
        value
        for value in range(256)
        for cause in found.root_causes
        if cause.identity and any(place.focus.covers({variable.name: value}) for place in cause.identity.places)
    }
    assert differing <= covered
