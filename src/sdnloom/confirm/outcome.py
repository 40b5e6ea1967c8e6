"""The outcome of a confirmation, step by step: what the trace says, what was observed, and the first difference."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sdnloom.confirm.real_parts import ObservedAnswer, ObservedException
from sdnloom.engine.semantics import Finding, Transition
from sdnloom.network.topology.spec import SwitchPort


class ConfirmOutcome(StrEnum):
    """How a confirmation ended."""

    CONFIRMED = "CONFIRMED"  # every step went as the trace says, and what was observed violates the property
    AGREED = "AGREED"  # every step went as the trace says; the trace has no property, such as that of a walk
    DIFFERENT = "DIFFERENT"  # a step went otherwise
    NOT_POSSIBLE = "NOT POSSIBLE"  # a step cannot be enforced from outside


class PartKind(StrEnum):
    """The kind of part that did something else than the trace says."""

    SWITCH = "switch"
    APP = "app"
    CONTROLLER = "controller"  # one that is not the scenario's program


class Obstacle(StrEnum):
    """Why a step cannot be enforced from outside."""

    APP_TIMER = "a timer of the app"
    APP_CHOICE = "a choice inside of the app"  # an order between threads, a random draw
    SWITCH_CHOICE = "a choice inside of a switch"  # such as that between overlapping entries
    SWITCH_FAULT = "a fault inside of a switch"
    SWITCH_CLOCK = "an order of timeouts"
    CALL = "a call of the app"
    CONTROLLER = "the controller"


@dataclass(frozen=True, slots=True)
class SentBytes:
    """Bytes that a part sent: an OpenFlow message on the connection of a switch, or a frame out of a port.

    `channel` is the channel of the model ("s1.up", "s1.of", "s2.in", "h1.in"), "" for a frame that leaves by a port
    without a link; `port` is the port of the sending switch.
    """

    channel: str
    data: bytes
    port: SwitchPort | None = None


@dataclass(frozen=True, slots=True)
class ObservedStep:
    """A step of the trace, or of the start-up before it, as it was taken on the real system."""

    number: int  # from 1, for the start-up and for the trace
    startup: bool
    transition: Transition
    delivered: tuple[SentBytes, ...] = ()  # what the part was given
    sent: tuple[SentBytes, ...] = ()
    raised: tuple[ObservedException, ...] = ()
    answers: tuple[ObservedAnswer, ...] = ()
    seconds: float = 0.0  # since the confirmation began


class Contrast(NamedTuple):
    """One thing that differs: what it is, what the trace says, what was observed; "" where there is nothing."""

    what: str
    expected: str
    observed: str


@dataclass(frozen=True, slots=True)
class StepDifference:
    """The step that went otherwise, the part that did, and everything that differs in this step."""

    step: ObservedStep
    part: PartKind
    name: str  # of the switch or of the program, or the command of another controller
    contrasts: tuple[Contrast, ...]


@dataclass(frozen=True, slots=True)
class Impossible:
    """The step that cannot be enforced, and why; nothing of the step was observed."""

    number: int
    startup: bool
    transition: Transition
    obstacle: Obstacle
    reason: str


@dataclass(frozen=True)
class Confirmation:
    """What became of a trace on the real system.

    `supplied` says what sdnloom had to add because the real switch does not have it, such as packet buffers, and
    `parts` the real parts with their versions. `steps` are those that were taken, the one that differs among them.
    """

    outcome: ConfirmOutcome
    finding: Finding | None
    steps: tuple[ObservedStep, ...] = ()
    of_trace: int = 0  # the number of steps that the trace has
    difference: StepDifference | None = None
    impossible: Impossible | None = None
    supplied: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)  # "switches": "Open vSwitch 3.1.0", "controller": ...
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    began: float = 0.0  # when the confirmation began, in seconds since 1970
    log: str = ""  # what the controller has printed and logged

    @property
    def taken(self) -> int:
        """How many steps of the trace went as the trace says."""
        own = [each for each in self.steps if not each.startup]
        return len(own) - (self.difference is not None and not self.difference.step.startup)
