"""What is to be checked, as one value: topology, hosts, switches, faults, timers, calls from outside. No behaviour."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow.constants import VERSION_NUMBERS, VersionName
from sdnloom.network.topology import SwitchPort, Topology

if TYPE_CHECKING:
    from sdnloom.network.hosts.host import Host


class NetworkError(SdnloomError):
    """A network that cannot be built. The message names the part, its value and what was expected."""


def check_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise NetworkError unless the value is one of the known ones."""
    if value not in known:
        raise NetworkError(f"{name} is {value!r}; expected one of {', '.join(known)}")


def check_not_negative(name: str, value: object) -> None:
    """Raise NetworkError unless the value is a whole number of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise NetworkError(f"{name} is {value!r}; expected a whole number of at least 0")


def at_most(count: int) -> str:
    """A budget in words: "at most once", "at most 2 times"."""
    return "at most once" if count == 1 else f"at most {count} times"


def _budgets(faults: Any) -> None:
    for each in fields(faults):
        check_not_negative(each.name, getattr(faults, each.name))


@dataclass(frozen=True)
class SwitchOptions:
    """What all switches of a network have in common; the names are those of `switch.Switch`."""

    version: VersionName = "1.0"
    buffers: int = 256
    miss_send_len: int = 128
    buffer_timeout: int | None = None
    max_entries: int | None = None
    counters: bool = False
    overlap: Literal["any", "first"] = "any"
    fail_mode: Literal["secure", "standalone"] = "secure"

    def __post_init__(self) -> None:
        check_one_of("version", self.version, tuple(VERSION_NUMBERS))
        check_one_of("overlap", self.overlap, ("any", "first"))
        check_one_of("fail_mode", self.fail_mode, ("secure", "standalone"))
        for name in ("buffers", "miss_send_len"):
            check_not_negative(name, getattr(self, name))

    @property
    def wire_version(self) -> int:
        """The version as messages carry it."""
        return VERSION_NUMBERS[self.version]


@dataclass(frozen=True)
class LinkFaults:
    """How often a link may drop, duplicate or reorder packets, in each direction, and how often it may fail."""

    drop: int = 0
    duplicate: int = 0
    reorder: int = 0
    fail: int = 0

    def __post_init__(self) -> None:
        _budgets(self)

    def bounds(self) -> tuple[str, ...]:
        """The faults that may happen, with their budgets."""
        each_way = (("drops a packet", self.drop), ("duplicates one", self.duplicate), ("reorders one", self.reorder))
        found = [f"{fault} {at_most(count)} in each direction" for fault, count in each_way if count]
        return (*found, *([f"fails {at_most(self.fail)}"] if self.fail else []))


@dataclass(frozen=True)
class SwitchFaults:
    """How often a switch may lose its power (`fail`) or its connection (`disconnect`) and come back."""

    fail: int = 0
    disconnect: int = 0

    def __post_init__(self) -> None:
        _budgets(self)

    def bounds(self) -> tuple[str, ...]:
        """The faults that may happen, with their budgets."""
        faults = (("fails", self.fail), ("loses its connection", self.disconnect))
        return tuple(f"{fault} {at_most(count)}" for fault, count in faults if count)

    @property
    def any(self) -> bool:
        """Whether the switch can go away at all."""
        return bool(self.fail or self.disconnect)


@dataclass(frozen=True)
class Timeouts:
    """When timed things of switches end. Time itself is left out: any timer may be the next one to fire.

    `expiries` is how often, in each switch, an idle or hard timeout or a buffer may run out at any moment. With
    `settle` every hard timeout also runs out when nothing else is going on; an idle timeout need not, for traffic can
    keep an entry alive for ever.
    """

    expiries: int = 0
    settle: bool = False

    def __post_init__(self) -> None:
        check_not_negative("expiries", self.expiries)

    def bounds(self) -> tuple[str, ...]:
        """The timeouts that may run out."""
        any_time = f"timeouts run out at any moment {at_most(self.expiries)} in each switch"
        at_rest = "hard timeouts run out when nothing else happens"
        return (*([any_time] if self.expiries else []), *([at_rest] if self.settle else []))


@dataclass(frozen=True)
class External:
    """A call from outside that may happen `budget` times."""

    name: str
    arguments: tuple[Any, ...] = ()
    budget: int = 1

    def __post_init__(self) -> None:
        check_not_negative(f"budget of the external event {self.name!r}", self.budget)


@dataclass(frozen=True)
class ProgramTimer:
    """A timer of the program that may fire `budget` times."""

    name: str
    budget: int = 1

    def __post_init__(self) -> None:
        check_not_negative(f"budget of the timer {self.name!r}", self.budget)


@dataclass(frozen=True)
class PortCounter:
    """What a counter of a port says whenever the program asks for statistics: any of the values, each time anew."""

    port: SwitchPort
    values: tuple[int, ...]
    counter: str = "tx_bytes"

    def __post_init__(self) -> None:
        for value in self.values:
            check_not_negative(f"{self.counter} of {self.port}", value)


# (port, counter, value): what the ports of a switch say; counters that are not among them are 0.
PortAnswer = tuple[tuple[int, str, int], ...]
NamedAnswer = tuple[str, PortAnswer]  # and what a trace calls it


@dataclass(frozen=True)
class Network:
    """Everything but the program and the properties.

    A host of the topology without a behaviour takes what comes and sends nothing. Link faults are by the name of the
    link (`LinkSpec.name`: "s1:2-s2:1") or of the host whose cable is meant; switch faults by the switch's name. With
    `joining` the switches connect one after the other as part of the search; without, the search starts when all have
    and the program's answers have arrived. `identity` gives each packet that a host sends a number of its own; None
    leaves it to the properties to ask for that. Counters of ports that `statistics` does not name are what the switch
    counted (`SwitchOptions.counters`). With `answers`, what ports say is discovered instead: it is settled when the
    program handles a reply, which is any of the switch's answers then, and whoever searches fills them in. `ticks` is
    how often time may pass to the next timer of the program, for a program that has a clock of its own; without any,
    time stands still. `warmup` lets packets travel before the search starts, and time pass that often (see
    `beginning`).
    """

    topology: Topology
    hosts: tuple["Host", ...] = ()
    switches: SwitchOptions = SwitchOptions()
    link_faults: tuple[tuple[str, LinkFaults], ...] = ()
    switch_faults: tuple[tuple[str, SwitchFaults], ...] = ()
    timeouts: Timeouts = Timeouts()
    externals: tuple[External, ...] = ()
    timers: tuple[ProgramTimer, ...] = ()
    joining: bool = False
    identity: bool | None = None
    statistics: tuple[PortCounter, ...] = ()
    answers: tuple[tuple[str, tuple[NamedAnswer, ...]], ...] | None = None
    ticks: int = 0
    warmup: int | None = None

    def __post_init__(self) -> None:
        check_not_negative("ticks", self.ticks)
        if self.warmup is not None:
            check_not_negative("warmup", self.warmup)
