"""Test files: the built-in ones, what a document may hold, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.crosscheck.switch_test import (
    Case,
    MessageStep,
    PacketStep,
    SwitchTest,
    TimeStep,
    Variable,
    template_bytes,
)
from sdnloom.crosscheck.template.tables import ACTION_KINDS, MESSAGE_KINDS, STATS_KINDS
from sdnloom.crosscheck.test_document import TestFileError, built_in_tests, domain, load_test, read_test
from sdnloom.errors import SdnloomError
from sdnloom.network import openflow, packet
from sdnloom.network.openflow.layouts import HEADER, STRUCTS, struct_layout
from sdnloom.symbolic.terms.constructors import all_
from sdnloom.symbolic.terms.evaluate import evaluate_term


def document(*steps: dict[str, Any], **others: Any) -> SwitchTest:
    return read_test({"name": "t", "step": list(steps), **others})


def sent(test: SwitchTest, values: dict[str, int] | None = None, step: int = 0) -> bytes:
    case = test.cases[0]
    found = case.steps[step]
    assert isinstance(found, MessageStep | PacketStep)
    return template_bytes(found.parts, case.defaults() if values is None else values)


@pytest.mark.parametrize("name", built_in_tests())
def test_the_harmless_input_of_a_built_in_test_is_valid(name: str) -> None:
    test = load_test(name)
    assert test.name == name
    assert test.description
    assert read_test(test.document) == test
    assert read_test(test.document).cases == test.cases
    for case in test.cases:
        assert all(variable.allows(variable.default) for variable in case.variables)
        for number, step in enumerate(case.steps, 1):
            if isinstance(step, MessageStep):
                data = template_bytes(step.parts, case.defaults())
                assert openflow.decode(data).xid == number
                assert int.from_bytes(data[2:4], "big") == len(data)


def test_the_built_in_tests_are_those_of_soft_and_more() -> None:
    soft = {"packet-out", "stats-request", "set-config", "flow-mod", "eth-flow-mod", "cs-flow-mods", "concrete"}
    more = {"hello", "timeouts", "port-mod", "queue-config", "self-description", "packet-out-13", "flow-mod-13"}
    assert set(built_in_tests()) == soft | more | {"short-symb"}


def test_the_packet_out_of_soft_has_these_symbolic_bits() -> None:
    """What SOFT's table 1 says: a symbolic action, a symbolic output; lengths and the packet are concrete."""
    case = load_test("packet-out").case("untagged")
    assert [(variable.name, variable.bits) for variable in case.variables] == [
        ("m1.buffer_id", 32),
        ("m1.in_port", 16),
        ("m1.actions[0].type", 16),
        ("m1.actions[0].argument", 32),
        ("m1.actions[1].port", 16),
    ]


def test_ten_octets_of_which_only_the_version_is_concrete() -> None:
    case = load_test("short-symb").cases[0]
    assert sum(variable.bits for variable in case.variables) == 72
    assert template_bytes(case.steps[0].parts, dict.fromkeys(case.defaults(), 0)) == b"\1" + bytes(9)  # type: ignore[union-attr]


# ---- Random messages: the codec is the oracle ------------------------------------------------------------------------

PORTS = st.sampled_from((1, 2, 0xFF00, 0xFFFFFFFD))


@given(st.binary(max_size=20), PORTS, st.integers(0, 2**32 - 1), st.integers(0, 0xFFFF), st.sampled_from((1, 4)))
def test_a_packet_out_is_what_the_codec_writes(data: bytes, port: int, buffer: int, size: int, version: int) -> None:
    wire = port & 0xFFFF if version == 1 and port > 0xFF00 else port
    step = {
        "message": "packet_out",
        "in_port": wire,
        "buffer_id": buffer,
        "actions": [{"action": "output", "port": wire, "max_len": size}],
        "data": data.hex(),
    }
    number = 0xFFFFFF00 if (version, port) == (1, 0xFF00) else port
    message = openflow.PacketOut((openflow.Output(number, size),), data, number, buffer, xid=1)
    found = sent(document(step, openflow="1.0" if version == 1 else "1.3"))
    assert found == openflow.encode(message, version)


ADDRESS = st.integers(0, 2**32 - 1)


