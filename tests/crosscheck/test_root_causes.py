"""Root causes: of small agents given as functions of the input, of random partitions, and of the agents here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.comparison import CompareOptions, Comparison, compare_partitions, merge_comparisons
from sdnloom.crosscheck.exploration import explore_agent
from sdnloom.crosscheck.output import AgentEvent, AgentOutput
from sdnloom.crosscheck.overlap.class_index import ClassIndex
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.crosscheck.root_causes.cause import RootCause, causes_of_input, merged_causes, root_cause
from sdnloom.crosscheck.root_causes.difference import differences
from sdnloom.crosscheck.root_causes.difference_term import difference_term
from sdnloom.crosscheck.root_causes.find import CauseFinder
from sdnloom.crosscheck.root_causes.minimal_input import changed_fields, minimal_input
from sdnloom.crosscheck.root_causes.set_check import partition_checks
from sdnloom.crosscheck.root_causes.trial import Trial
from sdnloom.crosscheck.root_causes.value_set import SetForm
from sdnloom.crosscheck.switch_test import SwitchTest
from sdnloom.crosscheck.test_document import load_test, read_test
from sdnloom.symbolic.solver.interface import find_solver
from sdnloom.symbolic.terms.constructors import const, eq, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from tests.crosscheck.toy_partitions import all_inputs, random_output, random_partition, toy_test

PACKET_OUT = load_test("packet-out")
FLOW_MOD = load_test("flow-mod")
TYPE, ARGUMENT, PORT = "m1.actions[0].type", "m1.actions[0].argument", "m1.actions[1].port"

React = Callable[[Mapping[str, int]], list[AgentEvent]]


def frame(port: int = 2, data: bytes = b"x") -> AgentEvent:
    return AgentEvent("frame", (("port", port), ("data", data)))


def error(kind: int, code: int) -> AgentEvent:
    return AgentEvent("Error", (("type", kind), ("code", code)))


CRASH = AgentEvent("crash")
BAD_PORT, BAD_ARGUMENT, BAD_BUFFER = error(2, 4), error(2, 5), error(1, 8)


def found_causes(
    first: React, second: React, *inputs: Mapping[str, int], test: SwitchTest = PACKET_OUT
) -> list[RootCause]:
    """Return the causes of inputs, given as changes of the harmless one."""
    case = test.cases[0]

    def runs(react: React) -> Callable[[str, Mapping[str, int]], AgentOutput]:
        return lambda name, values: (tuple(react(values)), *((),) * (len(case.steps) - 1))

    trial = Trial(case, test.version, (runs(first), runs(second)))
    finder = CauseFinder(trial, lambda values, field, difference: None)
    finder.add((({**case.defaults(), **each}), number) for number, each in enumerate(inputs))
    return [root_cause(test, ("a", "b"), each) for each in finder.found if not each.smaller]


def causes(first: React, second: React, *inputs: Mapping[str, int], test: SwitchTest = PACKET_OUT) -> dict[str, str]:
    """Return the causes of inputs: condition -> difference."""
    found = found_causes(first, second, *inputs, test=test)
    return {each.condition: each.difference for each in merged_causes(found)}


def forwards(values: Mapping[str, int]) -> list[AgentEvent]:
    return [frame()]


def vlan(values: Mapping[str, int]) -> int:
    return values[ARGUMENT] >> 16 if values[TYPE] == 1 else 0


class TestConditions:
    """What a cause is called."""

    def test_an_argument_of_an_action_is_named_with_the_action(self) -> None:
        def drops(values: Mapping[str, int]) -> list[AgentEvent]:
            return [] if vlan(values) > 0xFFF else [frame()]

        noise = {TYPE: 1, ARGUMENT: 0xABCD1234, "m1.in_port": 77, "m1.buffer_id": 5, PORT: 9}
        assert causes(forwards, drops, noise) == {
            "Packet Out, action SET_VLAN_VID, vlan_vid > 0x0fff": "a sends frames, b does nothing"
        }

    def test_the_place_of_an_action_does_not_count(self) -> None:
        def controller(values: Mapping[str, int]) -> list[AgentEvent]:
            first = values[TYPE] == 0 and values[ARGUMENT] >> 16 == 0xFFFD
            return [CRASH] if first or values[PORT] == 0xFFFD else [frame()]

        found = causes(forwards, controller, {PORT: 0xFFFD}, {ARGUMENT: 0xFFFD0007})
        assert found == {"Packet Out, output port == OFPP_CONTROLLER": "a sends frames, b crashes"}

    def test_fields_that_have_to_be_equal_are_told_so(self) -> None:
        def refuses(values: Mapping[str, int]) -> list[AgentEvent]:
            equal = not values["m1.match.wildcards"] & 1 and values["m1.match.in_port"] == values[PORT]
            return [BAD_PORT] if equal else []

        inputs = [{"m1.match.wildcards": 0, "m1.match.in_port": port, PORT: port} for port in (7, 2, 500)]
        found = causes(lambda values: [], refuses, *inputs, test=FLOW_MOD)
        assert list(found) == ["FlowMod ADD, match.wildcards.in_port == 0, match.in_port == output port"]

    def test_a_field_that_has_to_be_greater_than_another_is_told_so(self) -> None:
        def refuses(values: Mapping[str, int]) -> list[AgentEvent]:
            idle, hard = values["m1.idle_timeout"], values["m1.hard_timeout"]
            return [BAD_ARGUMENT] if idle > hard > 0 else []

        inputs = [{"m1.idle_timeout": idle, "m1.hard_timeout": hard} for idle, hard in ((9, 4), (700, 2), (65535, 900))]
        found = causes(lambda values: [], refuses, *inputs, test=FLOW_MOD)
        assert list(found) == ["FlowMod ADD, idle_timeout > hard_timeout, hard_timeout != 0"]

    def test_fields_that_are_equal_in_the_harmless_input_say_for_which_values_it_matters(self) -> None:
        def refuses(values: Mapping[str, int]) -> list[AgentEvent]:
            idle, hard = values["m1.idle_timeout"], values["m1.hard_timeout"]
            return [error(3, 5)] if idle == hard != 0 else []

        inputs = [{"m1.idle_timeout": each, "m1.hard_timeout": each} for each in (9, 700, 65535)]
        found = causes(lambda values: [], refuses, *inputs, test=FLOW_MOD)
        assert list(found) == ["FlowMod ADD, idle_timeout == hard_timeout, hard_timeout != 0"]

    def test_a_message_of_several_types_is_not_named_by_one_of_them(self) -> None:
        def refuses(values: Mapping[str, int]) -> list[AgentEvent]:
            return [error(1, 1)] if 4 <= values["m1.header.type"] <= 6 else []

        found = causes(lambda values: [], refuses, {"m1.header.type": 5}, test=load_test("short-symb"))
        assert found == {
            "message, VENDOR <= header.type <= FEATURES_REPLY": "a does nothing, b sends Error bad_request bad_type"
        }

    def test_reserved_ports_have_names(self) -> None:
        def floods(values: Mapping[str, int]) -> list[AgentEvent]:
            return [frame(2), frame(0xFFFE)] if values[PORT] == 0xFFFB else [frame(2)]

        found = causes(forwards, floods, {PORT: 0xFFFB})
        assert list(found.values()) == ["a sends frames on port 2, b sends frames on ports 2, OFPP_LOCAL"]

    def test_a_type_alone_is_a_set_of_types(self) -> None:
        def refuses(values: Mapping[str, int]) -> list[AgentEvent]:
            return [error(2, 0)] if values[TYPE] > 11 else [frame()]

        assert list(causes(forwards, refuses, {TYPE: 400})) == ["Packet Out, action type > ENQUEUE"]

    def test_a_command_is_part_of_the_name_of_the_message(self) -> None:
        def deletes(values: Mapping[str, int]) -> list[AgentEvent]:
            return [CRASH] if values["m1.command"] == 3 and values["m1.out_port"] != 0xFFFF else []

        found = causes(lambda values: [], deletes, {"m1.command": 3, "m1.out_port": 8, PORT: 1}, test=FLOW_MOD)
        assert list(found) == ["FlowMod DELETE, out_port != OFPP_NONE"]

    def test_what_always_differs_has_no_condition_on_the_input(self) -> None:
        found = causes(forwards, lambda values: [frame(), frame(3)], {}, {PORT: 7}, {TYPE: 5, "m1.in_port": 9})
        assert found == {"Packet Out": "a sends frames on port 2, b sends frames on ports 2, 3"}

    def test_a_difference_without_a_condition_says_where_it_is_seen(self) -> None:
        step = {"message": "flow_mod", "actions": [{"action": "output", "port": 2}]}
        test = read_test({"name": "timed", "step": [step, {"advance": 1500}, {"advance": 500}]})
        case = test.cases[0]
        removed = AgentEvent("FlowRemoved", (("reason", 0),))
        outputs: list[AgentOutput] = [((), (), (removed,)), ((), (), ())]
        trial = Trial(case, 1, (lambda name, values: outputs[0], lambda name, values: outputs[1]))
        finder = CauseFinder(trial, lambda values, field, difference: None)
        finder.add([({}, 0)])
        (cause,) = (root_cause(test, ("a", "b"), each) for each in finder.found)
        assert (cause.condition, cause.difference) == ("FlowMod ADD, after 2 s", "a sends FlowRemoved, b does nothing")


class TestMeetings:
    """Inputs in which two causes meet are explained by them."""

    def test_a_crash_and_a_refusal_that_meet_are_two_causes(self) -> None:
        def crashes(values: Mapping[str, int]) -> list[AgentEvent]:
            return [CRASH] if values[PORT] == 0xFFFD else [frame()]

        def refuses(values: Mapping[str, int]) -> list[AgentEvent]:
            return [BAD_ARGUMENT] if vlan(values) > 0xFFF else [frame()]

        both = {TYPE: 1, ARGUMENT: 0x10000000, PORT: 0xFFFD}
        assert list(causes(crashes, refuses, both)) == ["Packet Out, output port == OFPP_CONTROLLER"]
        found = causes(crashes, refuses, both, {TYPE: 1, ARGUMENT: 0x10000000})
        assert list(found) == [
            "Packet Out, action SET_VLAN_VID, vlan_vid > 0x0fff",
            "Packet Out, output port == OFPP_CONTROLLER",
        ]

    def test_a_fault_that_only_one_agent_notices_is_no_order_of_validation(self) -> None:
        def only_ports(values: Mapping[str, int]) -> list[AgentEvent]:
            return [BAD_PORT] if values[PORT] == 0 else [frame()]

        def arguments_first(values: Mapping[str, int]) -> list[AgentEvent]:
            return [BAD_ARGUMENT] if vlan(values) > 0xFFF else only_ports(values)

        found = causes(only_ports, arguments_first, {TYPE: 1, ARGUMENT: 0x10000000, PORT: 0})
        assert list(found) == ["Packet Out, action SET_VLAN_VID, vlan_vid > 0x0fff"]

    def test_two_faults_that_both_notice_in_another_order_are_a_cause(self) -> None:
        def buffers(values: Mapping[str, int]) -> list[AgentEvent]:
            return [BAD_BUFFER] if values["m1.buffer_id"] != 0xFFFFFFFF else []

        def ports(values: Mapping[str, int]) -> list[AgentEvent]:
            return [BAD_PORT] if values[PORT] == 0 or (values[TYPE] == 0 and values[ARGUMENT] >> 16 == 0) else []

        def ports_first(values: Mapping[str, int]) -> list[AgentEvent]:
            return ports(values) or buffers(values) or [frame()]

        def buffers_first(values: Mapping[str, int]) -> list[AgentEvent]:
            return buffers(values) or ports(values) or [frame()]

        found = causes(
            ports_first, buffers_first, {"m1.buffer_id": 3, PORT: 0}, {"m1.buffer_id": 9, ARGUMENT: 0x00001111}
        )
        assert found == {
            "Packet Out, buffer_id != NO_BUFFER, output port == 0": "a sends Error bad_action bad_out_port, "
            "b sends Error bad_request buffer_unknown"
        }

    def test_a_cause_that_needs_two_fields_is_one(self) -> None:
        def needs_both(values: Mapping[str, int]) -> list[AgentEvent]:
            return [CRASH] if values["m1.in_port"] == 9 and values["m1.buffer_id"] < 16 else [frame()]

        found = causes(forwards, needs_both, {"m1.in_port": 9, "m1.buffer_id": 12, PORT: 4})
        assert list(found) == ["Packet Out, buffer_id < 0x00000010, in_port == 9"]

    def test_a_cause_that_is_seen_earlier_with_another_field_is_one(self) -> None:
        """As an entry that lives too long: a removed message shows it at once, if it is asked for."""

        def removes(values: Mapping[str, int]) -> list[AgentEvent]:
            told = [AgentEvent("FlowRemoved")] if values["m1.buffer_id"] == 5 else []
            return [*told, frame(3)] if values["m1.in_port"] == 9 else [frame()]

        def keeps(values: Mapping[str, int]) -> list[AgentEvent]:
            return [frame()]

        found = causes(removes, keeps, {"m1.in_port": 9, "m1.buffer_id": 5})
        assert list(found) == ["Packet Out, in_port == 9"]


class TestMessages:
    """The same cause in several messages and tests."""

    @staticmethod
    def floods(values: Mapping[str, int]) -> list[AgentEvent]:
        return [frame(1), frame(2)] if values[PORT] == 0xFFFB else [frame(2)]

    @staticmethod
    def crashes(values: Mapping[str, int]) -> list[AgentEvent]:
        return [CRASH] if values[PORT] == 0xFFFB else [frame(2)]

    def test_actions_of_two_messages_with_one_condition_are_one_cause(self) -> None:
        found = [
            cause
            for test in (PACKET_OUT, FLOW_MOD)
            for cause in found_causes(forwards, self.floods, {PORT: 0xFFFB}, test=test)
        ]
        (cause,) = merged_causes(found)
        assert cause.condition == "Packet Out, output port == OFPP_FLOOD; also FlowMod ADD, output port == OFPP_FLOOD"
        assert cause.message == "Packet Out"
        assert merged_causes([cause, *found]) == (cause,)

    def test_another_kind_of_difference_is_another_cause(self) -> None:
        found = found_causes(forwards, self.floods, {PORT: 0xFFFB})
        found += found_causes(forwards, self.crashes, {PORT: 0xFFFB}, test=FLOW_MOD)
        assert len(merged_causes(found)) == 2

    def test_a_cause_that_needs_more_in_another_test_is_the_same(self) -> None:
        def shadowed(values: Mapping[str, int]) -> list[AgentEvent]:
            return self.floods(values) if values["m1.in_port"] == 3 else [frame(2)]

        found = found_causes(forwards, shadowed, {PORT: 0xFFFB, "m1.in_port": 3})
        found += found_causes(forwards, self.floods, {PORT: 0xFFFB})
        (cause,) = merged_causes(found)
        assert cause.condition == "Packet Out, output port == OFPP_FLOOD"

    @pytest.mark.parametrize(("port", "count"), [("FLOOD", 1), (3, 2)])
    def test_a_concrete_message_that_satisfies_the_condition_of_a_cause_belongs_to_it(
        self, port: Any, count: int
    ) -> None:
        step = {"message": "packet_out", "actions": [{"action": "output", "port": port}], "data": {"packet": "tcp"}}
        concrete = read_test({"name": "concrete-flood", "step": [step]})
        found = found_causes(lambda values: [frame(2)], lambda values: [frame(1), frame(2)], {}, test=concrete)
        assert [cause.condition for cause in found] == ["Packet Out"]
        found += found_causes(forwards, self.floods, {PORT: 0xFFFB})
        merged = merged_causes(found)
        assert len(merged) == count
        assert merged[-1].condition == "Packet Out, output port == OFPP_FLOOD"


class TestDifferences:
    """What counts as one difference."""

    CASE = PACKET_OUT.cases[0]

    def of(self, first: list[AgentEvent], second: list[AgentEvent]) -> list[str]:
        return [
            each.field or str(each.reactions) for each in differences((tuple(first),), (tuple(second),), self.CASE, 1)
        ]

    def test_equal_outputs_have_none(self) -> None:
        assert self.of([frame()], [frame()]) == []

    def test_a_crash_counts_whatever_the_other_does(self) -> None:
        assert self.of([CRASH], [frame()]) == self.of([CRASH], [BAD_PORT, frame(3)])

    def test_an_error_before_both_close_counts(self) -> None:
        close = AgentEvent("close")
        assert self.of([BAD_PORT, close], [close]) == ["(('Error bad_action bad_out_port',), ('accepts',))"]

    def test_a_packet_for_the_controller_is_a_packet(self) -> None:
        packet_in = AgentEvent("PacketIn", (("data", b""),))
        assert self.of([packet_in], []) == self.of([frame()], []) == ["(('packets',), ())"]

    def test_headers_are_compared_field_by_field_without_checksums(self) -> None:
        ip = "45000028000100004006{}0a0000010a000002" + "00" * 20
        plain, marked = (bytes.fromhex("00" * 12 + "0800" + each) for each in (
            ip.format("66cd"), ip.replace("4500", "4504", 1).format("66c9")))  # fmt: skip
        assert self.of([frame(2, plain)], [frame(2, marked)]) == ["frame.ipv4.dscp"]

    def test_a_packet_that_is_cut_differs_in_its_length(self) -> None:
        assert self.of([frame(2, b"abcd")], [frame(2, b"ab")]) == ["frame.length"]

    def test_elements_of_lists_are_compared_by_their_numbers(self) -> None:
        ports = [("ports.count", 2)]
        ports += [("ports[0].port_no", 1), ("ports[0].curr", 5), ("ports[1].port_no", 3), ("ports[1].curr", 5)]
        fewer = [("ports.count", 1), ("ports[0].port_no", 3), ("ports[0].curr", 6)]
        found = self.of([AgentEvent("FeaturesReply", tuple(ports))], [AgentEvent("FeaturesReply", tuple(fewer))])
        assert found == ["FeaturesReply.ports.count", "FeaturesReply.ports[].curr"]

    def test_what_follows_a_difference_is_no_difference_of_its_own_unless_nothing_was_changed(self) -> None:
        case = FLOW_MOD.cases[0]
        assert len(differences(((BAD_PORT,), (frame(),)), ((), ()), case, 1)) == 1
        asked = load_test("concrete").cases[0]
        reply = AgentEvent("EchoReply")
        assert len(differences(((reply,), (), (), ()), ((), (BAD_PORT,), (), ()), asked, 1)) == 2

    @pytest.mark.parametrize("seed", range(6))
    def test_the_term_of_a_difference_holds_where_the_difference_is(self, seed: int) -> None:
        random = Random(seed)
        test = toy_test((3, 3))
        case = test.cases[0]
        terms = [var(each.name, each.bits) for each in case.variables]
        outputs = [random_output(random, terms) for _ in range(20)]
        told = 0
        for _ in range(60):
            one, other = random.choice(outputs), random.choice(outputs)
            index = [
                ClassIndex(Partition(name, test, "paths", (BehaviourClass("test", case.defaults(), output),), True))
                for name, output in (("a", one), ("b", other))
            ]
            concrete = {
                tuple(values.items()): differences(
                    *(each.class_output(0, values) for each in index),
                    case,
                    test.version,  # type: ignore[misc]
                )
                for values in all_inputs(test)
            }
            for wanted in {each for found in concrete.values() for each in found}:
                term = difference_term(one, other, wanted, case, test.version)
                if term is not None:
                    told += 1
                    for values, found in concrete.items():
                        assert bool(evaluate_term(term, dict(values))) == (wanted in found)
        assert told > 10


def compare_random(seed: int, shuffle: int = 0) -> tuple[Partition, Partition, Comparison]:
    random = Random(seed)
    test = toy_test(((4, 4), (3, 5), (2, 3, 3))[seed % 3])
    first, second = (random_partition(random, test, agent) for agent in "ab")
    if shuffle:
        order = Random(shuffle)
        first, second = (
            replace(each, classes=tuple(order.sample(each.classes, len(each.classes)))) for each in (first, second)
        )
    return first, second, compare_partitions(first, second)


@pytest.mark.parametrize("seed", range(30))
def test_every_differing_input_is_covered_by_a_cause_and_no_other_input_has_its_difference(seed: int) -> None:
    first, second, found = compare_random(seed)
    test = first.test
    indexes = ClassIndex(first), ClassIndex(second)
    trial = Trial(test.cases[0], test.version, (indexes[0].output, indexes[1].output))
    places = [place for cause in found.root_causes if cause.identity for place in cause.identity.places]
    vague = any(each.values.form is SetForm.EXAMPLES for place in places for each in place.focus.fields)
    for values in all_inputs(test):
        outputs = trial.outputs(values)
        assert outputs is not None
        if outputs[0] != outputs[1] and not vague:
            assert any(place.focus.covers(values) for place in places)
    for cause in found.root_causes:
        assert cause in causes_of_input(found.root_causes, test, "test", cause.witness, cause.outputs)
        assert trial.outputs(cause.witness) == cause.outputs
        assert cause.outputs[0] != cause.outputs[1]


@pytest.mark.parametrize("seed", range(10))
def test_causes_do_not_depend_on_the_order_of_classes(seed: int) -> None:
    told = {
        tuple((cause.condition, cause.difference, tuple(cause.witness.items())) for cause in found.root_causes)
        for found in (compare_random(seed, shuffle)[2] for shuffle in range(3))
    }
    assert len(told) == 1


@pytest.mark.parametrize("seed", range(10))
def test_no_field_of_a_minimal_input_can_have_its_default(seed: int) -> None:
    first, second, _ = compare_random(seed)
    test = first.test
    trial = Trial(test.cases[0], test.version, (ClassIndex(first).output, ClassIndex(second).output))
    for values in all_inputs(test):
        for difference in trial.differences(values):
            minimal = minimal_input(trial, values, difference)
            assert trial.has(minimal, difference)
            for field in changed_fields(trial, minimal):
                assert not trial.has(field.replaced(minimal, field.value(trial.defaults)), difference)


@pytest.mark.parametrize("seed", range(10))
def test_sets_proven_by_the_solver_are_those_of_brute_force(seed: int) -> None:
    random = Random(seed)
    test = toy_test((9, 4))
    case = test.cases[0]
    first, second = (random_partition(random, test, agent) for agent in "ab")
    indexes = ClassIndex(first), ClassIndex(second)
    trial = Trial(case, test.version, (indexes[0].output, indexes[1].output))
    finder = CauseFinder(trial, partition_checks(indexes, case, test.version, find_solver(), 5.0))
    finder.add([(each.witness, 0) for partition in (first, second) for each in partition.classes])
    for cause in finder.found:
        for each in cause.focus.fields:
            if each.exact and each.equal is None and cause.focus.fields[-1] is each:
                for value in range(1 << each.field.bits):
                    holds = trial.has(each.field.replaced(cause.focus.values, value), cause.difference)
                    assert holds == (value in each.values)


# -- the agents here ---------------------------------------------------------------------------------------------------

MODIFICATIONS = {
    "hello": ("hello", "Hello on a fresh connection: version 1 / 2"),
    "timeout": ("timeouts", "FlowMod ADD, 1 <= idle_timeout <= 3, flags.send_flow_rem == 1"),
    "miss-length": ("set-config", "Set Config, miss_send_len == 0x0000"),
    "port-zero": ("stats-request", "Stats Request PORT, port_no == 0"),
    "advertise": ("port-mod", "Port Mod, advertise != 0x00000000"),
}


@pytest.mark.parametrize("name", MODIFICATIONS)
def test_a_modification_is_one_root_cause_that_names_its_field(name: str) -> None:
    test, condition = MODIFICATIONS[name]
    partitions = [explore_agent(load_agent(agent), load_test(test)) for agent in ("reference-like", f"modified:{name}")]
    found = compare_partitions(*partitions)
    assert [cause.condition for cause in found.root_causes] == [condition]
    assert found.complete
    assert all(cause.inconsistencies == tuple(range(len(found.inconsistencies))) for cause in found.root_causes)


def test_the_same_causes_in_two_tests_are_listed_once() -> None:
    tests = [load_test(name) for name in ("stats-request", "self-description")]
    found = [
        compare_partitions(*(explore_agent(load_agent(agent), test) for agent in ("reference-like", "ovs-like")))
        for test in tests
    ]
    merged = merge_comparisons(found)
    conditions = [cause.condition for cause in merged.root_causes]
    assert len(conditions) == len(set(conditions)) < sum(len(each.root_causes) for each in found)
    assert sum("DescReply" in each for each in conditions) == 3
    assert len(merged.inconsistencies) == sum(len(each.inconsistencies) for each in found)
    for cause in merged.root_causes:
        assert all(number < len(merged.inconsistencies) for number in cause.inconsistencies)


def test_a_black_box_is_run_to_find_causes() -> None:
    """Of the box only two inputs are known; the cause is as good as that of a partition."""
    test = read_test({"name": "own", "step": [{"message": "port_mod", "port_no": "symbolic", "config": "symbolic"}]})
    case = test.cases[0]
    values = {**case.defaults(), "m1.port_no": 900, "m1.config": 77}
    crash: AgentOutput = ((CRASH,),)
    quiet: AgentOutput = ((),)
    box = Partition(
        "box", test, "inputs",
        (BehaviourClass("test", case.defaults(), quiet), BehaviourClass("test", values, crash)),
        False, ("two inputs were tried",),
    )  # fmt: skip
    other = Partition("a", test, "paths", (BehaviourClass("test", case.defaults(), quiet),), True)
    runs = []

    def run(name: str, given: Mapping[str, int]) -> AgentOutput:
        runs.append(given)
        return crash if given["m1.port_no"] > 255 else quiet

    found = compare_partitions(other, box, CompareOptions(outcomes=(None, run)))
    assert [(cause.condition, cause.exact) for cause in found.root_causes] == [("Port Mod, port_no > 255", False)]
    assert len(runs) < 120
    assert not found.complete


def test_what_an_agent_cannot_show_is_left_out_on_both_sides() -> None:
    test = toy_test((4,))
    witness = test.cases[0].defaults()
    first = Partition("a", test, "paths", (BehaviourClass("test", witness, ((frame(),),)),), True)
    second = Partition("b", test, "paths", (BehaviourClass("test", witness, ((),)),), True)
    assert len(compare_partitions(first, second).root_causes) == 1
    blind = replace(second, unseen=("frame",))
    assert compare_partitions(first, blind).inconsistencies == ()


@pytest.mark.parametrize(("wrong", "conditions"), [
    (lambda port: port + 1, ["every PacketIn: reason NO_MATCH / ACTION"]),
    (lambda port: port if port < 4 else port + 1, ["Packet Out, 4 <= output port <= 7"]),
])  # fmt: skip
def test_a_field_that_differs_in_every_message_has_no_condition(
    wrong: Callable[[int], int], conditions: list[str]
) -> None:
    step = {
        "message": "packet_out",
        "actions": [{"action": "output", "port": {"symbolic": True, "default": 0, "max": 7}}],
    }
    test = read_test({"name": "controller", "step": [step]})
    case = test.cases[0]
    name = case.variables[0].name

    def partition(agent: str, reason: Callable[[int], int]) -> Partition:
        classes = []
        for value in range(8):
            event = (AgentEvent("PacketIn", (("reason", reason(value)),)),) if value else ()
            condition = (eq(var(name, 16), const(value, 16)),)
            classes.append(BehaviourClass("test", {name: value}, (event,), condition))
        return Partition(agent, test, "paths", tuple(classes), True)

    found = compare_partitions(partition("a", lambda port: 0), partition("b", lambda port: wrong(port) - port))
    assert [cause.condition for cause in found.root_causes] == conditions


def tried_inputs(test: SwitchTest, react: React, *inputs: Mapping[str, int]) -> Partition:
    case = test.cases[0]
    classes = tuple(
        BehaviourClass("test", {**case.defaults(), **each}, (tuple(react({**case.defaults(), **each})),))
        for each in inputs
    )
    return Partition("box", test, "inputs", classes, False, (f"{len(inputs)} inputs were tried",))


def test_inputs_that_were_tried_once_have_causes_too() -> None:
    """Two files, without a switch to ask: only tried inputs count, and values between them are taken as they are."""
    test = read_test({"name": "own", "step": [{"message": "port_mod", "port_no": "symbolic", "mask": "symbolic"}]})

    def crashes(values: Mapping[str, int]) -> list[AgentEvent]:
        return [CRASH] if values["m1.port_no"] > 255 else []

    ports = [{"m1.port_no": value} for value in (0, 1, 255, 256, 4000, 65535)]
    both = [{"m1.port_no": 700, "m1.mask": 32}, {"m1.port_no": 9, "m1.mask": 32}]
    partitions = [tried_inputs(test, react, {}, *ports, *both) for react in (lambda values: [], crashes)]
    found = compare_partitions(*partitions)
    assert [(cause.condition, cause.exact) for cause in found.root_causes] == [("Port Mod, port_no > 255", False)]
    assert found.root_causes[0].inconsistencies == (0,)
    assert found.inconsistencies[0].condition == "port_no == 256"
    assert not found.complete


def test_counters_that_a_switch_does_not_keep_are_one_cause() -> None:
    test = load_test("self-description")
    case = test.case("port_counters").name
    names = ("ports[0].rx_errors", "ports[0].tx_errors")
    outputs = [
        ((AgentEvent("PortStatsReply", (*((name, value) for name in names), ("flags", value & 3))),),)
        for value in (0, (1 << 64) - 1)
    ]
    first, second = (
        Partition(agent, test, "paths", (BehaviourClass(case, {}, output),), True)
        for agent, output in zip("ab", outputs, strict=True)
    )
    found = compare_partitions(first, second)
    assert [cause.condition for cause in found.root_causes] == [
        "PortStatsReply to Stats Request PORT: ports[].rx_errors, ports[].tx_errors 0 / 0xffffffffffffffff",
        "PortStatsReply to Stats Request PORT: flags 0 / 3",
    ]
