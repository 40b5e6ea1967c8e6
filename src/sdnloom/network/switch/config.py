"""The configuration of a switch, and its choices where the specification leaves one open."""

from dataclasses import dataclass, field, replace
from typing import Literal

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import V10, V13, VERSION_NUMBERS, PacketQueue, Port, PortDesc
from sdnloom.network.switch.profiles import PROFILES, ProfileName, SwitchProfile

MAX_TABLES = 254  # 0xff means "all tables", so tables are numbered 0 to 254 at most; one number stays unused

_CHOICES = {
    "overlap": ("any", "first"),
    "unknown_port": ("refuse", "accept"),
    "fail_mode": ("secure", "standalone"),
    "profile": tuple(PROFILES),
}


class SwitchError(SdnloomError):
    """A switch is configured with a wrong value."""


@dataclass(frozen=True)
class Switch:
    """The part of a switch that no message changes.

    `overlap`: of several matching entries of equal priority, any may apply (one outcome each), or always the first in
    canonical order. `unknown_port`: an output to a port that does not exist is refused, or accepted because the port
    may be added later. `max_entries` bounds each table, `emergency_entries` the emergency table of 1.0; None is no
    bound. `buffer_timeout` is in milliseconds, None is never. `local_floods`: whether FLOOD and ALL reach the port
    LOCAL; None is as the version says (1.0: physical ports only; 1.3: every standard port). `profile` is what a switch
    reports about itself and what it accepts (`profiles.py`); ports, buffers and other options do not depend on it here.
    `lowest_port` is 1 as in OpenFlow, or 0 where ports count from 0.
    """

    datapath_id: int
    ports: tuple[PortDesc, ...]
    version: int = V13
    n_tables: int = MAX_TABLES
    buffers: int = 256
    miss_send_len: int = 128
    buffer_timeout: int | None = None
    max_entries: int | None = None
    emergency_entries: int | None = None
    max_groups: int | None = None
    counters: bool = False
    overlap: Literal["any", "first"] = "any"
    unknown_port: Literal["refuse", "accept"] = "refuse"
    local_floods: bool | None = None
    fail_mode: Literal["secure", "standalone"] = "secure"
    queues: tuple[PacketQueue, ...] = ()
    experimenters: frozenset[int] = field(default_factory=frozenset)
    profile: ProfileName = "reference"
    lowest_port: int = 1

    def __post_init__(self) -> None:
        if self.version not in VERSION_NUMBERS.values():
            known = " or ".join(f"{number} (OpenFlow {name})" for name, number in VERSION_NUMBERS.items())
            raise SwitchError(f"version={self.version!r}: expected {known}")
        if not 1 <= self.n_tables <= MAX_TABLES:
            raise SwitchError(f"n_tables={self.n_tables!r}: expected 1 to {MAX_TABLES}")
        for name in ("buffers", "miss_send_len", "max_entries", "emergency_entries", "max_groups"):
            if (number := getattr(self, name)) is not None and number < 0:
                raise SwitchError(f"{name}={number!r}: expected a number of at least 0")
        if self.buffer_timeout is not None and self.buffer_timeout < 1:
            raise SwitchError(f"buffer_timeout={self.buffer_timeout!r}: expected at least 1 millisecond, or None")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise SwitchError(f"{name}={getattr(self, name)!r}: expected one of {', '.join(choices)}")
        numbers = [port.port_no for port in self.ports]
        for number in numbers:
            if not (self.lowest_port <= number < self.max_port or number == Port.LOCAL):
                raise SwitchError(
                    f"port {number}: expected {self.lowest_port} to {self.max_port - 1:#x}, or Port.LOCAL"
                )
        if len(set(numbers)) != len(numbers):
            raise SwitchError(f"ports {sorted(numbers)}: expected each number once")
        # Port numbers become part of states, which print them, so enum members become plain numbers.
        plain = (replace(port, port_no=int(port.port_no)) for port in self.ports)
        object.__setattr__(self, "ports", tuple(sorted(plain, key=lambda port: port.port_no)))
        if self.version == V10 and self.n_tables != 1:
            object.__setattr__(self, "n_tables", 1)  # 1.0 has no message that names a second table

    @property
    def traits(self) -> SwitchProfile:
        """What the profile says."""
        return PROFILES[self.profile]

    @property
    def keeps_entries(self) -> bool:
        """Whether entries stay when the connection is lost, as in 1.3."""
        return self.version != V10 or not self.traits.has_emergency

    @property
    def floods_local(self) -> bool:
        """Whether FLOOD and ALL reach the port LOCAL."""
        return self.version != V10 if self.local_floods is None else self.local_floods

    @property
    def max_port(self) -> int:
        """The first reserved port number."""
        return 0xFF00 if self.version == V10 else Port.MAX


def plain_ports(*numbers: int) -> tuple[PortDesc, ...]:
    """Return ports with names and locally administered addresses made from their numbers."""
    return tuple(PortDesc(number, 0x0200_0000_0000 | number & 0xFFFFFFFF, f"port{number}") for number in numbers)