@given(ADDRESS, ADDRESS, st.integers(0, 255), st.integers(0, 0xFFFF), st.integers(0, 2**48 - 1))
def test_a_flow_mod_of_13_is_what_the_codec_writes(source: int, mask: int, table: int, priority: int, mac: int) -> None:
    step = {
        "message": "flow_mod",
        "table_id": table,
        "priority": priority,
        "command": "MODIFY",
        "match": {"ipv4_src": {"value": source & mask, "mask": mask}, "eth_type": 0x0800, "in_port": 3},
        "instructions": [
            {
                "instruction": "apply_actions",
                "actions": [
                    {"action": "set_field", "field": "eth_dst", "value": mac},
                    {"action": "dec_nw_ttl"},
                    {"action": "output"},
                ],
            },
            {"instruction": "goto_table", "table_id": 9},
        ],
    }
    actions = (openflow.SetField("eth_dst", mac), openflow.DecNwTtl(), openflow.Output(2))
    match = openflow.Match.of(in_port=3, eth_type=0x0800, ipv4_src=(source, mask) if mask else None)
    message = openflow.FlowMod(
        match,
        openflow.FlowCommand.MODIFY,
        (openflow.ApplyActions(actions), openflow.GotoTable(9)),
        priority,
        table_id=table,
        xid=1,
    )
    assert openflow.decode(sent(document(step, openflow="1.3"))) == message


@given(st.data())
def test_a_flow_mod_of_10_is_what_the_codec_reads(data: st.DataObject) -> None:
    fields = data.draw(st.sets(st.sampled_from(("in_port", "dl_src", "dl_dst", "dl_type", "nw_proto", "nw_src"))))
    slots = STRUCTS[1]["match"].slots
    values = {name: data.draw(st.integers(0, (1 << slots[name].bits) - 1)) for name in sorted(fields)}
    step = {"message": "flow_mod", "match": values, "actions": [{"action": "set_tp_dst", "tp_port": 7}]}
    message = openflow.decode(sent(document(step)))
    assert isinstance(message, openflow.FlowMod)
    assert message.instructions == (openflow.ApplyActions((openflow.SetField("tp_dst", 7),)),)
    names = {"dl_src": "eth_src", "dl_dst": "eth_dst", "dl_type": "eth_type"}
    for name in fields & set(names):
        assert message.match.exact(names[name]) == values[name]
    assert (message.match.get("in_port") is None) == ("in_port" not in fields)


def _steps() -> list[tuple[str, dict[str, Any], dict[str, int]]]:
    """All messages without lists, all statistics and all actions: (version, step, bits of the fields by path)."""
    found = []
    for text, version in (("1.0", 1), ("1.3", 4)):
        for name, kind in MESSAGE_KINDS[version].items():
            slots = {
                slot.name: slot.bits for slot in STRUCTS[version][kind.struct].slots.values() if slot.kind != "size"
            }
            if name != "stats_request":
                found.append((text, {"message": name}, {each: bits for each, bits in slots.items() if each != "match"}))
        for name, kind in STATS_KINDS[version].items():
            layout = struct_layout(version, kind.struct)
            slots = {each: slot.bits for each, slot in layout.items() if each not in ("match", "stats_type")}
            found.append((text, {"message": "stats_request", "stats_type": name}, slots))
        for name, kind in ACTION_KINDS[version].items():
            if name != "set_field":
                slots = {
                    kind.value if slot.name == "value" else slot.name: slot.bits
                    for slot in STRUCTS[version][kind.struct].slots.values()
                    if slot.name not in ("type", "len")
                }
                found.append((text, {"action": name}, slots))
    return found


