"""One path at a time: random walks, and stepping by hand."""

import random
from dataclasses import dataclass

from sdnloom.engine.model import Mode, Step, System
from sdnloom.engine.path import Path
from sdnloom.engine.semantics import Finding, Semantics, State, Transition


@dataclass(frozen=True)
class Walk:
    """A random path, what the properties said at its end, and whether it ended because nothing was left to do."""

    path: Path
    found: tuple[Finding, ...]
    finished: bool


def random_walk(system: System, seed: int, max_steps: int = 1000, checked: bool = False) -> Walk:
    """A path of uniformly random choices, up to the first violation, `max_steps` or where nothing is enabled.

    The same system and seed give the same walk.
    """
    semantics = Semantics(system, checked)
    sometimes = {prop.name for prop in system.properties if prop.sometimes}
    chooser = random.Random(seed)
    stepper = Stepper(system, semantics)
    while True:
        found = tuple(one for one in stepper.found() if one.property not in sometimes)
        enabled = stepper.enabled()
        if found or not enabled or len(stepper.path) >= max_steps:
            return Walk(stepper.path, found, not enabled)
        stepper.take(chooser.randrange(len(enabled)))


class Stepper:
    """A system at one state, with the way back."""

    def __init__(self, system: System, semantics: Semantics | None = None) -> None:
        self.semantics = semantics or Semantics(system)
        self.transitions: list[Transition] = []
        self._enabled: list[Transition] | None = None

    @property
    def state(self) -> State:
        """The present state."""
        return self.transitions[-1].state if self.transitions else self.semantics.initial()

    @property
    def path(self) -> Path:
        """The steps so far."""
        return Path(tuple(transition.step for transition in self.transitions))

    def enabled(self) -> list[Transition]:
        """What can happen next, in canonical order."""
        if self._enabled is None:
            self._enabled = self.semantics.transitions(self.state)
        return self._enabled

    def found(self) -> tuple[Finding, ...]:
        """What the properties say here."""
        return self.semantics.speaking(self.state)

    def take(self, number: int) -> Transition:
        """Take one of the enabled transitions."""
        chosen = self.enabled()[number]
        self.transitions.append(chosen)
        self._enabled = None
        return chosen

    def take_first(self, component: str, action: str) -> bool:
        """Take the first transition by that action, without asking what else is enabled; False if there is none."""
        chosen = next(self.semantics.named(self.state, Step(component, action)), None)
        if chosen is None:
            return False
        self.transitions.append(chosen)
        self._enabled = None
        return True

    def rest(self, most: int = 100_000) -> bool:
        """Take what must happen, the first each time, until nothing must; False if that is more than `most` steps."""
        musts = [
            (component.name, action.name)
            for component in self.semantics.system.components
            for action in component.actions
            if action.mode is Mode.MUST
        ]
        last = len(self.transitions) + most
        while any(self.take_first(*must) for must in musts):
            if len(self.transitions) >= last:
                return False
        return True

    def back(self) -> bool:
        """Undo the last step; False at the start."""
        if not self.transitions:
            return False
        self.transitions.pop()
        self._enabled = None
        return True
