"""Trials: what two agents do with an input of one case, asked as often as needed and answered once.

An answer comes from partitions, or from running an agent. An input that an answer lacks for one of the agents has no
difference that could be told.
"""

from collections.abc import Callable, Mapping, Sequence

from sdnloom.crosscheck.fields import Field, input_fields
from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.root_causes.difference import Difference, StepReaction, coarse_reaction, differences
from sdnloom.crosscheck.switch_test import Case, MessageStep

# (case, values) -> what the agent does; None if that is not known
RunInput = Callable[[str, Mapping[str, int]], AgentOutput | None]
OutputPair = tuple[AgentOutput, AgentOutput]


class Trial:
    """Both agents' answers in one case."""

    def __init__(
        self,
        case: Case,
        version: int,
        outcomes: tuple[RunInput, RunInput],
        tried: Sequence[Mapping[str, int]] = (),
    ) -> None:
        """`tried` has the inputs that an answer can be given for; none means all."""
        self.case = case
        self.version = version
        self.runs = 0  # inputs that were asked
        self._outcomes = outcomes
        self._tried = tried
        self._names = [variable.name for variable in case.variables]
        self._variables = {variable.name: variable for variable in case.variables}
        self.defaults = case.defaults()
        self._tags = sorted(
            {overlay.tag for step in case.steps if isinstance(step, MessageStep) for overlay in step.overlays}
        )
        self._fields: dict[tuple[int, ...], tuple[Field, ...]] = {}
        self._known: dict[tuple[int, ...], tuple[OutputPair | None, tuple[Difference, ...]]] = {}

    def fields(self, values: Mapping[str, int]) -> tuple[Field, ...]:
        """Return the fields of an input; they depend on the values of its tags alone."""
        key = tuple(values[tag] for tag in self._tags)
        if key not in self._fields:
            self._fields[key] = input_fields(self.case, values, self.version)
        return self._fields[key]

    def outputs(self, values: Mapping[str, int]) -> OutputPair | None:
        """Return both outputs; None if one is not known."""
        return self._ask(values)[0]

    def differences(self, values: Mapping[str, int]) -> tuple[Difference, ...]:
        """Return the differences of an input."""
        return self._ask(values)[1]

    def new_differences(self, values: Mapping[str, int]) -> tuple[Difference, ...]:
        """Return the differences of an input that the harmless one has not."""
        always = self.differences(self.defaults)
        return tuple(each for each in self.differences(values) if each not in always)

    def has(self, values: Mapping[str, int], wanted: Difference) -> bool:
        """Return whether an input is allowed and has this difference."""
        return self.allows(values) and wanted in self._ask(values)[1]

    def holds(self, values: Mapping[str, int], wanted: Difference) -> bool | None:
        """Return whether an input has this difference; None if that is not known."""
        if not self.allows(values):
            return False
        outputs, found = self._ask(values)
        return None if outputs is None else wanted in found

    def tried_values(self, field: Field, values: Mapping[str, int]) -> list[int]:
        """Return the values of a field in inputs that were tried and are like this one otherwise."""
        found = (field.value(each) for each in self._tried if field.replaced(each, field.value(values)) == values)
        return sorted({*found})

    def allows(self, values: Mapping[str, int]) -> bool:
        """Return whether every value is in the ranges of its variable."""
        return all(self._variables[name].allows(value) for name, value in values.items())

    def reactions(self, values: Mapping[str, int], step: int) -> tuple[StepReaction, StepReaction] | None:
        """Return how both agents react in a step; None if that is not known."""
        outputs = self.outputs(values) if self.allows(values) else None
        if outputs is None:
            return None
        first, second = (coarse_reaction(each[step] if step < len(each) else (), self.version) for each in outputs)
        return first, second

    def _ask(self, values: Mapping[str, int]) -> tuple[OutputPair | None, tuple[Difference, ...]]:
        key = tuple(values[name] for name in self._names)
        known = self._known.get(key)
        if known is None:
            self.runs += 1
            first, second = (outcome(self.case.name, values) for outcome in self._outcomes)
            if first is None or second is None:
                known = None, ()
            else:
                known = (first, second), differences(first, second, self.case, self.version)
            self._known[key] = known
        return known
