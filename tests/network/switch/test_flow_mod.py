"""FlowMod and lookup against the specification, version by version."""

import pytest

from sdnloom.network.openflow import (
    V10,
    V13,
    ApplyActions,
    Bucket,
    ClearActions,
    DecNwTtl,
    Experimenter,
    ExperimenterAction,
    ExperimenterInstruction,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowRemoved,
    FlowRemovedReason,
    GotoTable,
    Group,
    GroupMod,
    Instruction,
    Match,
    Output,
    PacketIn,
    PacketInReason,
    PopVlan,
    Port,
    PushVlan,
    SetField,
    UnknownAction,
    UnknownInstruction,
    WriteActions,
    WriteMetadata,
)
from sdnloom.network.packet import Arp, Ethernet, Icmp, IPv4, Tcp, Vlan, stack
from sdnloom.network.switch import (
    Ambiguous,
    Switch,
    SwitchCore,
    initial_switch_core,
    pass_time,
    receive_message,
    receive_packet,
)
from tests.network.switch.build import (
    CONTROLLER,
    MAC1,
    MAC2,
    OUT2,
    OUT3,
    TCP,
    add,
    after,
    error,
    only,
    ports_of,
    sent,
    switch,
)

BOTH = pytest.mark.parametrize("version", [V10, V13])
IN1, IN2 = Match.of(in_port=1), Match.of(in_port=2)
IP = Match.of(eth_type=0x0800)
TO = Match.of(eth_dst=MAC2)


@BOTH
def test_highest_priority_wins(version: int) -> None:
    config = switch(version)
    core = after(config, add(OUT2, match=IN1, priority=5), add(OUT3, match=TO, priority=6))
    assert ports_of(config, core) == [3]


@BOTH
def test_adding_the_same_entry_again_replaces_it_without_a_report(version: int) -> None:
    config = switch(version)
    first = add(OUT2, match=IN1, flags=int(FlowFlag.SEND_FLOW_REM), idle_timeout=5)
    outcome = only(receive_message(config, after(config, first), add(OUT3, match=IN1)))
    assert outcome.messages == ()
    assert [(each.instructions, each.idle_left) for each in outcome.core.flows] == [((ApplyActions((OUT3,)),), None)]


@BOTH
def test_overlap_check_refuses_only_what_shares_a_packet_and_the_priority(version: int) -> None:
    config = switch(version)
    core = after(config, add(OUT2, match=IN1, priority=5))
    checked = int(FlowFlag.CHECK_OVERLAP)
    assert error(config, add(match=TO, priority=5, flags=checked), core) == ("flow_mod_failed", "overlap")
    assert error(config, add(match=IN1, priority=5, flags=checked), core) == ("flow_mod_failed", "overlap")
    assert len(after(config, add(match=TO, priority=6, flags=checked), core=core).flows) == 2
    assert len(after(config, add(match=IN2, priority=5, flags=checked), core=core).flows) == 2
    assert len(after(config, add(match=TO, priority=5), core=core).flows) == 2


def test_modify_of_nothing_adds_in_1_0_and_does_nothing_in_1_3() -> None:
    for command in (FlowCommand.MODIFY, FlowCommand.MODIFY_STRICT):
        for version, count in ((V10, 1), (V13, 0)):
            assert len(after(switch(version), add(OUT2, command=int(command))).flows) == count


@BOTH
def test_modify_changes_actions_and_nothing_else(version: int) -> None:
    config = switch(version, counters=True)
    core = after(config, add(OUT2, match=IN1, priority=7, idle_timeout=3, hard_timeout=9, cookie=4, flags=1))
    core = only(receive_packet(config, core, 1, TCP)).core
    core = pass_time(config, core, 500).core
    (before,) = core.flows
    core = after(config, add(OUT3, command=int(FlowCommand.MODIFY), priority=1, cookie=8, idle_timeout=99), core=core)
    (now,) = core.flows
    assert now.instructions == (ApplyActions((OUT3,)),)
    assert (now.idle_left, now.hard_left, now.traffic, now.age, now.flags) == (2500, 8500, before.traffic, 500, 1)
    assert now.cookie == (8 if version == V10 else 4)


