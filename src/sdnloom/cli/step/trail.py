"""The steps of a trace that a session goes through, and where the session is on them."""

from collections.abc import Sequence

from sdnloom.engine.model import Step
from sdnloom.engine.path import same_step
from sdnloom.engine.semantics import Transition


class Trail:
    """The steps of a trace. A session is on the trail while its steps are the first ones of the trace."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)

    def __len__(self) -> int:
        return len(self.steps)

    def left_at(self, taken: Sequence[Transition]) -> int | None:
        """The number of the first step that is another than that of the trace; None on the trail."""
        for number, (transition, step) in enumerate(zip(taken, self.steps, strict=False), 1):
            if not same_step(transition.step, step):
                return number
        return len(self.steps) + 1 if len(taken) > len(self.steps) else None

    def next_step(self, taken: Sequence[Transition]) -> Step | None:
        """The step that comes next; None off the trail and at its end."""
        if self.left_at(taken) is not None or len(taken) == len(self.steps):
            return None
        return self.steps[len(taken)]
