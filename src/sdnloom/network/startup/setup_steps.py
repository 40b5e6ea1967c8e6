"""What is configured before a search: calls of the program, counters that a switch reports, time that passes."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from sdnloom.network.network import NetworkError, check_not_negative, frozen_arguments
from sdnloom.network.openflow import PortStats, PortStatsReply
from sdnloom.network.program import Call, ClockTick, Input, MessageIn
from sdnloom.network.statistics import COUNTERS
from sdnloom.network.topology.spec import SwitchPort, Topology

MAX_TICKS = 10_000


@dataclass(frozen=True)
class SetupCall:
    """A call of the program, or a REST request: "POST /router/1" with its body as the only argument.

    A request must be answered with `status`, or without one with any from 200 to 299, and with a body that contains
    the text `contains`: some apps say in the body that they failed.
    """

    call: str
    arguments: tuple[Any, ...] = ()
    status: int | None = None
    contains: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", frozen_arguments(self.call, self.arguments))
        if self.status is not None and not (type(self.status) is int and 100 <= self.status <= 599):
            raise NetworkError(f"status is {self.status!r}; expected an HTTP status from 100 to 599")

    @property
    def label(self) -> str:
        """The step in messages and traces."""
        return self.call

    def inputs(self, topology: Topology) -> tuple[Input, ...]:
        """The inputs of the program."""
        return (Call(self.call, self.arguments),)

    @property
    def is_request(self) -> bool:
        """Whether it is a REST request, which has an answer."""
        method, _, path = self.call.partition(" ")
        return path.startswith("/") and method.isupper()

    def refuses(self, status: int, body: str) -> str:
        """What was expected instead of this answer to a request; "" if it is right."""
        if not (200 <= status <= 299 if self.status is None else status == self.status):
            return "a status from 200 to 299" if self.status is None else f"the status {self.status}"
        return "" if self.contains in body else f"{self.contains!r} in it"


@dataclass(frozen=True)
class SetupReport:
    """A switch reports the counters of its ports, as if it had been asked; those that are not given are 0."""

    switch: str
    ports: tuple[PortStats, ...]

    def __post_init__(self) -> None:
        numbers = [each.port_no for each in self.ports]
        if not numbers or len(set(numbers)) != len(numbers):
            raise NetworkError(
                f"a report of {self.switch} has the ports {numbers}; expected at least one, and each once"
            )
        for each in self.ports:
            for counter in COUNTERS:
                check_not_negative(f"{counter} of {self.switch}:{each.port_no}", getattr(each, counter))

    @property
    def label(self) -> str:
        """The step in messages and traces."""
        return f"{self.switch} reports counters"

    def inputs(self, topology: Topology) -> tuple[Input, ...]:
        """The inputs of the program: one reply with all ports of the switch."""
        given = {each.port_no: each for each in self.ports}
        rows = tuple(given.get(port, PortStats(port)) for port in topology.switch(self.switch).ports)
        return (MessageIn(self.switch, PortStatsReply(ports=rows)),)


@dataclass(frozen=True)
class SetupTicks:
    """Time passes to the program's next timer, so often."""

    ticks: int

    def __post_init__(self) -> None:
        check_not_negative("ticks", self.ticks)
        if self.ticks > MAX_TICKS:
            raise NetworkError(f"ticks is {self.ticks}; expected at most {MAX_TICKS}")

    @property
    def label(self) -> str:
        """The step in messages and traces."""
        return "time passes" if self.ticks == 1 else f"time passes {self.ticks} times"

    def inputs(self, topology: Topology) -> tuple[Input, ...]:
        """The inputs of the program."""
        return (ClockTick(),) * self.ticks


SetupStep: TypeAlias = SetupCall | SetupReport | SetupTicks


def check_setup(steps: tuple[SetupStep, ...], topology: Topology, joining: bool) -> None:
    """Raise an error for a port that is not there, and for steps without switches that have joined."""
    if steps and joining:
        raise NetworkError(
            "setup is done before the search, and joining lets the switches join during it; expected one or the other"
        )
    for step in steps:
        if isinstance(step, SetupReport):
            for each in step.ports:
                topology.check_port(SwitchPort(step.switch, each.port_no))