def test_counters_survive_replacement_in_1_3_unless_reset_and_never_in_1_0() -> None:
    for version, flags, packets in ((V10, 0, 0), (V13, 0, 1), (V13, int(FlowFlag.RESET_COUNTS), 0)):
        config = switch(version, counters=True)
        core = only(receive_packet(config, after(config, add(OUT2)), 1, TCP)).core
        core = pass_time(config, core, 700).core
        (entry,) = after(config, add(OUT2, flags=flags), core=core).flows
        assert (entry.traffic.packets, entry.age) == (packets, 0)


def test_entries_of_1_3_can_leave_packets_or_bytes_uncounted() -> None:
    config = switch(V13, counters=True)
    flags = int(FlowFlag.NO_BYT_COUNTS)
    (entry,) = only(receive_packet(config, after(config, add(OUT2, flags=flags)), 1, TCP)).core.flows
    assert (entry.traffic.packets, entry.traffic.bytes) == (1, 0)


@BOTH
def test_delete_reaches_more_specific_entries_and_strict_delete_only_the_same(version: int) -> None:
    config = switch(version)
    core = after(
        config,
        add(match=IP, priority=1),
        add(match=Match.of(eth_type=0x0800, ipv4_dst="10.0.0.0/8"), priority=2),
        add(match=Match.of(in_port=1, eth_type=0x0800, ipv4_dst="10.0.0.0/24"), priority=3),
        add(match=IN1, priority=4),
    )

    def left(command: FlowCommand, match: Match, priority: int = 0) -> list[int]:
        message = FlowMod(match, int(command), priority=priority)
        return [each.priority for each in after(config, message, core=core).flows]

    assert left(FlowCommand.DELETE, Match.of(eth_type=0x0800, ipv4_dst="10.0.0.0/16")) == [4, 2, 1]
    assert left(FlowCommand.DELETE, Match.of(eth_type=0x0800, ipv4_dst="10.0.0.0/8")) == [4, 1]
    assert left(FlowCommand.DELETE, Match()) == []
    assert left(FlowCommand.DELETE_STRICT, IP, 2) == [4, 3, 2, 1]
    assert left(FlowCommand.DELETE_STRICT, IP, 1) == [4, 3, 2]


@BOTH
def test_delete_can_ask_for_an_output_port(version: int) -> None:
    config = switch(version)
    core = after(config, add(OUT2, match=IN1), add(OUT3, OUT2, match=IN2), add(OUT3, match=TO))
    deleted = after(config, FlowMod(command=int(FlowCommand.DELETE), out_port=2), core=core)
    assert [each.match for each in deleted.flows] == [TO]


def test_1_3_selects_by_cookie_table_and_group() -> None:
    config = switch(V13)
    core = after(
        config,
        GroupMod(1),
        add(match=IN1, cookie=0x11),
        add(match=IN2, cookie=0x21, table_id=1),
        add(Group(1), match=TO, cookie=0x30, table_id=1),
    )

    def left(**fields: int) -> list[int]:
        return [
            each.cookie for each in after(config, FlowMod(command=int(FlowCommand.DELETE), **fields), core=core).flows
        ]

    assert left(table_id=0xFF, cookie=1, cookie_mask=1) == [0x30]
    assert left(table_id=1) == [0x11]
    assert left(table_id=0) == [0x21, 0x30]
    assert left(table_id=0xFF, out_group=1) == [0x11, 0x21]


@BOTH
def test_removal_is_reported_only_when_asked_for(version: int) -> None:
    config = switch(version)
    core = after(config, add(match=IN1, flags=1, cookie=9, priority=3), add(match=IN2))
    outcome = only(receive_message(config, core, FlowMod(command=int(FlowCommand.DELETE))))
    assert outcome.messages == (FlowRemoved(IN1, FlowRemovedReason.DELETE, 3, 9),)


