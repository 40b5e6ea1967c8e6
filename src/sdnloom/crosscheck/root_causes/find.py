"""Finds root causes: minimises differing inputs, leaves out what smaller causes explain, and merges what is the same.

Inputs are taken in an order that depends on their values alone, so the causes do not depend on the order of classes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as data_field

from sdnloom.crosscheck.output import OCTETS
from sdnloom.crosscheck.root_causes.cause_text import NOT_COUNTED, field_values
from sdnloom.crosscheck.root_causes.difference import Difference, described_field, is_message_field
from sdnloom.crosscheck.root_causes.explanation import explain
from sdnloom.crosscheck.root_causes.focus import Focus, MakeCheck, find_focus
from sdnloom.crosscheck.root_causes.minimal_input import Values, changed_fields, minimal_input
from sdnloom.crosscheck.root_causes.trial import OutputPair, Trial
from sdnloom.crosscheck.switch_test import Case


@dataclass(slots=True, eq=False)
class FoundCause:
    """A cause in one case, or an explained input: its focus, its difference, and the inconsistencies that show it."""

    case: Case
    difference: Difference
    focus: Focus
    outputs: OutputPair
    order: tuple[frozenset[str], ...] = ()
    smaller: list["FoundCause"] = data_field(default_factory=list)  # not empty: explained by these
    explained: list["FoundCause"] = data_field(default_factory=list)  # by this one
    inconsistencies: set[int] = data_field(default_factory=set)
    always: bool = False  # a field of a message that differs in all such messages, however they come about

    def all_explained(self) -> list["FoundCause"]:
        """Return the inputs that are explained by this cause, directly or not."""
        return _all_from(self, lambda found: found.explained)

    def key(self) -> tuple[object, ...]:
        """Return what makes two causes the same."""
        if self.order:
            return (self.focus.message, "order", frozenset(self.order))
        if self.difference.field == "order":
            return ("order", self.difference.reactions)
        if self.always or is_message_field(self.difference):
            name, values = described_field(self.difference.field), field_values(self.difference, self.outputs)
            if name.rpartition(".")[2] in OCTETS:  # of every message that has it
                return (name,)
            if NOT_COUNTED in values:  # as all counters that a switch does not keep
                return (name.partition(".")[0], *values)
            return (name,) if self.always else (name, *values)
        names = tuple(sorted((each.name, each.equal_name) for each in self.focus.fields))
        return (self.focus.message, tuple(sorted(self.focus.tags)), names, self.difference)


def _all_from(start: FoundCause, following: Callable[[FoundCause], list[FoundCause]]) -> list[FoundCause]:
    found: dict[FoundCause, None] = {}
    waiting = list(following(start))
    while waiting:
        each = waiting.pop(0)
        if each not in found:
            found[each] = None
            waiting += following(each)
    return list(found)


class CauseFinder:
    """Finds the causes of one case."""

    def __init__(self, trial: Trial, make_check: MakeCheck) -> None:
        self._trial = trial
        self._make_check = make_check
        self.found: list[FoundCause] = []
        self._by_difference: dict[Difference, list[FoundCause]] = {}

    def add(self, inputs: Iterable[tuple[Mapping[str, int], int]]) -> None:
        """Find the causes of inputs, each given with the number of its inconsistency."""
        trial = self._trial
        names = [variable.name for variable in trial.case.variables]

        def order(pair: tuple[Mapping[str, int], int]) -> tuple[object, ...]:
            values = pair[0]
            return len(changed_fields(trial, values)), tuple(values[name] for name in names)

        for values, number in sorted(inputs, key=order):
            for difference in trial.differences(values):
                self._attach(self.cause(values, difference), number)

    def _attach(self, cause: FoundCause, number: int) -> None:
        for each in (cause, *_all_from(cause, lambda found: found.smaller)):
            each.inconsistencies.add(number)

    def cause(self, values: Mapping[str, int], difference: Difference) -> FoundCause:
        """Return the cause of a difference of an input; it is new if no known one fits."""
        trial = self._trial
        for known in self._by_difference.get(difference, ()):
            if known.focus.covers(values) and trial.holds(self._only(values, known.focus), difference) is not False:
                return known
        minimal = minimal_input(trial, values, difference)
        here = next(each for each in trial.differences(minimal) if each == difference)
        explanation = explain(trial, minimal, here)
        focus = find_focus(trial, minimal, here, self._make_check)
        outputs = trial.outputs(focus.values)
        assert outputs is not None
        here = next(each for each in trial.differences(focus.values) if each == difference)
        cause = FoundCause(trial.case, here, focus, outputs, explanation.order)
        self.found.append(cause)
        self._by_difference.setdefault(difference, []).append(cause)
        for smaller in explanation.smaller:
            cause.smaller += [self.cause(smaller, each) for each in trial.new_differences(smaller)]
        for each in cause.smaller:
            each.explained.append(cause)
        return cause

    def _only(self, values: Mapping[str, int], focus: Focus) -> Values:
        """Return the harmless input with the fields of a focus as in an input."""
        kept = [field for field, _ in focus.fixed]
        kept += [field for each in focus.fields for field in (each.field, each.equal) if field is not None]
        found = dict(self._trial.defaults)
        for field in kept:
            found = field.replaced(found, field.value(values))
        return found
