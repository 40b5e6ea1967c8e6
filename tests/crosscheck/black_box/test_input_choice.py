"""Which inputs a black box is tried on."""

from itertools import islice, product

import pytest

from sdnloom.crosscheck.black_box import chosen_inputs
from sdnloom.crosscheck.exploration import explore_agent
from sdnloom.crosscheck.switch_test import Part, Variable
from sdnloom.crosscheck.test_document import built_in_tests, load_test
from tests.crosscheck.cases import OUTPUT_TEST, case, made_test, message, small_agent

PACKET_OUT = load_test("packet-out")


@pytest.mark.parametrize("name", built_in_tests())
def test_inputs_are_new_allowed_repeatable_and_start_with_the_harmless_ones(name: str) -> None:
    test = load_test(name)
    inputs = list(chosen_inputs(test, (), 150, seed=3))
    assert [(case.name, case.defaults()) for case in test.cases] == inputs[: len(test.cases)]
    assert len({(case, *values.items()) for case, values in inputs}) == len(inputs)
    for name, values in inputs:
        variables = test.case(name).variables
        assert list(values) == [variable.name for variable in variables]
        assert all(variable.allows(values[variable.name]) for variable in variables)
    assert inputs == list(chosen_inputs(test, (), 150, seed=3))


def test_another_seed_gives_other_random_inputs() -> None:
    one, two = (list(chosen_inputs(PACKET_OUT, (), 700, seed)) for seed in (0, 1))
    assert len(one) == len(two) == 700
    assert one[:500] == two[:500]
    assert one != two


def test_each_field_goes_through_its_constants() -> None:
    inputs = [values for name, values in chosen_inputs(PACKET_OUT, (), 2_000) if name == "untagged"]
    assert {values["m1.actions[0].type"] for values in inputs} >= {*range(13), 0xFFFE, 0xFFFF}
    special = {0xFFF8, 0xFFF9, 0xFFFA, 0xFFFB, 0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF, 0, 1, 0xFFF7}
    assert {values["m1.actions[1].port"] for values in inputs} >= special


def test_each_argument_of_each_action_goes_through_its_bounds() -> None:
    vlan, pcp = 1, 2
    inputs = [values for name, values in chosen_inputs(PACKET_OUT, (), 2_000) if name == "untagged"]
    by_type = {
        kind: {each["m1.actions[0].argument"] for each in inputs if each["m1.actions[0].type"] == kind}
        for kind in (vlan, pcp)
    }
    assert {argument >> 16 for argument in by_type[vlan]} >= {0, 1, 0xFFFE, 0xFFFF, 0x7FFF, 0x8000}
    assert {argument >> 24 for argument in by_type[pcp]} >= {0, 1, 0xFE, 0xFF, 0x7F, 0x80}


def test_a_case_with_few_inputs_is_tried_on_all_of_them() -> None:
    small = Variable("m1.a", 8, 3, ((1, 4), (7, 7)))
    test = made_test(case(message(2, Part(8, small.name), Part(8, "m1.b")), variables=(small, Variable("m1.b", 8))))
    found = {(values["m1.a"], values["m1.b"]) for _, values in chosen_inputs(test, (), 9_999)}
    assert found == set(product((1, 2, 3, 4, 7), range(256)))


def test_witnesses_constants_and_further_inputs_of_a_partition_are_tried() -> None:
    partition = explore_agent(small_agent(), OUTPUT_TEST)
    inputs = [dict(values) for _, values in chosen_inputs(OUTPUT_TEST, (partition,), 400)]
    assert all(dict(each.witness) in inputs for each in partition.classes)
    ports = {values["m1.actions[0].port"] for values in inputs if values["m1.actions[0].type"] == 0}
    assert ports >= {0xFFFC, 0xFFFD, 0xFFFE, 0xFFFA, 0xFFFB, 2, 3, 4}  # constants of the agent and their neighbours


def test_a_partition_of_another_test_is_ignored() -> None:
    partition = explore_agent(small_agent(), OUTPUT_TEST)
    assert list(chosen_inputs(PACKET_OUT, (partition,), 50)) == list(chosen_inputs(PACKET_OUT, (), 50))


def test_cases_take_turns() -> None:
    assert [name for name, _ in islice(chosen_inputs(PACKET_OUT), 6)] == ["untagged", "tagged"] * 3


def test_a_case_without_variables_has_one_input() -> None:
    assert list(chosen_inputs(load_test("concrete"))) == [("test", {})]
