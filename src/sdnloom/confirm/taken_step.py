"""A step that was given to a real part: what came of it, compared with what the model says."""

from dataclasses import dataclass, field

from sdnloom.confirm.comparison import NumberRoles
from sdnloom.confirm.held_messages import HeldMessage
from sdnloom.confirm.outcome import Contrast, Obstacle, SentBytes
from sdnloom.confirm.real_parts import ControllerReaction, RealPartError
from sdnloom.confirm.supplied_parts import SuppliedParts


class StepImpossible(RealPartError):  # noqa: N818 (a result: the step cannot be taken from outside)
    """A step that cannot be enforced, and the obstacle."""

    def __init__(self, obstacle: Obstacle, reason: str) -> None:
        super().__init__(reason)
        self.obstacle = obstacle


@dataclass(frozen=True)
class Agreement:
    """How an outcome of the model compares with what was observed; they agree if nothing differs.

    `sent` has the messages of the model with their real bytes by channel, `early` what the controller did beyond it.
    """

    contrasts: tuple[Contrast, ...]
    sent: tuple[tuple[str, HeldMessage], ...]
    emitted: tuple[SentBytes, ...]
    roles: NumberRoles
    supplied: SuppliedParts
    early: ControllerReaction = field(default_factory=ControllerReaction)
