"""The page about Open vSwitch: an input of each row is tried, and both switches do what the row says."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sdnloom.crosscheck.agent import Agent
from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.test_document import load_test
from sdnloom.crosscheck.wire.vendor_error import error_words
from sdnloom.network.openflow.constants import V10, V13

PAGE = (Path(__file__).parents[2] / "docs" / "crosscheck-openvswitch.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    """The start of a row, an input that differs from the harmless one in some variables, and the errors of both."""

    start: str
    test: str
    changes: dict[str, int] = {}  # noqa: RUF012
    strict: str = ""
    ovs: str = ""
    case: str = ""


TYPE, ARGUMENT = "m1.actions[0].type", "m1.actions[0].argument"
PORT = "m1.actions[1].port"
NO_PORT = "bad_action bad_out_port"
ACTION13, ARGUMENT13 = "m1.instructions[0].actions[0].type", "m1.instructions[0].actions[0].argument"
PORT13, INSTRUCTION = "m1.instructions[0].actions[1].port", "m1.instructions[1].type"
LOCAL, TABLE, ALL = 0xFFFE, 0xFFF9, 0xFFFC
LOCAL13, ANY13 = 0xFFFFFFFE, 0xFFFFFFFF
DELETE = {"m1.command": 3}
FLOW_BODY = load_test("stats-request").case("flow_body").defaults()["m1.body"]
TABLE_254 = FLOW_BODY - (1 << 24)  # all tables are 255

ROWS10 = (
    Row("Features Request: n_tables", "self-description", case="tables"),
    Row("Features Request, Stats Request PORT: ports", "self-description", case="features"),
    Row("Stats Request DESC", "self-description", case="description"),
    Row("Stats Request PORT: errors", "self-description", case="port_counters"),
    Row("Queue Config Request", "self-description", case="queues"),
    Row(
        "Stats Request QUEUE for queue 0",
        "stats-request",
        {"m1.stats_type": 5},
        "queue_op_failed bad_queue",
        "",
        "port_body",
    ),
    Row("Stats Request FLOW or AGGREGATE, table_id == 254", "stats-request", {"m1.body": TABLE_254}, case="flow_body"),
    Row("Hello, header.version == 0", "hello", {"m1.header.version": 0}, "hello_failed incompatible"),
    Row("Hello after the connection is set up", "short-symb", {"m1.header.type": 0}, "", "bad_request bad_type"),
    Row("header.length < 8", "short-symb", {"m1.header.length": 7}, "bad_request bad_len"),
    Row("Set Config, flags.fragments == 3", "set-config", {"m1.flags": 3}),
    Row("Set Config, flags.unused > 1", "set-config", {"m1.flags": 8}, "", "nicira bad_request unencodable_error"),
    Row("Set Config, flags.unused == 1", "set-config", {"m1.flags": 6}),
    Row("output port == 0", "packet-out", {PORT: 0}, NO_PORT, "", "untagged"),
    Row("4 <= output port <= 65279", "packet-out", {PORT: 4}, NO_PORT, "", "untagged"),
    Row("output port == OFPP_LOCAL", "packet-out", {PORT: LOCAL}, NO_PORT, "", "tagged"),
    Row("FlowMod, output port == OFPP_TABLE", "flow-mod", {PORT: TABLE}, NO_PORT),
    Row("output port OFPP_NORMAL to OFPP_ALL", "flow-mod", {PORT: ALL}),
    Row(
        "Packet Out, OFPP_MAX <= in_port",
        "packet-out",
        {"m1.in_port": 0xFF00},
        "",
        "nicira bad_request bad_port",
        "untagged",
    ),
    Row("FlowMod ADD, flags.emerg == 1", "flow-mod", {"m1.flags": 4}, "", "flow_mod_failed table_full"),
    Row(
        "FlowMod ADD, flags.unused != 0",
        "flow-mod",
        {"m1.flags": 8},
        "flow_mod_failed unsupported",
        "nicira flow_mod_failed bad_flags",
    ),
    Row("FlowMod DELETE with unknown", "flow-mod", {**DELETE, TYPE: 12}, "", "bad_action bad_type"),
    Row(
        "FlowMod ADD, flags.unused or",
        "flow-mod",
        {"m1.flags": 8, TYPE: 12},
        "flow_mod_failed unsupported",
        "bad_action bad_type",
    ),
    Row("FlowMod ADD, priority == 32768", "cs-flow-mods", {"m2.priority": 0x8000}),
    Row("FlowMod ADD, 2 <= idle_timeout", "timeouts", {"m1.idle_timeout": 2}),
    Row("Port Mod, one of no_stp", "port-mod", {"m1.config": 0x10, "m1.mask": 0x10}),
    Row("Port Mod, config.port_down", "port-mod", {"m1.config": 1, "m1.mask": 1}),
    Row(
        "Port Mod, port_no == OFPP_LOCAL",
        "port-mod",
        {"m1.port_no": LOCAL},
        "port_mod_failed bad_port",
        "port_mod_failed bad_hw_addr",
    ),
)

ROWS13 = (
    Row("FlowMod ADD, 0x0000ff00 <= out_port", "flow-mod-13", {"m1.out_port": 0xFF00}, "", NO_PORT),
    Row("FlowMod, 0x0000ff00 <= match.in_port", "flow-mod-13", {"m1.match.in_port": 0xFF00}, "", "bad_match bad_value"),
    Row("action type 1 to 10", "flow-mod-13", {ACTION13: 5}, "bad_action bad_type"),
    Row("action COPY_TTL_OUT", "flow-mod-13", {ACTION13: 11}, "bad_action match_inconsistent", "bad_action bad_type"),
    Row("output port == 0, FlowMod", "flow-mod-13", {PORT13: 0}, NO_PORT),
    Row("4 <= output port <= 65279, or", "flow-mod-13", {PORT13: LOCAL13}, NO_PORT),
    Row("OFPP_NORMAL <= output port", "packet-out-13", {"m1.actions[2].port": 0xFFFFFFFC}),
    Row(
        "FlowMod, two APPLY_ACTIONS", "flow-mod-13", {INSTRUCTION: 4}, "bad_instruction unsup_inst", "experimenter 2600"
    ),
    Row(
        "FlowMod, table_id == 254",
        "flow-mod-13",
        {"m1.table_id": 254},
        "flow_mod_failed bad_table_id",
        "bad_request eperm",
    ),
    Row(
        "FlowMod, instruction GOTO_TABLE",
        "flow-mod-13",
        {INSTRUCTION: 1, "m1.instructions[1].argument": 254 << 24},
        "bad_instruction bad_table_id",
    ),
    Row(
        "FlowMod MODIFY, an instruction METER",
        "flow-mod-13",
        {"m1.command": 1, INSTRUCTION: 6},
        "",
        "meter_mod_failed invalid_meter",
    ),
    Row("FlowMod DELETE with actions", "flow-mod-13", {**DELETE, INSTRUCTION: 1}, "", "bad_instruction bad_table_id"),
    Row(
        "action SET_FIELD",
        "flow-mod-13",
        {ACTION13: 25, ARGUMENT13: 0xFFFF0000},
        "bad_action bad_set_len",
        "bad_match bad_len",
    ),
    Row(
        "several mistakes",
        "flow-mod-13",
        {"m1.table_id": 254, ACTION13: 11},
        "flow_mod_failed bad_table_id",
        "bad_action bad_type",
    ),
    Row("Packet Out, in_port in (0", "packet-out-13", {"m1.in_port": ANY13}, "bad_request bad_port"),
    Row("Packet Out, in_port == OFPP_LOCAL", "packet-out-13", {"m1.in_port": LOCAL13}, "bad_request bad_port"),
    Row("Packet Out, 0x0000ff00 <= in_port", "packet-out-13", {"m1.in_port": 0xFF00}, "bad_request bad_port", NO_PORT),
)


@pytest.fixture(scope="module")
def ovs(need_tool: Callable[..., None]) -> Iterator[dict[int, Agent]]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    source = load_agent("openvswitch")
    with source.open(V10) as one, source.open(V13) as other:
        yield {V10: one, V13: other}


def first_error(output: AgentOutput, version: int) -> str:
    errors = (event for step in output for event in step if event.kind == "Error")
    return next((" ".join(map(str, error_words(event.values(), version) or ())) for event in errors), "")


@pytest.mark.parametrize("row", [*ROWS10, *ROWS13], ids=lambda row: row.start)
def test_both_switches_do_what_the_row_says(ovs: dict[int, Agent], row: Row) -> None:
    test = load_test(row.test)
    case = test.case(row.case) if row.case else test.cases[0]
    values = {**case.defaults(), **row.changes}
    assert len(values) == len(case.defaults())
    with load_agent("strict:buffers=0").open(test.version) as strict:
        expected = run_case(strict, case, test.version, values)
    outputs = [run_case(ovs[test.version], case, test.version, values) for _ in range(2)]
    assert outputs[0] == outputs[1] != expected
    assert first_error(expected, test.version) == row.strict
    assert first_error(outputs[0], test.version) == row.ovs


def test_each_row_of_the_page_has_an_input() -> None:
    lines = [line[2:] for line in PAGE.splitlines() if line.startswith("| ") and line.count(" | ") == 3]
    rows = [line for line in lines if not line.startswith("condition |")]
    starts = [row.start for row in (*ROWS10, *ROWS13)]
    assert [row[: len(start)] for row, start in zip(rows, starts, strict=True)] == starts
    assert re.findall(r"rows on this page \| (\d+) \| (\d+)", PAGE) == [(str(len(ROWS10)), str(len(ROWS13)))]


def test_each_row_says_who_follows_the_specification_and_where_it_says_so() -> None:
    for line in PAGE.splitlines():
        if line.startswith("| ") and line.count(" | ") == 3 and not line.startswith("| condition"):
            assert re.search(r"\| \d[\d., ]*\b.*: (strict|both|open|both, and strict) \|$", line), line
