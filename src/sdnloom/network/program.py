"""What the network asks of a controller program: the contract between the model and every platform.

Law: `handle` is a pure function of core and input. A platform that runs real code restores the state that a core stands
for, runs the code, and returns the state as a new core.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from sdnloom.engine.model import Cell, Event
from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import OpenFlowMessage, PortDesc


class RestartNeeded(SdnloomError):  # noqa: N818 (no error for whoever starts again)
    """A program has found that two states which it gave one core are not alike, and tells them apart from now on.

    Whoever asked has to start again from `initial`; that happens once.
    """


class SwitchUp(NamedTuple):
    """A switch connected."""

    switch: str
    datapath_id: int
    ports: tuple[PortDesc, ...]


@dataclass(frozen=True, slots=True)
class SwitchDown:
    """A switch is connected no longer."""

    switch: str


class MessageIn(NamedTuple):
    """A message came from a switch."""

    switch: str
    message: OpenFlowMessage


@dataclass(frozen=True, slots=True)
class TimerInput:
    """A timer fired."""

    name: str


class Call(NamedTuple):
    """An operator command, a request to the program's interface, a configuration change: anything from outside."""

    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """One of the program's threads that can go on does; there is a reaction for each."""


@dataclass(frozen=True, slots=True)
class ClockTick:
    """Time passes until the program's next timer is due; there is a reaction for each timer that is due then."""


Input: TypeAlias = SwitchUp | SwitchDown | MessageIn | TimerInput | Call | ThreadTurn | ClockTick


@dataclass(frozen=True)
class Reaction:
    """What a program did about an input: its new core, messages to switches in order, and events.

    `reads` and `writes` are the parts of its core (`parts.py`) that it touched; None where that is not known.
    """

    core: Hashable
    messages: tuple[tuple[str, OpenFlowMessage], ...] = ()
    events: tuple[Event, ...] = ()
    choice: str = ""  # tells this reaction from the others to the same input
    reads: frozenset[Cell] | None = None
    writes: frozenset[Cell] | None = None


class Program(Protocol):
    """A controller program as the network sees it.

    A program may also say `version`, the OpenFlow version that its switches must speak ("1.0"), and that it has `turns`
    (threads that are to be explored) or is `timed` (a clock that ticks): then it is given Turn and Tick. One that is
    explored has `answers`: what ports may answer to it, by its core, the switch and the reply. One whose `handle` may
    raise StartAgain has `keep_order`, after which it does not. One that can tell, at a price, what its reactions touch
    has `touched(core, given, reactions)`: reads and writes, None if that is not known. One may promise that it keeps to
    one switch at a time, or deny it: `per_switch` (`supposing.py`). One that cannot be given every timer and call has
    `refuse(given)`, which raises what `handle` would.
    """

    @property
    def name(self) -> str:
        """The name shown in reports."""

    def initial(self) -> Hashable:
        """The core of the program that has just started and knows no switch yet."""

    def handle(self, core: Any, given: Input) -> Sequence[Reaction]:
        """Every way the program may react; at least one, but none to a Turn or Tick that is not possible."""


def keep_order(program: Program) -> None:
    """Let a program that is followed on one path tell all its states apart: nothing is saved by taking two for one."""
    getattr(program, "keep_order", lambda: None)()
