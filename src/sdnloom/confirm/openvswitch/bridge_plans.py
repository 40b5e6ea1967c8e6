"""The bridges that stand for the switches of a scenario: numbers, addresses and names of their devices.

Names of devices occur once in an Open vSwitch, and have at most 15 characters of few kinds. Where the names of the
scenario do not, devices have other names, and a note says so.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Final

from sdnloom.confirm.real_parts import RealPartError
from sdnloom.network.openflow import Port, PortDesc
from sdnloom.network.switch import Switch
from sdnloom.switches.bridge import BridgePlan, BridgePort

MAX_OVS_PORT: Final = 0xFEFF
_DEVICE: Final = re.compile(r"(?!ovs-)[A-Za-z][A-Za-z0-9_.-]{0,14}")
_MULTICAST: Final = 1 << 40
_MTU: Final = 65000  # frames of any size leave, as they do in the model


def bridge_plans(configs: Mapping[str, Switch]) -> tuple[dict[str, BridgePlan], tuple[str, ...]]:
    """Return a plan for each switch, and the notes. Raises RealPartError if Open vSwitch has no such switch."""
    for name, config in configs.items():
        _check(name, config)
    wanted = [each for name, config in configs.items() for each in _wanted(name, config)]
    spare = (f"dev{number}" for number in itertools.count(1))
    devices: dict[tuple[str, int], str] = {}
    used: set[str] = set()
    others = {text for _, _, text in wanted}
    for name, number, text in wanted:
        if not _DEVICE.fullmatch(text) or text in used:
            text = next(each for each in spare if each not in others)
        devices[name, number] = text
        used.add(text)
    notes = tuple(_notes(wanted, devices))
    return {name: _plan(name, config, devices) for name, config in configs.items()}, notes


def local_port(config: Switch) -> PortDesc | None:
    """Return the port LOCAL of a configuration, if it has one."""
    return next((port for port in config.ports if port.port_no == Port.LOCAL), None)


def other_ports(config: Switch) -> list[PortDesc]:
    """Return the ports of a configuration but LOCAL."""
    return [port for port in config.ports if port.port_no != Port.LOCAL]


def _wanted(name: str, config: Switch) -> Iterator[tuple[str, int, str]]:
    """Yield switch, port and name of each device as the scenario has them; LOCAL is the bridge itself."""
    local = local_port(config)
    yield name, Port.LOCAL, name if local is None else local.name
    for port in other_ports(config):
        yield name, port.port_no, port.name


def _notes(wanted: list[tuple[str, int, str]], devices: Mapping[tuple[str, int], str]) -> Iterator[str]:
    renamed = [(name, port, text) for name, port, text in wanted if devices[name, port] != text]
    if renamed:
        name, port, text = renamed[0]
        where = name if port == Port.LOCAL else f"{name}:{port}"
        yield (
            f"{len(renamed)} devices have other names in Open vSwitch, such as {devices[name, port]} for {text!r} of "
            f"{where}, because names occur there once and have 1 to 15 plain characters; messages show those of the "
            f"scenario"
        )


def _plan(name: str, config: Switch, devices: Mapping[tuple[str, int], str]) -> BridgePlan:
    local = local_port(config)
    address = 0x0200_0000_0000 | (config.datapath_id & 0xFF_FFFF) << 16 if local is None else local.hw_addr
    ports = (BridgePort(port.port_no, devices[name, port.port_no], port.hw_addr) for port in other_ports(config))
    return BridgePlan(
        devices[name, Port.LOCAL],
        config.version,
        config.datapath_id,
        address,
        tuple(ports),
        config.fail_mode,
        config.max_entries,
        _MTU,
    )


def _check(name: str, config: Switch) -> None:
    if not config.datapath_id:
        raise RealPartError(f"switch {name}: datapath id 0: expected another one, because Open vSwitch refuses 0")
    for port in other_ports(config):
        if not 1 <= port.port_no <= MAX_OVS_PORT:
            raise RealPartError(f"switch {name}: port {port.port_no}: expected 1 to {MAX_OVS_PORT} with Open vSwitch")
    for port in config.ports:
        if not port.hw_addr or port.hw_addr & _MULTICAST:
            raise RealPartError(
                f"switch {name}: port {port.port_no} has the address {port.hw_addr:012x}: expected one of a device"
            )