@BOTH
def test_timeouts_are_reported_with_their_reason_at_their_time(version: int) -> None:
    config = switch(version)
    core = after(
        config,
        add(match=IN1, idle_timeout=2, hard_timeout=5, flags=1, priority=0xFFFF),
        add(match=IN2, hard_timeout=3, flags=1),
        add(match=TO, idle_timeout=4, hard_timeout=4, flags=1),
    )
    assert pass_time(config, core, 1999).messages == ()
    core = pass_time(config, core, 1999).core
    core = only(receive_packet(config, core, 1, TCP)).core
    reports = [message for message in pass_time(config, core, 5000).messages if isinstance(message, FlowRemoved)]
    assert [(each.match, each.reason) for each in reports] == [
        (IN2, FlowRemovedReason.HARD_TIMEOUT),
        (IN1, FlowRemovedReason.IDLE_TIMEOUT),
        (TO, FlowRemovedReason.HARD_TIMEOUT),
    ]


def test_exact_entries_of_1_0_are_above_every_priority() -> None:
    config = switch(V10)
    exact = Match.of(
        in_port=1,
        eth_dst=MAC2,
        eth_src=MAC1,
        eth_type=0x0800,
        vlan_vid=0,
        ip_dscp=0,
        ip_proto=6,
        ipv4_src="10.0.0.1",
        ipv4_dst="10.0.0.2",
        tcp_src=1000,
        tcp_dst=80,
    )
    core = after(config, add(OUT2, priority=0xFFFF), add(OUT3, match=exact, priority=0))
    assert ports_of(config, core) == [3]
    assert len(after(config, add(OUT2, match=exact, priority=7), core=core).flows) == 2


def test_fields_without_their_prerequisite_are_ignored_in_1_0_and_refused_in_1_3() -> None:
    lonely = Match.of(ipv4_src="10.0.0.1")
    assert after(switch(V10), add(match=lonely)).flows[0].match == Match()
    assert error(switch(V13), add(match=lonely)) == ("bad_match", "bad_prereq")
    ports = Match.of(eth_type=0x0800, ip_proto=17, tcp_src=4)
    assert after(switch(V10), add(match=ports)).flows[0].match == Match.of(eth_type=0x0800, ip_proto=17)
    assert error(switch(V13), add(match=ports)) == ("bad_match", "bad_prereq")


@pytest.mark.parametrize(
    ("match", "code"),
    [
        (Match.of(tunnel_id=3), "bad_field"),
        (Match.of(oxm_0001_5_4=3), "bad_field"),
        (Match.of(in_port=(1, 1)), "bad_mask"),
        (Match.of(vlan_vid=5), "bad_value"),
        (Match.of(vlan_vid=0, vlan_pcp=3), "bad_prereq"),
        (Match.of(vlan_pcp=3), "bad_prereq"),
    ],
)
def test_matches_that_1_3_refuses(match: Match, code: str) -> None:
    assert error(switch(V13), add(match=match)) == ("bad_match", code)


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ((Output(0),), "bad_out_port"),
        ((Output(9),), "bad_out_port"),
        ((Output(Port.ANY),), "bad_out_port"),
        ((Output(Port.TABLE),), "bad_out_port"),
        ((Output(0xFFFFFF05),), "bad_out_port"),
        ((SetField("ipv4_src", 1),), "match_inconsistent"),
        ((SetField("vlan_vid", 0x1005),), "match_inconsistent"),
        ((PushVlan(), SetField("vlan_vid", 5)), "bad_set_argument"),
        ((SetField("in_port", 1),), "bad_set_type"),
        ((SetField("eth_type", 1),), "bad_set_type"),
        ((SetField("tp_src", 1),), "bad_set_type"),
        ((PopVlan(),), "match_inconsistent"),
        ((PushVlan(), PopVlan(), PopVlan()), "match_inconsistent"),
        ((PushVlan(0x1234),), "bad_argument"),
        ((DecNwTtl(),), "match_inconsistent"),
        ((Group(1),), "bad_out_group"),
        ((ExperimenterAction(1),), "bad_experimenter"),
        ((UnknownAction(99),), "bad_type"),
    ],
)
def test_actions_that_1_3_refuses(actions: tuple[Output, ...], code: str) -> None:
    assert error(switch(V13), add(*actions)) == ("bad_action", code)


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ((Output(0),), "bad_out_port"),
        ((Output(Port.TABLE),), "bad_out_port"),
        ((Group(1),), "bad_type"),
        ((SetField("ipv6_src", 1),), "bad_type"),
        ((PushVlan(),), "bad_type"),
        ((ExperimenterAction(1),), "bad_experimenter"),
    ],
)
def test_actions_that_1_0_refuses(actions: tuple[Output, ...], code: str) -> None:
    assert error(switch(V10), add(*actions)) == ("bad_action", code)


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        (GotoTable(1), "bad_table_id"),
        (GotoTable(0), "bad_table_id"),
        (GotoTable(254), "bad_table_id"),
        (UnknownInstruction(77), "unknown_inst"),
        (ExperimenterInstruction(1), "bad_experimenter"),
    ],
)
def test_instructions_that_are_refused(instruction: Instruction, code: str) -> None:
    message = FlowMod(instructions=(instruction,), table_id=1)
    assert error(switch(V13), message) == ("bad_instruction", code)


