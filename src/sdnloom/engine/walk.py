"""Random walks, and taking steps one by one."""

import random
from dataclasses import dataclass

from sdnloom.engine.model import Mode, Step, System
from sdnloom.engine.path import Path
from sdnloom.engine.semantics import Finding, Semantics, State, Transition


@dataclass(frozen=True)
class Walk:
    """A random path, the violations at its end, and whether it ended because no step was enabled."""

    path: Path
    findings: tuple[Finding, ...]
    finished: bool


def random_walk(system: System | Semantics, seed: int, max_steps: int = 1000, checked: bool = False) -> Walk:
    """A path of uniformly random choices, up to the first violation, `max_steps` or a state without enabled steps.

    The same system and seed give the same walk.
    """
    stepper = Stepper(system if isinstance(system, Semantics) else Semantics(system, checked))
    sometimes = {prop.name for prop in stepper.semantics.system.properties if prop.sometimes}
    chooser = random.Random(seed)
    while True:
        findings = tuple(each for each in stepper.findings() if each.property not in sometimes)
        enabled = stepper.enabled()
        if findings or not enabled or len(stepper.path) >= max_steps:
            return Walk(stepper.path, findings, not enabled)
        # A LATE step is for what is at rest, so it is taken only if there is no other.
        others = [number for number, each in enumerate(enabled) if each.action.mode is not Mode.LATE]
        stepper.take(chooser.choice(others or range(len(enabled))))


class Stepper:
    """A system in one state, and the steps that led to it."""

    def __init__(self, system: System | Semantics) -> None:
        self.semantics = system if isinstance(system, Semantics) else Semantics(system)
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
        """The enabled transitions, in canonical order."""
        if self._enabled is None:
            self._enabled = self.semantics.transitions(self.state)
        return self._enabled

    def findings(self) -> tuple[Finding, ...]:
        """The findings in the present state."""
        return self.semantics.findings(self.state)

    def take(self, number: int) -> Transition:
        """Take one of the enabled transitions."""
        chosen = self.enabled()[number]
        self.transitions.append(chosen)
        self._enabled = None
        return chosen

    def take_first(self, component: str, action: str) -> bool:
        """Take the first transition of an action, without evaluating other actions; False if there is none."""
        chosen = next(self.semantics.named(self.state, Step(component, action)), None)
        if chosen is None:
            return False
        self.transitions.append(chosen)
        self._enabled = None
        return True

    def rest(self, most: int = 100_000) -> bool:
        """Take MUST steps, the first each time, until the state is quiescent; False after `most` steps."""
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
