"""The fields of inputs: they cover every bit once, and have the names that people use."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.crosscheck.fields import Field, field_text, input_fields, message_name
from sdnloom.crosscheck.switch_test import Case, MessageStep
from sdnloom.crosscheck.test_document import built_in_tests, load_test, read_test

CASES = [(test.version, case) for test in map(load_test, built_in_tests()) for case in test.cases]
# Types that have layouts, more often than random ones.
KNOWN = st.sampled_from((*range(28), 0xFFFF))
TAGS = ("type", "stats_type", "command")


def drawn(case: Case, data: st.DataObject) -> dict[str, int]:
    return {
        variable.name: data.draw(
            KNOWN.filter(lambda value, bits=variable.bits: value < 1 << bits)  # type: ignore[misc]
            if variable.name.endswith(TAGS)
            else st.integers(0, (1 << variable.bits) - 1)
        )
        for variable in case.variables
    }


@given(st.sampled_from(CASES), st.data())
def test_fields_cover_every_bit_of_every_variable_once(chosen: tuple[int, Case], data: st.DataObject) -> None:
    version, case = chosen
    values = drawn(case, data)
    fields = input_fields(case, values, version)
    bits = Counter((field.variable, field.low + bit) for field in fields for bit in range(field.bits))
    assert set(bits.values()) <= {1}
    assert set(bits) == {(variable.name, bit) for variable in case.variables for bit in range(variable.bits)}
    assert len({field.name for field in fields}) == len(fields)
    rebuilt = dict.fromkeys(values, 0)
    for field in fields:
        rebuilt = field.replaced(rebuilt, field.value(values))
        assert field_text(field, field.value(values), version)
    assert rebuilt == values


def names(case: Case, version: int = 1, **changed: int) -> dict[str, str]:
    """The fields of an input by name, with their values in words."""
    values = case.defaults() | {f"m1.{name.replace('0_', '[0].')}": value for name, value in changed.items()}
    return {
        field.name: field_text(field, field.value(values), version) for field in input_fields(case, values, version)
    }


def test_the_type_of_an_action_decides_the_names_of_its_arguments() -> None:
    case = load_test("packet-out").cases[0]
    assert names(case, actions0_type=1, actions0_argument=0x0FFF_0000) == {
        "buffer_id": "NO_BUFFER",
        "in_port": "OFPP_NONE",
        "actions[0].type": "SET_VLAN_VID",
        "actions[0].vlan_vid": "0x0fff",
        "actions[0].pad": "0x0000",
        "actions[1].port": "2",
    }
    assert names(case, actions0_type=7, actions0_argument=0x0A000001)["actions[0].nw_addr"] == "10.0.0.1"
    assert names(case, actions0_type=0, actions0_argument=0xFFFD_0000)["actions[0].port"] == "OFPP_CONTROLLER"
    # an Enqueue has 16 octets, 8 of which are missing; type 77 does not exist
    assert names(case, actions0_type=11)["actions[0].argument"] == "0x00030000"
    assert names(case, actions0_type=77)["actions[0].type"] == "77"


def test_the_type_of_statistics_decides_the_names_of_the_body() -> None:
    test = load_test("stats-request")
    assert names(test.case("flow_body"))["match.nw_src"] == "10.0.0.1"
    assert names(test.case("flow_body"), stats_type=4)["body"].startswith("0x003fffff")
    assert names(test.case("port_body"), stats_type=5)["queue_id"] == "0x00000000"
    assert list(names(test.case("vendor_body"))) == ["stats_type", "flags", "experimenter"]


def test_a_bit_with_a_meaning_is_a_field() -> None:
    fields = names(load_test("flow-mod").cases[0], flags=4)
    assert fields["flags.emerg"] == "1"
    assert (fields["match.wildcards.nw_src"], fields["match.wildcards.unused"]) == ("63", "0")
    assert names(load_test("port-mod").cases[0], mask=1 << 4)["mask.no_flood"] == "1"


def test_types_and_commands_are_tags() -> None:
    def tags(name: str) -> list[str]:
        case = load_test(name).cases[0]
        return [field.name for field in input_fields(case, case.defaults(), 1) if field.tag]

    assert tags("flow-mod") == ["command", "actions[0].type"]
    assert tags("short-symb") == ["header.type"]
    assert tags("stats-request") == ["stats_type"]


def test_names_start_with_the_step_if_several_are_symbolic() -> None:
    steps = [{"message": "set_config", "flags": "symbolic"}, {"packet": "tcp", "ipv4": {"src": "symbolic"}}]
    case = read_test({"name": "t", "step": steps}).cases[0]
    assert list(names(case)) == ["m1.flags.unused", "m1.flags.fragments", "p2.ipv4.src"]


def test_a_field_of_an_input_can_be_replaced() -> None:
    field = Field("x", "m1.x", 4, 8)
    assert field.value({"m1.x": 0xABCD}) == 0xBC
    assert field.replaced({"m1.x": 0xABCD, "y": 1}, 0x11) == {"m1.x": 0xA11D, "y": 1}


def test_messages_have_names() -> None:
    def name(test: str, step: int = 0, **changed: int) -> str:
        case = load_test(test).cases[0]
        found = case.steps[step]
        assert isinstance(found, MessageStep)
        return message_name(found, case.defaults() | {f"m1.{key}": value for key, value in changed.items()})

    assert name("packet-out") == "Packet Out"
    assert name("flow-mod") == "FlowMod ADD"
    assert name("flow-mod", command=9) == "FlowMod command 9"
    assert name("flow-mod-13", command=3) == "FlowMod DELETE"
    assert name("stats-request", stats_type=1) == "Stats Request FLOW"
    assert name("stats-request", stats_type=0xFFFF) == "Stats Request VENDOR"
    assert name("stats-request", stats_type=6) == "Stats Request type 6"
    assert name("short-symb") == "Echo Request"
    assert name("short-symb", **{"header.type": 16}) == "Stats Request"
    assert name("short-symb", **{"header.type": 99}) == "message of type 99"
    assert name("hello", **{"header.version": 77}) == "Hello"
