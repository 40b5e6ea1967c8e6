"""Ports that are added, removed and changed, by a PortMod of the controller or from outside."""

from dataclasses import replace

from sdnloom.network.openflow import V10, PortConfig, PortDesc, PortReason, PortState
from sdnloom.network.openflow.messages import PortMod, PortStatus
from sdnloom.network.switch.step import RefusedMessage, SwitchStep

_V13_CONFIG = PortConfig.PORT_DOWN | PortConfig.NO_RECV | PortConfig.NO_FWD | PortConfig.NO_PACKET_IN
_V10_CONFIG = _V13_CONFIG | PortConfig.NO_STP | PortConfig.NO_RECV_STP | PortConfig.NO_FLOOD


def apply_port_mod(step: SwitchStep, message: PortMod) -> None:
    """Change the configuration of a port, and report a change."""
    port = step.port(message.port_no)
    if port is None:
        raise RefusedMessage("port_mod_failed", "bad_port")
    if message.hw_addr != port.hw_addr:
        raise RefusedMessage("port_mod_failed", "bad_hw_addr")
    old = step.config.version == V10
    if not old and (message.config | message.mask) & ~int(_V13_CONFIG):
        raise RefusedMessage("port_mod_failed", "bad_config")
    mask = message.mask & (_V10_CONFIG if old else _V13_CONFIG)
    desc = replace(port, config=int(port.config & ~mask | message.config & mask))
    if not step.config.traits.reports_link_only:
        change_port(step, PortReason.MODIFY, desc)
    elif (desc.config ^ port.config) & PortConfig.PORT_DOWN:  # the device goes down or up, and the link with it
        desc = _with_link(step, desc, up=not desc.config & PortConfig.PORT_DOWN)
        _set_port(step, PortReason.MODIFY, desc)
        step.port_status(PortStatus(int(PortReason.MODIFY), desc))
    else:
        _set_port(step, PortReason.MODIFY, desc)


def change_port(step: SwitchStep, reason: int, desc: PortDesc) -> None:
    """Add, remove or change a port as described, and report a change to the controller."""
    traits = step.config.traits
    if reason == PortReason.MODIFY and traits.reports_link_only and desc.config & PortConfig.PORT_DOWN:
        desc = _with_link(step, desc, up=False)
    before = step.port(desc.port_no)
    if not _set_port(step, reason, desc):
        return
    if before is not None and before.state & PortState.LIVE and desc.state & PortState.LINK_DOWN and traits.shows_live:
        # Open vSwitch looks at LIVE and at the link one after the other.
        step.port_status(PortStatus(int(reason), replace(desc, state=int(before.state & ~PortState.LIVE))))
    step.port_status(PortStatus(int(reason), replace(desc, port_no=int(desc.port_no))))


def _with_link(step: SwitchStep, desc: PortDesc, up: bool) -> PortDesc:
    """Return a port with the state of a device that is up or down."""
    works = PortState.LIVE if step.config.traits.shows_live and step.config.version != V10 else 0
    return replace(desc, state=int(works if up else PortState.LINK_DOWN))


def _set_port(step: SwitchStep, reason: int, desc: PortDesc) -> bool:
    """Add, remove or change a port as described; return whether that is a change."""
    desc = replace(desc, port_no=int(desc.port_no))
    before = step.port(desc.port_no)
    if (reason == PortReason.DELETE) == (before is None) and reason != PortReason.MODIFY:
        return False
    if before == desc and reason != PortReason.DELETE:
        return False
    if reason == PortReason.MODIFY and before is None:
        return False
    step.writes.add(("port", desc.port_no))
    others = [port for port in step.ports if port.port_no != desc.port_no]
    now = sorted(others if reason == PortReason.DELETE else [*others, desc], key=lambda port: port.port_no)
    step.update(ports=None if tuple(now) == step.config.ports else tuple(now))
    if reason == PortReason.DELETE or desc.state & PortState.LINK_DOWN:
        _forget_addresses(step, desc.port_no)
    return True


def _forget_addresses(step: SwitchStep, number: int) -> None:
    if step.core.macs:
        step.writes.add("macs")
        step.update(macs=tuple(row for row in step.core.macs if row[2] != number))
