"""os-ken as the oracle: its serialisers produce our bytes, and its parsers our values."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.network import openflow as of
from sdnloom.network.openflow import V10, V13, decode, encode
from sdnloom.network.openflow.errors import ERRORS
from sdnloom.network.openflow.oxm import BY_NUMBER, FIELDS
from tests.network.openflow import osken
from tests.network.openflow.generators import PLAIN

BOTH = (of.Hello, of.Error, of.EchoRequest, of.EchoReply, of.Experimenter)
REQUESTS = (
    *BOTH,
    of.FeaturesRequest,
    of.GetConfigRequest,
    of.SetConfig,
    of.PacketOut,
    of.FlowMod,
    of.PortMod,
    of.BarrierRequest,
    of.QueueGetConfigRequest,
    of.DescRequest,
    of.FlowStatsRequest,
    of.AggregateRequest,
    of.TableStatsRequest,
    of.PortStatsRequest,
    of.QueueStatsRequest,
    of.ExperimenterStatsRequest,
)
REQUESTS_13 = (
    of.GroupMod,
    of.TableMod,
    of.MeterMod,
    of.RoleRequest,
    of.GetAsyncRequest,
    of.SetAsync,
    of.GroupStatsRequest,
    of.GroupDescRequest,
    of.GroupFeaturesRequest,
    of.MeterStatsRequest,
    of.MeterConfigRequest,
    of.MeterFeaturesRequest,
    of.PortDescRequest,
)
REPLIES = (
    *BOTH,
    of.FeaturesReply,
    of.GetConfigReply,
    of.PacketIn,
    of.FlowRemoved,
    of.PortStatus,
    of.BarrierReply,
    of.QueueGetConfigReply,
    of.DescReply,
    of.FlowStatsReply,
    of.AggregateReply,
    of.TableStatsReply,
    of.PortStatsReply,
    of.QueueStatsReply,
)
REPLIES_13 = (
    of.RoleReply,
    of.GetAsyncReply,
    of.GroupStatsReply,
    of.GroupDescReply,
    of.GroupFeaturesReply,
    of.MeterStatsReply,
    of.MeterConfigReply,
    of.MeterFeaturesReply,
    of.PortDescReply,
)


def cases(both: tuple[type, ...], only13: tuple[type, ...]) -> list[object]:
    rows = [(V10, kind) for kind in both] + [(V13, kind) for kind in (*both, *only13)]
    return [pytest.param(*row, id=f"1.{0 if row[0] == V10 else 3}-{row[1].__name__}") for row in rows]


def spoken(version: int, message: of.OpenFlowMessage) -> of.OpenFlowMessage:
    """Return the nearest message that os-ken's interface can express."""
    if isinstance(message, of.Experimenter | of.ExperimenterStatsRequest):
        known = message.experimenter in (0x2320, 0x4F4E4600)  # it parses messages of these two vendors further
        filled = message.data if version == V10 else message.data.ljust(4, b"x")  # 1.3: a type comes first
        message = replace(message, data=filled, experimenter=7 if known else message.experimenter)
    if isinstance(message, of.StatsRequest) and version == V10:
        return replace(message, flags=0)
    if isinstance(message, of.MeterMod):
        return replace(message, bands=tuple(map(spoken_band, message.bands)))
    if isinstance(message, of.MeterConfigReply):
        meters = (replace(each, bands=tuple(map(spoken_band, each.bands))) for each in message.meters)
        return replace(message, meters=tuple(meters))
    if isinstance(message, of.PacketOut) and not message.actions:
        return replace(message, data=b"")  # without actions it writes its header over the data
    if isinstance(message, of.PacketOut) and message.data:
        return replace(message, buffer_id=of.NO_BUFFER)
    if isinstance(message, of.PacketIn):  # it cuts data to the total length
        return replace(message, total_len=max(message.total_len, len(message.data)))
    if isinstance(message, of.FeaturesReply):  # it keeps ports in a dictionary
        return replace(message, ports=tuple({port.port_no: port for port in message.ports}.values()))
    return message


def spoken_band(band: of.MeterBand) -> of.MeterBand:
    """Return a band of one of the three types that os-ken has, with what that type has room for."""
    kind = tuple(of.BandType)[band.type % 3]
    data = {of.BandType.DROP: bytes(4), of.BandType.DSCP_REMARK: band.data[:1] + bytes(3)}.get(kind, band.data)
    return replace(band, type=int(kind), data=data)


