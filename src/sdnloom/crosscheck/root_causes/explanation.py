"""Whether a minimal input is a cause of its own, or a meeting of smaller ones.

See the package for the definition. A subset of the fields left stands for the input in which all others are harmless.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from sdnloom.crosscheck.fields import Field
from sdnloom.crosscheck.root_causes.difference import ACCEPTS, NO_END, Difference, StepReaction, packet_field
from sdnloom.crosscheck.root_causes.minimal_input import Values, changed_fields, field_units, with_defaults
from sdnloom.crosscheck.root_causes.trial import Trial

_MOST_UNITS: Final = 6


@dataclass(frozen=True, slots=True)
class _Part:
    """Some units of the fields: the input that has only them, both reactions to it, and whether it differs by them."""

    units: frozenset[int]
    values: Values
    reactions: tuple[StepReaction, StepReaction]
    differs: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Smaller inputs that explain one, which then is no cause; or the two parts whose order of validation differs."""

    smaller: tuple[Values, ...] = ()
    order: tuple[frozenset[str], ...] = ()


def explain(trial: Trial, values: Mapping[str, int], difference: Difference) -> Explanation:
    """Return how a minimal input follows from smaller ones; an empty explanation if it is a cause of its own."""
    units = field_units(trial, changed_fields(trial, values))
    if not 2 <= len(units) <= _MOST_UNITS:
        return Explanation()
    if difference.field:
        return _of_field(trial, values, difference, units)
    harmless = trial.reactions(trial.defaults, difference.step)
    here = trial.reactions(values, difference.step)
    if here is None:
        return Explanation()
    parts = list(_parts(trial, values, difference.step, units))
    by_first = [part for part in parts if part.reactions[0] == here[0]]
    by_second = [part for part in parts if part.reactions[1] == here[1]]
    pairs = [(one, other) for one in by_first for other in by_second]
    pairs.sort(key=lambda pair: len(pair[0].units) + len(pair[1].units))
    for one, other in pairs:
        if harmless and not one.units & other.units and _is_order(one, other, harmless):
            return Explanation(order=tuple(_places(part, units) for part in (one, other)))
    for one, other in pairs:
        if one.differs or other.differs:
            return Explanation(smaller=tuple(part.values for part in (one, other) if part.differs))
    if not any(_is_error(each) or each in (NO_END, ACCEPTS) for each in difference.reactions):
        differ = {part.units for part in parts if part.differs}
        everything = frozenset(range(len(units)))
        for part in parts:
            if part.differs and everything - part.units not in differ:
                return Explanation(smaller=(part.values,))
    if all(_is_error(each) for each in here):
        for part in by_first + by_second:
            if part.differs:
                return Explanation(smaller=(part.values,))
    return Explanation()


def _is_error(reaction: StepReaction) -> bool:
    return any(kind.startswith("Error") for kind in reaction)


def _parts(trial: Trial, values: Mapping[str, int], step: int, units: tuple[tuple[Field, ...], ...]) -> Iterator[_Part]:
    """Yield the proper subsets of the units, without the empty one, smaller ones first."""
    for size in range(1, len(units)):
        for kept in combinations(range(len(units)), size):
            left_out = [field for number, unit in enumerate(units) if number not in kept for field in unit]
            smaller = with_defaults(trial, values, left_out)
            reactions = trial.reactions(smaller, step)
            if reactions is not None:
                yield _Part(frozenset(kept), smaller, reactions, bool(trial.new_differences(smaller)))


def _is_order(one: _Part, other: _Part, harmless: tuple[StepReaction, StepReaction]) -> bool:
    """Return whether both agents notice both faults: then they report different ones because of their order."""
    return all(
        _refuses(part.reactions[agent]) and part.reactions[agent] != harmless[agent]
        for part in (one, other)
        for agent in (0, 1)
    )


def _refuses(reaction: StepReaction) -> bool:
    return not reaction or _is_error(reaction)


def _places(part: _Part, units: tuple[tuple[Field, ...], ...]) -> frozenset[str]:
    """Return the parts of the message that a subset is about: `buffer_id`, `actions`."""
    fields = [field for number in part.units for field in units[number]]
    return frozenset(field.variable.partition(".")[2].partition(".")[0].partition("[")[0] for field in fields)


def _of_field(
    trial: Trial, values: Mapping[str, int], difference: Difference, units: tuple[tuple[Field, ...], ...]
) -> Explanation:
    """Return a smaller input in which the same field differs, wherever it is, or the agents react differently."""
    wanted = packet_field(difference.field)
    for part in _parts(trial, values, difference.step, units):
        if any(packet_field(each.field) in (wanted, "") for each in trial.new_differences(part.values)):
            return Explanation(smaller=(part.values,))
    return Explanation()