def test_commands_flags_and_tables_that_are_refused() -> None:
    config = switch(V13, n_tables=4)
    assert error(config, FlowMod(command=7)) == ("flow_mod_failed", "bad_command")
    assert error(config, FlowMod(flags=0x40)) == ("flow_mod_failed", "bad_flags")
    assert error(config, FlowMod(table_id=4)) == ("flow_mod_failed", "bad_table_id")
    assert error(config, FlowMod(table_id=0xFF)) == ("flow_mod_failed", "bad_table_id")
    assert error(config, Experimenter(7)) == ("bad_request", "bad_experimenter")


@BOTH
def test_full_table_refuses_new_entries_and_takes_replacements(version: int) -> None:
    config = switch(version, max_entries=1)
    core = after(config, add(OUT2, match=IN1))
    assert error(config, add(OUT2, match=IN2), core) == ("flow_mod_failed", "table_full")
    assert len(after(config, add(OUT3, match=IN1), core=core).flows) == 1


def test_option_decides_about_ports_that_are_not_there_yet() -> None:
    config = switch(V13, unknown_port="accept")
    assert ports_of(config, after(config, add(Output(9), OUT2))) == [2]


# -- several tables ---------------------------------------------------------------------------------------------------


def test_action_set_is_executed_at_the_end_in_its_own_order() -> None:
    config = switch(V13)
    write = WriteActions((Output(2), SetField("eth_src", 7), PushVlan()))
    core = after(
        config,
        FlowMod(instructions=(write, GotoTable(1))),
        FlowMod(instructions=(WriteActions((Output(3),)), ApplyActions((SetField("eth_dst", 9),))), table_id=1),
    )
    outcome = only(receive_packet(config, core, 1, TCP))
    ((port, packet),) = outcome.outputs
    assert port == 3
    assert packet.headers[:2] == (Ethernet(9, 7, 0x8100), Vlan(0, type=0x0800))


def test_group_in_an_action_set_takes_the_place_of_output() -> None:
    config = switch(V13)
    group = GroupMod(1, buckets=(Bucket((Output(2),)),))
    core = after(config, group, FlowMod(instructions=(WriteActions((Output(3), Group(1))),)))
    assert ports_of(config, core) == [2]


def test_cleared_action_set_does_nothing_but_what_is_written_after_it_counts() -> None:
    config = switch(V13)
    core = after(
        config,
        FlowMod(instructions=(WriteActions((Output(2),)), GotoTable(1))),
        FlowMod(instructions=(WriteActions((Output(3),)), ClearActions()), table_id=1),
    )
    assert ports_of(config, core) == [3]  # clear comes before write, in whatever order they are sent