def _with(step: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The step with values of fields; `match.x` is in a table of its own."""
    nested: dict[str, Any] = dict(step)
    for path, value in values.items():
        outer, _, name = path.rpartition(".")
        (nested.setdefault(outer, {}) if outer else nested)[name] = value
    if "action" in step:
        return {"message": "packet_out", "actions": [nested]}
    return nested


@given(st.sampled_from(_steps()), st.data())
def test_a_symbolic_field_with_a_value_is_the_concrete_field(
    chosen: tuple[str, dict[str, Any], dict[str, int]], data: st.DataObject
) -> None:
    """For each message, statistics request and action: any fields symbolic, any values."""
    version, step, fields = chosen
    values = {path: data.draw(st.integers(0, (1 << bits) - 1), label=path) for path, bits in fields.items()}
    symbolic = data.draw(st.sets(st.sampled_from(sorted(fields)))) if fields else set()
    concrete = document(_with(step, values), openflow=version)
    mixed = document(
        _with(step, {path: "symbolic" if path in symbolic else value for path, value in values.items()}),
        openflow=version,
    )
    prefix = "m1.actions[0]." if "action" in step else "m1."
    assert {variable.name for variable in mixed.cases[0].variables} == {prefix + path for path in symbolic}
    assert sent(mixed, {prefix + path: values[path] for path in symbolic}) == sent(concrete)
    head = HEADER.unpack(sent(concrete))
    assert head["length"] == len(sent(concrete))


@given(st.integers(0, 2**32 - 1), st.integers(0, 0xFFFF), st.booleans())
def test_a_probe_is_what_the_packet_codec_writes(source: int, port: int, tagged: bool) -> None:
    vlan = {"vlan": {"vid": 5, "pcp": 2}} if tagged else {}
    step = {"packet": "udp", "port": 3, "ipv4": {"src": source}, "udp": {"dst": port}, "payload": "0102", **vlan}
    test = document(step)
    assert test.cases[0].steps[0].port == 3  # type: ignore[union-attr]
    headers = (packet.Ethernet(2, 1), *((packet.Vlan(5, 2),) if tagged else ()), packet.IPv4(source, 0x0A000002))
    expected = packet.encode(packet.stack(*headers, packet.Udp(1024, port), payload=b"\1\2"))
    assert sent(test) == expected
    symbolic = document({"packet": "tcp", "ipv4": {"src": "symbolic"}, "tcp": {"dst": {"max": 99}}})
    frame = sent(symbolic, {"p1.ipv4.src": source, "p1.tcp.dst": 7})
    assert packet.decode(frame).headers[1].src == source  # type: ignore[attr-defined]
    assert packet.decode(frame).headers[2].dst == 7  # type: ignore[attr-defined]


# ---- Values ----------------------------------------------------------------------------------------------------------

RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted), min_size=1, max_size=5)


@given(RANGES, st.integers(0, 63))
def test_ranges_are_merged_and_become_terms(ranges: list[list[int]], value: int) -> None:
    test = document(
        {"message": "set_config", "flags": {"values": [each if each[0] != each[1] else each[0] for each in ranges]}}
    )
    variable = test.cases[0].variables[0]
    expected = any(low <= value <= high for low, high in ranges)
    assert variable.allows(value) == expected
    assert bool(evaluate_term(all_(*domain(test.cases[0])), {"m1.flags": value})) == expected
    assert variable.allows(variable.default)
    assert all(last[1] + 1 < first[0] for last, first in zip(variable.ranges, variable.ranges[1:], strict=False))


def test_a_field_takes_names_and_addresses() -> None:
    actions = [{"action": "output", "port": "controller"}, {"action": "set_dl_src", "dl_addr": "00:00:00:00:00:09"}]
    step = {"message": "flow_mod", "command": "delete_strict", "match": {"nw_src": "10.0.0.9"}, "actions": actions}
    message = openflow.decode(sent(document(step)))
    assert isinstance(message, openflow.FlowMod)
    assert message.command == openflow.FlowCommand.DELETE_STRICT
    assert message.instructions[0].actions == (  # type: ignore[attr-defined]
        openflow.Output(openflow.Port.CONTROLLER),
        openflow.SetField("eth_src", 9),
    )


def test_a_default_outside_the_limits_of_a_field_becomes_the_lowest_value() -> None:
    test = document({"message": "set_config", "miss_send_len": {"min": 500, "max": 600}})
    assert test.cases[0].variables == (Variable("m1.miss_send_len", 16, 500, ((500, 600),)),)


def test_question_marks_are_symbolic_octets() -> None:
    test = document({"message": "raw", "octets": "01 ?? ?? 08 00000001 ??"})
    assert test.cases[0].defaults() == {"m1.octets[1]": 0, "m1.octets[8]": 0}
    assert sent(test, {"m1.octets[1]": 0x1234, "m1.octets[8]": 5}).hex() == "011234080000000105"


def test_lengths_and_header_fields_can_be_wrong_on_purpose() -> None:
    step = {
        "message": "packet_out",
        "header": {"version": 9, "length": 3, "xid": "symbolic"},
        "actions": [{"action": "output", "len": 4}],
        "actions_len": 99,
        "tail": "ff",
    }
    data = sent(document(step))
    assert data[:4].hex() == "090d0003"
    assert data[14:16].hex() == "0063"
    assert data[18:20].hex() == "0004"
    assert data[-1] == 0xFF


def test_the_rest_is_what_the_message_has_beside_what_is_given() -> None:
    """Not the header, and nothing inside of actions and data, which are given."""
    step = {"message": "packet_out", "rest": "symbolic", "actions": [{"action": "output"}], "data": {"packet": "tcp"}}
    assert list(document(step).cases[0].defaults()) == ["m1.buffer_id", "m1.in_port"]
    match = {"eth_type": "symbolic", "ip_proto": 6}
    step = {"message": "flow_mod", "rest": "symbolic", "cookie": 1, "priority": 2, "match": match}
    names = list(document(step, openflow="1.3").cases[0].defaults())
    rest = ["cookie_mask", "table_id", "command", "idle_timeout", "hard_timeout", "buffer_id", "out_port", "out_group"]
    assert names == [f"m1.{name}" for name in (*rest, "flags", "match.eth_type")]


def test_cases_and_steps_of_time() -> None:
    steps = [{"message": "hello"}, {"advance": 1500}]
    test = read_test(
        {"name": "t", "case": [{"name": "a", "connection": "fresh", "step": steps}, {"name": "b", "step": steps}]}
    )
    assert [(case.name, case.fresh) for case in test.cases] == [("a", True), ("b", False)]
    assert test.case("a").steps[1] == TimeStep(1500)


def test_a_file_gives_its_name_to_the_test(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[[step]]\nmessage = "hello"\n')
    test = load_test(str(file))
    assert (test.name, test.version, test.document["name"]) == ("mine", 1, "mine")
    assert read_test(test.document) == test


# ---- What is refused -------------------------------------------------------------------------------------------------

HELLO = {"message": "hello"}
OUTPUT = {"action": "output"}
DEEP: dict[str, Any] = {"name": "t", "step": [HELLO]}
_inner = DEEP
for _ in range(5000):
    _inner["x"] = {}
    _inner = _inner["x"]


def document_of(step: Any, **others: Any) -> dict[str, Any]:
    return {"name": "t", "step": [step], **others}


def flags(value: Any) -> dict[str, Any]:
    return document_of({"message": "set_config", "flags": value})


def actions(value: list[Any]) -> dict[str, Any]:
    return document_of({"message": "packet_out", "actions": value})


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "test: name is missing"),
    ({"name": "../x", "step": [HELLO]}, "name is '../x'; expected letters"),
    ({"name": "t"}, "t: step is a list of 0; expected 1 to 16 steps"),
    ({"name": "t", "steps": [HELLO]}, "is unknown; expected one of name, description, openflow, connection, step (d"),
    ({"name": "t", "step": [HELLO] * 17}, "step is a list of 17; expected 1 to 16 steps"),
    ({"name": "t", "step": 5}, "step is 5; expected a list of tables"),
    ({"name": "t", "step": [HELLO], "openflow": "1.5"}, "openflow is '1.5'; expected one of 1.0, 1.3"),
    ({"name": "t", "step": [HELLO], "speed": 1}, "speed = 1 is unknown"),
    (document_of({}), "step[0] is a step with nothing to do"),
    (document_of({**HELLO, "advance": 1}), "step[0] is a step with message and advance"),
    (document_of({"advance": 10**9}), "step[0].advance is 1000000000; expected a whole number from 1"),
    (document_of({"message": "helo"}), "did you mean hello?"),
    (document_of({"message": "group_mod"}), "step[0].message is 'group_mod'; expected one of"),
    (flags(65536), "flags is 65536; expected a number from 0 to"),
    (flags(-1), "flags is -1; expected a number from 0"),
    (flags(True), "flags is true; expected a number"),
    (document_of({"message": "set_config", "flag": 1}), "step[0].flag = 1 is unknown"),
    (flags({"mx": 1}), "step[0].flags.mx = 1 is unknown"),
    (flags({"min": 2, "max": 1}), "flags.max is 1; expected"),
    (flags({"values": []}), "flags.values is []; expected 1 to 64"),
    (flags({"values": list(range(65))}), "expected 1 to 64 values"),
    (flags({"values": [[2, 1]]}), "not above its last"),
    (flags({"values": [[1]]}), "a pair of the first and the last"),
    (flags({"values": [1], "max": 1}), "no min or max beside"),
    (flags({"default": 9, "max": 1}), "flags.default is 9;"),
    (flags({"symbolic": False}), "flags.symbolic is false"),
    (document_of({"message": "packet_out", "in_port": "NOWHERE"}), "one of OFPP_MAX"),
    (actions([{"action": "jump"}]), "step[0].actions[0].action is"),
    (actions([OUTPUT] * 17), "actions is a list of 17"),
    (actions([{"action": "symbolic", "size": 12}]), "multiple of 8"),
    (actions([{"action": "symbolic", "type": 1}]), "a symbolic type"),
    (document_of({"message": "packet_out", "data": "0g"}), "step[0].data is '0g'; expected pairs"),
    (document_of({"message": "packet_out", "data": "00" * 5000}), "5000 octets"),
    (document_of({"message": "packet_out", "data": {"size": 10**9}}), "step[0].data.size is 1000000000"),
    (document_of({"message": "packet_out", "data": {"packet": "ipx"}}), "step[0].data.packet is 'ipx'"),
    (document_of({"message": "raw", "octets": "01 0?"}), "step[0].octets is '0?'; expected pairs"),
    (document_of({"message": "raw", "octets": "??" * 600}), "at most 4096 symbolic bits"),
    (document_of({"message": "flow_mod", "match": {"dl_typ": 1}}), "step[0].match.dl_typ = 1 is unknown"),
    (document_of({"message": "flow_mod", "match": 7}), "step[0].match is 7; expected"),
    (document_of({"message": "flow_mod", "match": {"x": 1}}, openflow="1.3"), "step[0].match.x = 1 is unknown"),
    (document_of({"message": "flow_mod", "match": "symbolic"}, openflow="1.3"), "step[0].match is 'symbolic'"),
    (document_of({"packet": "tcp", "port": 4}), "step[0].port is 4; expected one of"),
    (document_of({"packet": "tcp", "udp": {"dst": 1}}), "step[0].udp = a table is unknown"),
    (document_of({"packet": "tcp", "payload": "00" * 2000}), "at most 1500 octets"),
    ({"name": "t", "step": [{"message": "set_config", "rest": "symbolic"}] * 4}, "at most 3 such messages"),
    ({"name": "t", "case": [{"name": "a", "step": [HELLO]}] * 2}, "the name a twice"),
    ({"name": "t", "case": [{"name": "a", "step": [HELLO]}], "step": [HELLO]}, "step"),
    ({"name": "t", "case": []}, "1 to 32 cases"),
    ({"name": "t", "case": [{"name": "a", "step": [HELLO]}] * 33}, "1 to 32 cases"),
    ({"name": "t", "step": [HELLO], "description": "x" * 30000}, "a text of 30000 characters"),
    (document_of({**HELLO, "x": 1.5}), "step[0].x is 1.5; expected a text, a whole number, a list or a table"),
    (document_of({**HELLO, "x": 1 << 200_000}), "step[0].x is a number of more than 40 digits"),
    ({"name": "t", "step": [list(range(30000))]}, "more than 20000 values"),
    ({"name": "t" * 500, "step": [HELLO]}, "expected letters"),
    ({"x" * 500: 1}, "the key 'xxx"),
    (document_of({**HELLO, "\x1b[2J": 1}), "t: the key '\\x1b[2J'; expected a printable text"),
    ({"name": "\x1b[2J", "step": [HELLO]}, "test: name is '\\x1b[2J'; expected letters"),
    ({"name": "t", "step": [HELLO], "description": "\x1b[2J"}, "description is '\\x1b[2J'; expected one line"),
    ([HELLO], "a test that is of type list; expected a table"),  # type: ignore[list-item]
    (DEEP, "nested more than 8 deep"),
]  # fmt: skip


@pytest.mark.parametrize(("refused", "message"), REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_a_bad_document_is_refused_with_place_value_and_expectation(refused: dict[str, Any], message: str) -> None:
    with pytest.raises(SdnloomError) as error:
        read_test(refused)
    assert message in str(error.value)
    assert len(str(error.value)) < 1000
    assert str(error.value).isprintable()


def test_a_file_that_is_no_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        TestFileError, match=r"test 'pakcet-out' is unknown; expected one of concrete, .* or a TOML file"
    ):
        load_test("pakcet-out")
    for name, content, reason in (
        ("missing.toml", None, "cannot read the test: No such file"),
        ("bytes.toml", b"\xff\xfe", "it is not UTF-8"),
        ("large.toml", b"#" * (1 << 20) + b"\n", "expected a smaller TOML file"),
        ("wrong.toml", b"name = ", "not TOML"),
    ):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(SdnloomError, match=reason):
            load_test(str(tmp_path / name))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(TestFileError, match="Is a directory"):
        load_test(str(tmp_path / "folder.toml"))


def test_variables_of_a_case_have_unique_names_in_the_order_of_the_wire() -> None:
    for name in built_in_tests():
        for case in load_test(name).cases:
            names = [variable.name for variable in case.variables]
            assert len(set(names)) == len(names)
            assert names == _in_templates(case)


def _in_templates(case: Case) -> list[str]:
    steps = (step for step in case.steps if not isinstance(step, TimeStep))
    return [part.value for step in steps for part in step.parts if isinstance(part.value, str)]
