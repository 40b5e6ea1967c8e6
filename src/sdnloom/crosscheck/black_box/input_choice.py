"""The inputs that a black box is tried on, the most telling first.

First the harmless input, each field alone through its boundary values and constants, and every witness of the given
partitions. Then all others if they are few; else, by turns, two or three fields at a time, further inputs of the
classes, and random ones. Laws: no input occurs twice, each is in the ranges of its variables, and the same arguments
give the same inputs.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from random import Random
from typing import Final

from sdnloom.crosscheck.fields import Field, input_fields
from sdnloom.crosscheck.partition import BehaviourClass, Partition
from sdnloom.crosscheck.switch_test import Case, MessageStep, SwitchTest, Variable
from sdnloom.crosscheck.template.value_names import constants
from sdnloom.crosscheck.test_document import domain
from sdnloom.symbolic.sampler import Sampler
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.terms.node import postorder

_Values = Mapping[str, int]

_MOST_VALUES: Final = 60  # that one field is tried with
_FEW: Final = 4_096  # inputs of a case that are all tried
_FUTILE: Final = 2_000  # random inputs in a row that were chosen before: there are no others
_MODELS: Final = 3  # of a class at a time


def chosen_inputs(
    test: SwitchTest, partitions: Sequence[Partition] = (), limit: int = 1_000, seed: int = 0
) -> Iterator[tuple[str, _Values]]:
    """Yield at most `limit` inputs, each with the name of its case; cases take turns.

    Partitions of other tests are ignored.
    """
    useful = [each for each in partitions if each.test == test]
    waiting = [(case.name, _CaseChoice(case, test.version, useful, seed).inputs()) for case in test.cases]
    count = 0
    while waiting:
        for turn in tuple(waiting):
            if count == limit:
                return
            name, inputs = turn
            values = next(inputs, None)
            if values is None:
                waiting.remove(turn)
            else:
                count += 1
                yield name, values


class _CaseChoice:
    """The inputs of one case."""

    def __init__(self, case: Case, version: int, partitions: Sequence[Partition], seed: int) -> None:
        self._case, self._version = case, version
        self._variables = {variable.name: variable for variable in case.variables}
        self._classes = [each for part in partitions for each in part.classes if each.case == case.name]
        self._numbers = _condition_constants(self._classes)
        self._random = Random(f"{seed} {case.name}")
        self._tags = tuple({
            overlay.tag for step in case.steps if isinstance(step, MessageStep) for overlay in step.overlays
        })  # fmt: skip
        self._fields_by_tags: dict[tuple[int, ...], tuple[Field, ...]] = {}
        self._values_by_field: dict[Field, list[int]] = {}
        self._seen: set[tuple[int, ...]] = set()

    def inputs(self) -> Iterator[_Values]:
        yield from self._new(self._systematic())
        if _count(self._case) <= _FEW:
            yield from self._new(self._all())
        else:
            yield from self._new(self._by_chance(), futile=_FUTILE)

    def _new(self, inputs: Iterator[_Values], futile: int | None = None) -> Iterator[_Values]:
        """Yield what was not chosen before and is in the ranges; end after many others in a row."""
        in_vain = 0
        for values in inputs:
            key = tuple(values[name] for name in self._variables)
            if key in self._seen or not all(each.allows(values[name]) for name, each in self._variables.items()):
                in_vain += 1
                if in_vain == futile:
                    return
                continue
            in_vain = 0
            self._seen.add(key)
            yield values

    # -- the systematic part ------------------------------------------------------------------------------------

    def _systematic(self) -> Iterator[_Values]:
        yield self._case.defaults()
        yield from _by_turns([self._one_field(), (dict(each.witness) for each in self._classes)])

    def _one_field(self) -> Iterator[_Values]:
        """Yield inputs that differ from a harmless one in one field; for each type, in one field of that type.

        Fields take turns, so that each has been tried with some values before one has been with all.
        """
        harmless = self._case.defaults()
        fields = self._fields(harmless)
        yield from _by_turns([self._with_each_value(field, harmless) for field in fields])
        of_types = []
        for field in fields:
            if field.tag:
                dependent = self._overlaid_by(field.variable)
                for value in constants(field.kind, self._version, field.message).values():
                    base = field.replaced(harmless, value & (1 << field.bits) - 1)
                    others = (other for other in self._fields(base) if other.variable in dependent)
                    of_types += [self._with_each_value(other, base) for other in others]
        yield from _by_turns(of_types)

    def _with_each_value(self, field: Field, values: _Values) -> Iterator[_Values]:
        return (field.replaced(values, value) for value in self._values(field))

    def _overlaid_by(self, tag: str) -> set[str]:
        return {
            overlay.variable
            for step in self._case.steps
            if isinstance(step, MessageStep)
            for overlay in step.overlays
            if overlay.tag == tag
        }

    def _fields(self, values: _Values) -> tuple[Field, ...]:
        """Return the fields of an input, which depend on its tags alone."""
        tags = tuple(values[tag] for tag in self._tags)
        if tags not in self._fields_by_tags:
            self._fields_by_tags[tags] = input_fields(self._case, values, self._version)
        return self._fields_by_tags[tags]

    def _values(self, field: Field) -> list[int]:
        """Return the values of a field that are worth a try: bounds, constants, and the neighbours of all these."""
        if field not in self._values_by_field:
            self._values_by_field[field] = self._telling_values(field)
        return self._values_by_field[field]

    def _telling_values(self, field: Field) -> list[int]:
        most = (1 << field.bits) - 1
        variable = self._variables[field.variable]
        default = variable.default >> field.low & most
        found = dict.fromkeys((0, 1, most, most - 1, most >> 1, (most >> 1) + 1, default))
        found |= dict.fromkeys(constants(field.kind, self._version, field.message).values())
        if field.bits == variable.bits:
            found |= dict.fromkeys(bound for pair in variable.ranges for bound in pair)
        found |= dict.fromkeys(self._numbers.get(field.bits, ()))
        near = dict.fromkeys(value + step for value in found for step in (-1, 1))
        return [value for value in (*found, *near) if 0 <= value <= most][:_MOST_VALUES]

    def _all(self) -> Iterator[_Values]:
        """Yield every input there is."""
        names = tuple(self._variables)
        for numbers in product(*(_allowed(variable) for variable in self._case.variables)):
            yield dict(zip(names, numbers, strict=True))

    # -- the random part ----------------------------------------------------------------------------------------

    def _by_chance(self) -> Iterator[_Values]:
        models = self._models()
        while True:
            yield self._changed(2)
            yield self._anything()
            yield self._changed(3)
            if (model := next(models, None)) is not None:
                yield model

    def _base(self) -> _Values:
        """Return a harmless input, sometimes with another type in it."""
        values: _Values = self._case.defaults()
        tags = [field for field in self._fields(values) if field.tag]
        if tags and self._random.random() < 0.5:
            values = self._with_value(self._random.choice(tags), values)
        return values

    def _changed(self, count: int) -> _Values:
        """Return an input with telling values in some fields."""
        values = self._base()
        for _ in range(count):
            fields = self._fields(values)
            values = self._with_value(self._random.choice(fields), values)
        return values

    def _anything(self) -> _Values:
        """Return an input in which any field may have any value."""
        values = self._base()
        for field in self._fields(values):
            chance = self._random.random()
            if chance < 0.3:
                values = self._with_value(field, values)
            elif chance < 0.5:
                values = field.replaced(values, self._random.getrandbits(field.bits))
        return values

    def _with_value(self, field: Field, values: _Values) -> _Values:
        known = [each for each in self._values(field) if self._allows(field, values, each)]
        return field.replaced(values, self._random.choice(known)) if known else values

    def _allows(self, field: Field, values: _Values, value: int) -> bool:
        return self._variables[field.variable].allows(field.replaced(values, value)[field.variable])

    def _models(self) -> Iterator[_Values]:
        """Yield further inputs of the classes, some of each, again and again."""
        variables = [var(each.name, each.bits) for each in self._case.variables]
        sampler = Sampler(variables, None, self._random)
        ranges = domain(self._case)
        classes = [each for each in self._classes if each.condition]
        while classes:
            for each in classes:
                yield from sampler.draw((*ranges, *each.condition), dict(each.witness), _MODELS)


def _allowed(variable: Variable) -> list[int]:
    """Return all values of a variable, in order."""
    ranges = variable.ranges or ((0, (1 << variable.bits) - 1),)
    return sorted({value for low, high in ranges for value in range(low, high + 1)})


def _count(case: Case) -> int:
    """Return how many inputs a case has at most."""
    return prod(
        sum(high - low + 1 for low, high in each.ranges) if each.ranges else 1 << each.bits for each in case.variables
    )


def _by_turns(waiting: Sequence[Iterator[_Values]]) -> Iterator[_Values]:
    """Yield the elements of all by turns, until the longest is at its end."""
    while waiting:
        rest = []
        for each in waiting:
            if (values := next(each, None)) is not None:
                yield values
                rest.append(each)
        waiting = rest


def _condition_constants(classes: Sequence[BehaviourClass]) -> dict[int, list[int]]:
    """Return the constants of conditions by their number of bits."""
    found: dict[int, set[int]] = {}
    for term in postorder(*(literal for each in classes for literal in each.condition)):
        if term.op == "const" and term.width:
            found.setdefault(term.width, set()).add(term.args[0])
    return {width: sorted(numbers) for width, numbers in found.items()}