def test_metadata_carries_from_table_to_table() -> None:
    config = switch(V13)
    core = after(
        config,
        FlowMod(instructions=(WriteMetadata(0xFF, 0x0F), GotoTable(1))),
        add(OUT2, match=Match.of(metadata=0x0F), table_id=1),
        add(OUT3, match=Match.of(metadata=(0xF0, 0xF0)), table_id=1, priority=0xFFFF),
    )
    assert ports_of(config, core) == [2]


def test_miss_in_a_later_table_drops_the_packet_and_its_action_set() -> None:
    config = switch(V13)
    core = after(config, FlowMod(instructions=(WriteActions((Output(2),)), GotoTable(1))))
    assert ports_of(config, core) == []


def test_reason_is_a_miss_only_for_what_the_table_miss_entry_does_itself() -> None:
    config = switch(V13)

    def reasons(message: FlowMod) -> list[tuple[int, int, int]]:
        outcome = only(receive_packet(config, after(config, message), 1, TCP))
        return [(m.reason, m.table_id, m.cookie) for m in outcome.messages if isinstance(m, PacketIn)]

    miss, action = PacketInReason.NO_MATCH, PacketInReason.ACTION
    assert reasons(add(CONTROLLER, priority=0, cookie=5)) == [(miss, 0, 5)]
    assert reasons(add(CONTROLLER, priority=1, cookie=5)) == [(action, 0, 5)]
    assert reasons(add(CONTROLLER, priority=0, match=IN1)) == [(action, 0, 0)]
    assert reasons(FlowMod(instructions=(WriteActions((CONTROLLER,)),), priority=0)) == [(action, 0, 0)]


def test_packet_in_of_1_3_tells_the_metadata_unless_it_is_zero() -> None:
    config = switch(V13)
    for value, match in ((0, Match.of(in_port=1)), (6, Match.of(in_port=1, metadata=6))):
        first = FlowMod(instructions=(WriteMetadata(value), GotoTable(1)))
        core = after(config, first, add(CONTROLLER, table_id=1))
        (message,) = only(receive_packet(config, core, 1, TCP)).messages
        assert isinstance(message, PacketIn)
        assert (message.match, message.table_id) == (match, 1)


# -- ambiguity --------------------------------------------------------------------------------------------------------


def ambiguous(**options: str) -> tuple[Switch, SwitchCore]:
    config = switch(V13, **options)
    return config, after(config, add(OUT2, match=IN1), add(OUT3, match=TO))


def test_equal_priority_gives_an_outcome_for_each_entry_and_says_so() -> None:
    config, core = ambiguous()
    outcomes = receive_packet(config, core, 1, TCP)
    assert sorted(port for outcome in outcomes for port, _ in outcome.outputs) == [2, 3]
    assert len({outcome.choice for outcome in outcomes}) == 2
    assert all(outcome.events == (Ambiguous(0, 0x8000, (IN1, TO)),) for outcome in outcomes)


def test_option_fixes_the_choice_and_the_event_still_tells() -> None:
    config, core = ambiguous(overlap="first")
    outcome = only(receive_packet(config, core, 1, TCP))
    assert ([port for port, _ in outcome.outputs], outcome.choice) == ([2], "")
    assert outcome.events == (Ambiguous(0, 0x8000, (IN1, TO)),)


@pytest.mark.parametrize("overlap", ["any", "first"])
def test_choice_that_makes_no_difference_is_no_choice(overlap: str) -> None:
    config = switch(V13, overlap=overlap)
    core = after(config, add(OUT2, match=IN1), add(OUT2, match=TO))
    outcome = only(receive_packet(config, core, 1, TCP))
    assert (outcome.choice, outcome.events) == ("", ())


