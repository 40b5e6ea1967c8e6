"""Groups: types, chains, refusals, and the entries that are deleted with a group."""

from dataclasses import replace

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import (
    V10,
    V13,
    Bucket,
    FlowRemoved,
    FlowRemovedReason,
    Group,
    GroupId,
    GroupMod,
    GroupType,
    Match,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    Port,
    PortConfig,
    PortMod,
    SetField,
)
from sdnloom.network.switch import (
    Switch,
    initial_switch_core,
    receive_message,
    receive_packet,
)
from tests.network.switch.build import (
    CONTROLLER,
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


def port_mod(config: Switch, number: int, bits: int) -> PortMod:
    (port,) = (port for port in config.ports if port.port_no == number)
    return PortMod(number, port.hw_addr, int(bits), int(bits))


def group(number: int, *buckets: tuple[OpenFlowAction, ...], kind: int = GroupType.ALL, **fields: int) -> GroupMod:
    return GroupMod(number, type=int(kind), buckets=tuple(Bucket(actions) for actions in buckets), **fields)


def test_group_of_all_gives_each_bucket_its_own_copy() -> None:
    config = switch(V13)
    core = after(config, group(1, (SetField("eth_dst", 9), OUT2), (OUT3,)), add(Group(1), OUT2))
    assert [packet.headers[0].dst for packet in sent(config, core)] == [9, MAC2, MAC2]  # type: ignore[attr-defined]
    assert ports_of(config, core) == [2, 3, 2]


def test_bucket_does_not_send_back_and_is_an_action_set() -> None:
    config = switch(V13)
    core = after(config, group(1, (Output(1),), (Output(Port.IN_PORT),), (OUT2, OUT3)), add(Group(1)))
    assert ports_of(config, core) == [1, 3]


def test_indirect_group_has_exactly_one_bucket() -> None:
    config = switch(V13)
    indirect = int(GroupType.INDIRECT)
    assert error(config, group(1, kind=indirect)) == ("group_mod_failed", "invalid_group")
    assert error(config, group(1, (), (), kind=indirect)) == ("group_mod_failed", "invalid_group")
    assert ports_of(config, after(config, group(1, (OUT2,), kind=indirect), add(Group(1)))) == [2]


def test_select_group_takes_any_bucket_with_a_weight() -> None:
    config = switch(V13)
    buckets = (Bucket((OUT2,), 1), Bucket((OUT3,), 5), Bucket((CONTROLLER,), 0))
    core = after(config, GroupMod(1, type=int(GroupType.SELECT), buckets=buckets), add(Group(1)))
    outcomes = receive_packet(config, core, 1, TCP)
    assert [(outcome.choice, [port for port, _ in outcome.outputs]) for outcome in outcomes] == [
        ("group 1 bucket 0", [2]),
        ("group 1 bucket 1", [3]),
    ]
    fixed = replace(config, overlap="first")
    assert len(receive_packet(fixed, core, 1, TCP)) == 2  # that option is about entries


def test_failover_group_takes_the_first_bucket_that_lives() -> None:
    config = switch(V13)
    buckets = (Bucket((OUT2,), watch_port=2), Bucket((OUT3,), watch_port=3))
    core = after(config, GroupMod(1, type=int(GroupType.FAST_FAILOVER), buckets=buckets), add(Group(1)))
    assert ports_of(config, core) == [2]
    assert ports_of(config, after(config, port_mod(config, 2, PortConfig.PORT_DOWN), core=core)) == [3]
    both = after(
        config, port_mod(config, 2, PortConfig.PORT_DOWN), port_mod(config, 3, PortConfig.PORT_DOWN), core=core
    )
    assert ports_of(config, both) == []


def test_group_mods_that_are_refused() -> None:
    config = switch(V13, max_groups=2)
    core = after(config, group(1, (OUT2,)), group(2, (Group(1),)))
    assert error(config, group(1), core) == ("group_mod_failed", "group_exists")
    assert error(config, group(3), core) == ("group_mod_failed", "out_of_groups")
    assert error(config, group(9, command=1), core) == ("group_mod_failed", "unknown_group")
    assert error(config, group(1, (Group(2),), command=1), core) == ("group_mod_failed", "loop")
    assert error(config, group(1, (Group(1),), command=1), core) == ("group_mod_failed", "loop")
    assert error(config, group(1, (Group(7),), command=1), core) == ("bad_action", "bad_out_group")
    assert error(config, group(1, (Output(9),), command=1), core) == ("bad_action", "bad_out_port")
    assert error(config, group(1, command=2), core) == ("group_mod_failed", "chained_group")
    assert error(config, group(1, command=9), core) == ("group_mod_failed", "bad_command")
    assert error(config, group(1, kind=9), core) == ("group_mod_failed", "bad_type")
    assert error(config, group(GroupId.ALL), core) == ("group_mod_failed", "invalid_group")
    weighted = GroupMod(3, buckets=(Bucket((), 1),))
    assert error(config, weighted) == ("group_mod_failed", "invalid_group")


def test_deleting_a_group_deletes_the_entries_that_use_it() -> None:
    config = switch(V13)
    core = after(config, group(1, (OUT2,)), add(Group(1), flags=1), add(OUT2, priority=3))
    outcome = only(receive_message(config, core, group(GroupId.ALL, command=2)))
    assert outcome.messages == (FlowRemoved(Match(), FlowRemovedReason.GROUP_DELETE),)
    assert ([each.priority for each in outcome.core.flows], outcome.core.groups) == ([3], ())
    assert only(receive_message(config, initial_switch_core(config), group(7, command=2))).messages == ()


def test_chains_of_groups_end() -> None:
    config = switch(V13)
    chain: list[OpenFlowMessage] = [group(1, (OUT2,))]
    chain += [group(number, (Group(number - 1),), (Group(number - 1),)) for number in range(2, 33)]
    core = after(config, *chain, add(Group(32)))
    assert error(config, group(33, (Group(32),)), core) == ("group_mod_failed", "chaining_unsupported")
    assert 0 < len(ports_of(config, core)) <= 4096


def test_too_many_choices_for_one_packet_are_an_error_and_not_a_hang() -> None:
    config = switch(V13)
    select = GroupMod(1, type=int(GroupType.SELECT), buckets=(Bucket((OUT2,), 1), Bucket((OUT3,), 1)))
    core = after(config, select, group(2, *[(Group(1),)] * 11), add(Group(2)))
    with pytest.raises(SdnloomError, match="1024 outcomes"):
        receive_packet(config, core, 1, TCP)
