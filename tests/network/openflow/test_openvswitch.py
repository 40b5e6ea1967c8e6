"""Open vSwitch as the oracle of refusals: it refuses every message that the codec refuses, with the same error."""

import shutil
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdnloom.network.openflow import (
    V10,
    V13,
    DecodeError,
    Error,
    FlowMod,
    FlowStatsRequest,
    GroupMod,
    PacketOut,
    PortMod,
    QueueStatsRequest,
    RoleRequest,
    SetConfig,
    decode,
    encode,
)
from sdnloom.switches.openvswitch import OpenVswitch
from tests.network.openflow.generators import PLAIN
from tests.network.openflow.test_refusals import CASES

# Where the specification's error is another one than Open vSwitch's.
DIFFERENCES = {
    # 1.3 has no code for it; Open vSwitch answers with one of a later version inside an experimenter error.
    "a set-field with a mask": ("experimenter", 4250),
    "a set-field with a mask of all ones": ("experimenter", 4250),
    # It takes zeros after the field for padding and goes on to check what the field depends on.
    "a set-field with room after its field": ("bad_action", "match_inconsistent"),
    # It looks at the length first, and a standard match has 88 bytes.
    "a standard match": ("bad_match", "bad_len"),
    # It looks a field up by class, number and length together.
    "an in_port of 2 bytes": ("bad_match", "bad_field"),
}
RECEIVED = (FlowMod, PacketOut, GroupMod, FlowStatsRequest, SetConfig, PortMod, QueueStatsRequest, RoleRequest)


@pytest.fixture(scope="module", params=[V10, V13], ids=["1.0", "1.3"])
def switch(request: pytest.FixtureRequest) -> Iterator[tuple[int, OpenVswitch]]:
    if shutil.which("ovs-vswitchd") is None or shutil.which("ovsdb-server") is None:
        pytest.skip("needs the programs 'ovs-vswitchd' and 'ovsdb-server': `make packages` installs them")
    with OpenVswitch(request.param) as running:
        yield request.param, running


def answer(switch: OpenVswitch, wire: bytes) -> tuple[str | int, str | int] | None:
    """Return type and code of the first error that a message brings."""
    errors = [found for found in map(decode, switch.message(wire).messages) if isinstance(found, Error)]
    return (errors[0].type, errors[0].code) if errors else None


def test_malformed_messages_get_the_same_error(switch: tuple[int, OpenVswitch]) -> None:
    version, running = switch
    # A wrong version or length in the header ends the connection, so it cannot be asked here.
    asked = {
        name: case
        for name, case in CASES.items()
        if case[0][0] == version and len(case[0]) == int.from_bytes(case[0][2:4], "big")
    }
    answers = {name: answer(running, wire) for name, (wire, _, _) in asked.items()}
    expected = {name: DIFFERENCES.get(name, (kind, code)) for name, (_, kind, code) in asked.items()}
    assert answers == expected
    assert len(asked) == {V10: 12, V13: 30}[version]


@pytest.mark.slow
def test_whatever_is_refused_is_refused_there_too(switch: tuple[int, OpenVswitch]) -> None:
    version, running = switch
    seen: Counter[bool] = Counter()

    @given(st.one_of(*(PLAIN[version][kind] for kind in RECEIVED if kind in PLAIN[version])), st.data())
    @settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
    def check(message: object, data: st.DataObject) -> None:
        wire = bytearray(encode(message, version))  # type: ignore[arg-type]
        for _ in range(data.draw(st.integers(0, 2))):
            index = data.draw(st.integers(8, len(wire) - 1))
            wire[index] = data.draw(st.sampled_from([0, 1, 4, 8, 16, 24, 255, wire[index] ^ 1, wire[index] ^ 8]))
        if isinstance(message, FlowStatsRequest | QueueStatsRequest):
            wire[11] &= 0xFE  # "more follows": it would wait instead of answering
        wire = wire[: data.draw(st.one_of(st.just(len(wire)), st.integers(8, len(wire))))]
        wire[2:4] = len(wire).to_bytes(2, "big")
        try:
            decode(bytes(wire))
        except DecodeError:
            seen[True] += 1
            assert answer(running, bytes(wire)) is not None
        else:
            seen[False] += 1

    check()
    assert min(seen[True], seen[False]) > 50