def test_choices_in_several_tables_multiply() -> None:
    config = switch(V13)
    messages = [FlowMod(m, instructions=(WriteMetadata(v), GotoTable(1))) for m, v in ((IN1, 1), (TO, 2))]
    messages += [add(OUT2, match=IN1, table_id=1), add(OUT3, match=TO, table_id=1)]
    messages += [add(CONTROLLER, match=Match.of(metadata=1), table_id=1)]
    outcomes = receive_packet(config, after(config, *messages), 1, TCP)
    # From metadata 1 three entries, from metadata 2 two; the outputs to 2 and 3 are the same from both.
    assert len(outcomes) == 3


# -- packets ----------------------------------------------------------------------------------------------------------


def test_1_0_adds_a_tag_where_there_is_none_and_strips_it() -> None:
    config = switch(V10)
    tagged = sent(config, after(config, add(SetField("vlan_vid", 0x1005), OUT2)))
    assert tagged[0].headers[:2] == (Ethernet(MAC2, MAC1, 0x8100), Vlan(5, type=0x0800))
    assert sent(config, after(config, add(SetField("vlan_pcp", 3), OUT2)))[0].headers[1] == Vlan(0, 3, type=0x0800)
    assert sent(config, after(config, add(PopVlan(), OUT2)), packet=tagged[0]) == [TCP]


def test_1_0_rewrites_what_is_there_and_skips_the_rest() -> None:
    config = switch(V10)
    actions = (SetField("ipv4_src", 1), SetField("ip_dscp", 8), SetField("tp_dst", 99), SetField("eth_src", 5), OUT2)
    core = after(config, add(*actions))
    (packet,) = sent(config, core)
    assert packet.headers == (
        Ethernet(MAC2, 5, 0x0800),
        IPv4(1, 0x0A000002, 6, dscp=8),
        Tcp(1000, 99),
    )
    arp = stack(Ethernet(MAC2, MAC1), Arp(1, MAC1, 1, 0, 2))
    assert sent(config, core, packet=arp)[0].headers[1] == arp.headers[1]


def test_expired_time_to_live_stops_the_packet() -> None:
    config = switch(V13)
    core = after(config, add(OUT2, DecNwTtl(), OUT3, match=IP))
    dying = stack(Ethernet(MAC2, MAC1), IPv4(1, 2, ttl=1), Tcp(1, 2))
    assert [each.headers[1] for each in sent(config, core)] == [TCP.headers[1], IPv4(0x0A000001, 0x0A000002, 6, ttl=63)]
    assert ports_of(config, core, packet=dying) == [2]


def test_vlan_matches_tell_none_any_and_one() -> None:
    config = switch(V13)
    tagged = stack(Ethernet(MAC2, MAC1), Vlan(5), IPv4(1, 2), Tcp(1, 2))
    core = after(
        config,
        add(OUT2, match=Match.of(vlan_vid=0)),
        add(OUT3, match=Match.of(vlan_vid=(0x1000, 0x1000))),
        add(CONTROLLER, match=Match.of(vlan_vid=0x1006), priority=0xFFFF),
    )
    assert (ports_of(config, core), ports_of(config, core, packet=tagged)) == ([2], [3])


def test_empty_lists_of_actions_are_no_lists() -> None:
    config = switch(V13)
    same = [FlowMod(), FlowMod(instructions=(ApplyActions(),)), FlowMod(instructions=(WriteActions(),))]
    assert len({after(config, message) for message in same}) == 1
    assert initial_switch_core(config) not in {after(config, message) for message in same}


def test_an_icmp_type_of_16_bits_matches_no_packet_of_1_0() -> None:
    """1.0 has no error for it: the type is one of its 16-bit transport fields."""
    config = switch(V10)
    core = after(config, add(Output(2), match=Match.of(eth_type=0x0800, ip_proto=1, icmpv4_type=0x101)))
    ping = stack(Ethernet(MAC2, MAC1), IPv4(1, 2), Icmp(1))
    assert ports_of(config, core, packet=ping) == []
