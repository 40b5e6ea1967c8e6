"""The smallest change of the harmless input that still shows a difference: delta debugging over named fields.

Fields get their default in ever smaller portions, as long as the difference stays the same; then one by one, until each
field left is needed. Two fields that have to be equal move together to the default of one of them. Law: the result
depends on the input, the difference and the agents' answers alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdnloom.crosscheck.fields import Field
from sdnloom.crosscheck.root_causes.difference import Difference
from sdnloom.crosscheck.root_causes.trial import Trial
from sdnloom.crosscheck.switch_test import MessageStep

Values = dict[str, int]


def changed_fields(trial: Trial, values: Mapping[str, int]) -> tuple[Field, ...]:
    """Return the fields in which an input differs from the harmless one."""
    defaults = trial.defaults
    return tuple(field for field in trial.fields(values) if field.value(values) != field.value(defaults))


def minimal_input(trial: Trial, values: Mapping[str, int], difference: Difference) -> Values:
    """Return an input with the same difference in which no more fields can have their default."""
    found = dict(values)
    while True:
        before = dict(found)
        for parts in (_units, _single_fields):
            found = _without_portions(trial, found, difference, list(parts(trial, found)))
        found = _with_equal_fields(trial, found, difference)
        if found == before:
            return found


def _units(trial: Trial, values: Values) -> Iterator[tuple[Field, ...]]:
    yield from field_units(trial, changed_fields(trial, values))


def _single_fields(trial: Trial, values: Values) -> Iterator[tuple[Field, ...]]:
    yield from ((field,) for field in changed_fields(trial, values))


def field_units(trial: Trial, fields: Sequence[Field]) -> tuple[tuple[Field, ...], ...]:
    """Return the fields in units: those of one action or request together with what says their meaning."""
    owner = {
        name: overlay.tag
        for step in trial.case.steps
        if isinstance(step, MessageStep)
        for overlay in step.overlays
        for name in (overlay.variable, overlay.tag)
    }
    units: dict[str, list[Field]] = {}
    for field in fields:
        units.setdefault(owner.get(field.variable, f"{field.variable}/{field.low}"), []).append(field)
    return tuple(tuple(unit) for unit in units.values())


def _without_portions(trial: Trial, values: Values, difference: Difference, parts: list[tuple[Field, ...]]) -> Values:
    """Return the input with as many of the parts at their defaults as the difference allows."""
    size = len(parts)
    while size and parts:
        kept: list[tuple[Field, ...]] = []
        for start in range(0, len(parts), size):
            portion = parts[start : start + size]
            smaller = with_defaults(trial, values, [field for part in portion for field in part])
            if trial.has(smaller, difference):
                values = smaller
            else:
                kept += portion
        parts, size = kept, size // 2
    return values


def with_defaults(trial: Trial, values: Mapping[str, int], fields: Iterable[Field]) -> Values:
    """Return the input with the defaults of some fields."""
    found = dict(values)
    for field in fields:
        found = field.replaced(found, field.value(trial.defaults))
    return found


def _with_equal_fields(trial: Trial, values: Values, difference: Difference) -> Values:
    """Return the input with two equal changed fields moved to the default of one of them, if that is possible."""
    changed = changed_fields(trial, values)
    for place, first in enumerate(changed):
        for second in changed[place + 1 :]:
            if first.bits == second.bits and first.value(values) == second.value(values):
                for target in (second.value(trial.defaults), first.value(trial.defaults)):
                    moved = second.replaced(first.replaced(values, target), target)
                    if trial.has(moved, difference):
                        return moved
    return values