@pytest.mark.slow
@pytest.mark.parametrize(("version", "kind"), cases(REQUESTS, REQUESTS_13))
@given(data=st.data())
@settings(max_examples=50)
def test_controllers_messages_have_os_kens_bytes(
    version: int, kind: type[of.OpenFlowMessage], data: st.DataObject
) -> None:
    message = spoken(version, data.draw(PLAIN[version][kind]))
    theirs = osken.bytes_of(version, message)
    assert encode(message, version) == theirs
    assert decode(theirs) == message


@pytest.mark.slow
@pytest.mark.parametrize(("version", "kind"), cases(REPLIES, REPLIES_13))
@given(data=st.data())
@settings(max_examples=50)
def test_switches_messages_parse_alike_in_os_ken(
    version: int, kind: type[of.OpenFlowMessage], data: st.DataObject
) -> None:
    message = spoken(version, data.draw(PLAIN[version][kind]))
    assert osken.from_osken(version, osken.parse(version, encode(message, version))) == message


def test_error_numbers_are_os_kens() -> None:
    renamed = {
        "bad_multipart": "bad_stat",
        "bad_experimenter": "bad_vendor",
        "bad_exp_type": {"bad_request": "bad_subtype", "bad_action": "bad_vendor_type"},
        "table_full": "all_tables_full",
    }
    short = {
        "hello_failed": "HFC",
        "bad_request": "BRC",
        "bad_action": "BAC",
        "bad_instruction": "BIC",
        "bad_match": "BMC",
        "flow_mod_failed": "FMFC",
        "group_mod_failed": "GMFC",
        "port_mod_failed": "PMFC",
        "table_mod_failed": "TMFC",
        "queue_op_failed": "QOFC",
        "switch_config_failed": "SCFC",
        "role_request_failed": "RRFC",
        "meter_mod_failed": "MMFC",
        "table_features_failed": "TFFC",
    }
    checked = 0
    for version, types in ERRORS.items():
        constants = vars(osken.OFPROTO[version])
        for number, (name, codes) in types.items():
            assert constants[f"OFPET_{name.upper()}"] == number
            for code_number, code in enumerate(codes):
                theirs = renamed.get(code, code) if version == V10 else code
                theirs = theirs[name] if isinstance(theirs, dict) else theirs
                assert constants[f"OFP{short[name]}_{theirs.upper()}"] == code_number, (version, name, code)
                checked += 1
            assert sum(key.startswith(f"OFP{short.get(name)}_") for key in constants) == len(codes)
    assert checked == 142


def test_match_fields_are_os_kens() -> None:
    theirs = {field.name: field for field in osken.OFPROTO[V13].oxm_types if field.oxm_type >> 7 == 0x8000}
    for number, field in BY_NUMBER.items():
        assert theirs[field.name].oxm_type == 0x8000 << 7 | number
        assert theirs[field.name].type.size == field.size
    assert len(FIELDS) == 40


def test_constants_are_os_kens() -> None:
    prefixes = {
        of.FlowCommand: "OFPFC_",
        of.GroupCommand: "OFPGC_",
        of.GroupType: "OFPGT_",
        of.PacketInReason: "OFPR_",
        of.FlowRemovedReason: "OFPRR_",
        of.PortReason: "OFPPR_",
        of.PortState: "OFPPS_",
        of.Role: "OFPCR_ROLE_",
    }
    for names, prefix in prefixes.items():
        for member in names:
            name = {"FAST_FAILOVER": "FF"}.get(member.name, member.name)
            assert vars(osken.OFPROTO[V13])[prefix + name] == member
    either = {of.PortConfig: "OFPPC_", of.SwitchCapability: "OFPC_", of.FlowFlag: "OFPFF_", of.ConfigFlag: "OFPC_"}
    for names, prefix in either.items():
        for name, member in names.__members__.items():
            found = [
                vars(osken.OFPROTO[v])[prefix + name] for v in (V10, V13) if prefix + name in vars(osken.OFPROTO[v])
            ]
            assert found
            assert set(found) == {4 if member is of.FlowFlag.EMERG else member}


def test_reserved_ports_are_os_kens() -> None:
    for port in of.Port:
        assert vars(osken.OFPROTO[V13])[f"OFPP_{port.name}"] == port
        name = "NONE" if port is of.Port.ANY else port.name
        assert vars(osken.OFPROTO[V10])[f"OFPP_{name}"] == port & 0xFFFF
