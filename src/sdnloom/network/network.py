"""The description of a network as one value: topology, hosts, switches, faults, timers, externals."""

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow.constants import VERSION_NUMBERS, VersionName
from sdnloom.network.switch.profiles import PROFILES, ProfileName
from sdnloom.network.topology import SwitchPort, Topology

if TYPE_CHECKING:
    from sdnloom.network.hosts.host import Host
    from sdnloom.network.startup.setup_steps import SetupStep


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


def _check_budgets(faults: Any) -> None:
    for each in fields(faults):
        check_not_negative(each.name, getattr(faults, each.name))


@dataclass(frozen=True)
class SwitchOptions:
    """The configuration that all switches of a network share; the attributes are those of `switch.Switch`.

    `profile` is the kind of switch; `buffers` is None for as many as the profile says. Each port has `queues` queues,
    numbered from 0.
    """

    version: VersionName = "1.0"
    profile: ProfileName = "openvswitch"
    buffers: int | None = None
    miss_send_len: int = 128
    buffer_timeout: int | None = None
    max_entries: int | None = None
    counters: bool = False
    overlap: Literal["any", "first"] = "any"
    fail_mode: Literal["secure", "standalone"] = "secure"
    queues: int = 0

    def __post_init__(self) -> None:
        check_one_of("version", self.version, tuple(VERSION_NUMBERS))
        check_one_of("overlap", self.overlap, ("any", "first"))
        check_one_of("fail_mode", self.fail_mode, ("secure", "standalone"))
        check_one_of("profile", self.profile, tuple(PROFILES))
        check_not_negative("miss_send_len", self.miss_send_len)
        check_not_negative("queues", self.queues)
        if self.buffers is not None:
            check_not_negative("buffers", self.buffers)

    @property
    def wire_version(self) -> int:
        """The number of the version in the header of a message."""
        return VERSION_NUMBERS[self.version]


@dataclass(frozen=True)
class LinkFaults:
    """How many packets a link may drop, duplicate or reorder in each direction, and how often it may fail."""

    drop: int = 0
    duplicate: int = 0
    reorder: int = 0
    fail: int = 0

    def __post_init__(self) -> None:
        _check_budgets(self)

    def bounds(self) -> tuple[str, ...]:
        """The faults that may happen, with their budgets."""
        each_way = (("drops a packet", self.drop), ("duplicates one", self.duplicate), ("reorders one", self.reorder))
        found = [f"{fault} {at_most(count)} in each direction" for fault, count in each_way if count]
        return (*found, *([f"fails {at_most(self.fail)}"] if self.fail else []))


@dataclass(frozen=True)
class SwitchFaults:
    """How often a switch may lose its power (`fail`) or its control connection (`disconnect`) and join again."""

    fail: int = 0
    disconnect: int = 0

    def __post_init__(self) -> None:
        _check_budgets(self)

    def bounds(self) -> tuple[str, ...]:
        """The faults that may happen, with their budgets."""
        faults = (("fails", self.fail), ("loses its connection", self.disconnect))
        return tuple(f"{fault} {at_most(count)}" for fault, count in faults if count)

    @property
    def any(self) -> bool:
        """Whether the switch can fail or disconnect."""
        return bool(self.fail or self.disconnect)


@dataclass(frozen=True)
class Timeouts:
    """Expiry of timeouts in switches. Time is not modelled: any timer may be the next one to expire.

    `expiries` is how often, in each switch, an idle or hard timeout or a buffer may expire at any moment. With `settle`
    every hard timeout also expires in quiescent states; idle timeouts do not, because traffic can keep an entry alive
    for ever.
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
class JsonValue:
    """A list or table among the arguments of a call, as JSON: hashable, and new for each call that gets it."""

    text: str

    def __str__(self) -> str:
        return self.text

    def plain(self) -> Any:
        """A new list or dict."""
        return json.loads(self.text)


def frozen_arguments(call: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments of a call with lists and dicts as JsonValue. Raises NetworkError for what is not plain."""
    return tuple(_frozen_argument(call, each) for each in arguments)


def _frozen_argument(call: str, value: Any) -> Any:
    if not isinstance(value, list | dict):
        return value
    try:
        text = json.dumps(value, ensure_ascii=False)
        if json.loads(text) == value:
            return JsonValue(text)
    except (TypeError, ValueError, RecursionError):
        pass  # no plain value
    raise NetworkError(
        f"an argument of {call!r} is {str(value)[:80]}; expected lists and tables of strings, numbers and booleans"
    )


def plain_arguments(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments of a call as the program gets them: lists and dicts of its own."""
    return tuple(each.plain() if isinstance(each, JsonValue) else each for each in arguments)


@dataclass(frozen=True)
class External:
    """An external call (an operator command or a REST request) that may happen `budget` times.

    Arguments may be lists and dicts: the program gets new ones each time.
    """

    name: str
    arguments: tuple[Any, ...] = ()
    budget: int = 1

    def __post_init__(self) -> None:
        check_not_negative(f"budget of the external event {self.name!r}", self.budget)
        object.__setattr__(self, "arguments", frozen_arguments(self.name, self.arguments))


@dataclass(frozen=True)
class ProgramTimer:
    """A timer of the program that may fire `budget` times."""

    name: str
    budget: int = 1

    def __post_init__(self) -> None:
        check_not_negative(f"budget of the timer {self.name!r}", self.budget)


@dataclass(frozen=True)
class PortCounter:
    """The values of a port's counter in statistics: one of them is chosen for each reply."""

    port: SwitchPort
    values: tuple[int, ...]
    counter: str = "tx_bytes"

    def __post_init__(self) -> None:
        for value in self.values:
            check_not_negative(f"{self.counter} of {self.port}", value)


SETTLE_TICKS = 3  # enough for a handler that sleeps a few times; a periodic timer never ends
StatisticsAnswer = tuple[tuple[str, int], ...]  # counters of a statistics reply with their values; all others are 0
NamedAnswer = tuple[str, StatisticsAnswer]  # an answer and its name in a trace


@dataclass(frozen=True)
class Network:
    """The whole scenario except the program and the properties.

    - `hosts`: a host of the topology without an entry here receives every packet and sends none.
    - `link_faults` are by the name of the link (`LinkSpec.name`: "s1:2-s2:1") or of the host at its end,
      `switch_faults` by the name of the switch.
    - `joining`: the switches connect one after the other as part of the search. Without it the search starts when all
      have connected and the program's first messages have arrived.
    - `identity`: packets of hosts carry packet ids; None leaves that to the properties.
    - `statistics`: counters of ports that it does not name are what the switch counted (`SwitchOptions.counters`).
    - `answers`: statistics replies found by discovery, instead of `statistics`; a reply gets one of the switch's
      answers when the program handles it.
    - `ticks`: how often time may pass to the next timer of a program that has a clock; with 0 no timer fires.
    - `settle_ticks`: how often time passes to its next timer when nothing else happens, before a property that is
      checked at rest is judged violated: so often since the program last received or sent a packet of a host.
    - `warmup`: before the search starts, time passes that often; "links": until LLDP has crossed every link.
    - `setup`: what is configured then, in order (see `startup`).
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
    warmup: int | Literal["links"] | None = None
    setup: tuple["SetupStep", ...] = ()
    settle_ticks: int = SETTLE_TICKS

    def __post_init__(self) -> None:
        check_not_negative("ticks", self.ticks)
        check_not_negative("settle_ticks", self.settle_ticks)
        if self.warmup is not None and self.warmup != "links":
            check_not_negative("warmup", self.warmup)
