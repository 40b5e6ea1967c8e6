"""The focus of a minimal input: its changed fields with the sets of values that keep the difference, as text."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sdnloom.crosscheck.fields import Field, field_text, message_name
from sdnloom.crosscheck.root_causes.difference import Difference
from sdnloom.crosscheck.root_causes.minimal_input import Values, changed_fields
from sdnloom.crosscheck.root_causes.trial import Trial
from sdnloom.crosscheck.root_causes.value_set import Check, ReadableSet, SetForm, learn_set
from sdnloom.crosscheck.switch_test import Case, MessageStep
from sdnloom.crosscheck.template.value_names import constants
from sdnloom.symbolic.terms.constructors import all_, const, eq, extract, ule, ult, var
from sdnloom.symbolic.terms.node import Term

# (input, field, difference) -> how to check a guess about the field's values; None if that is not possible
MakeCheck = Callable[[Mapping[str, int], Field, Difference], Check | None]

_OUTPUT: Final = "OUTPUT"
ANY_MESSAGE: Final = "message"  # the name of a message whose type the condition tells
_ORDINALS: Final = ("first", "second", "third")
_IN_NAME: Final = frozenset(("stats", "command", "message"))  # kinds of tags that the name of a message tells


RELATIONS: Final[dict[str, Callable[[int, int], bool]]] = {"==": operator.eq, ">": operator.gt, ">=": operator.ge}
RELATION_TERMS: Final[dict[str, Callable[[Term, Term], Term]]] = {
    "==": eq,
    ">": lambda left, right: ult(right, left),
    ">=": lambda left, right: ule(right, left),
}


@dataclass(frozen=True, slots=True)
class FocusField:
    """A field that matters: the values that keep the difference, or the field that it has to be equal to."""

    field: Field
    name: str
    values: ReadableSet
    exact: bool
    equal: Field | None = None  # the field that it is compared with
    equal_name: str = ""
    relation: str = "=="

    def text(self, version: int) -> str:
        """Return the condition on the field."""
        if self.equal is not None:
            return f"{self.name} {self.relation} {self.equal_name}"
        return set_text(self.name, self.values, self.field, version)


@dataclass(frozen=True, slots=True)
class Focus:
    """What a minimal input is about: the message, its tags and its fields; and the input itself."""

    message: str
    tags: tuple[str, ...]
    fields: tuple[FocusField, ...]
    fixed: tuple[tuple[Field, int], ...]  # tags with their values
    values: Values

    def condition(self, version: int) -> str:
        """Return the text of the condition."""
        shown = [each.text(version) for each in self.fields]
        return ", ".join((self.message, *self.tags, *shown))

    def parts(self, version: int) -> frozenset[str]:
        """Return what has to be so, one text each: types and commands that are not those of the harmless input too."""
        kinds = [f"{short_name(field.name)} {value}" for field, value in self.fixed if field.kind in _IN_NAME]
        return frozenset((*kinds, *self.tags, *(each.text(version) for each in self.fields)))

    def action_parts(self, version: int) -> frozenset[str]:
        """Return the parts that are about actions: the same code may serve several messages."""
        tags = [tag for tag in self.tags if tag.startswith("action ")]
        return frozenset((*tags, *(each.text(version) for each in self.fields if "actions[" in each.field.name)))

    def region(self, case: Case) -> Term:
        """Return the inputs that the condition is about, as a term."""
        bits = {variable.name: variable.bits for variable in case.variables}

        def term(field: Field) -> Term:
            return extract(var(field.variable, bits[field.variable]), field.low + field.bits - 1, field.low)

        literals = [eq(term(field), const(value, field.bits)) for field, value in self.fixed]
        literals += [each.values.term(term(each.field)) for each in self.fields if each.equal is None]
        literals += [
            RELATION_TERMS[each.relation](term(each.field), term(each.equal))
            for each in self.fields
            if each.equal is not None
        ]
        return all_(*literals)

    def covers(self, values: Mapping[str, int]) -> bool:
        """Return whether the condition is true of an input."""
        return all(field.value(values) == value for field, value in self.fixed) and all(
            each.field.value(values) in each.values
            if each.equal is None
            else RELATIONS[each.relation](each.field.value(values), each.equal.value(values))
            for each in self.fields
        )

    def exact(self) -> bool:
        """Return whether all sets of values are."""
        return all(each.exact for each in self.fields)


def find_focus(trial: Trial, values: Values, difference: Difference, make_check: MakeCheck) -> Focus:
    """Return the focus of a minimal input, whose fields get the smallest of their values that show the difference."""
    changed = changed_fields(trial, values)
    owner = {
        overlay.variable: overlay.tag
        for step in trial.case.steps
        if isinstance(step, MessageStep)
        for overlay in step.overlays
    }
    told = {owner[field.variable] for field in changed if field.variable in owner}
    fixed = tuple((field, field.value(values)) for field in trial.fields(values) if field.variable in told)
    found: list[FocusField] = []
    for field in changed:
        if field.variable in told:
            continue
        partner = next((each for each in found if each.equal == field), None)
        if partner is not None:
            limit = _equal_values if partner.relation == "==" else _bounds
            found += limit(trial, values, field, partner, difference)
            continue
        learned, exact = _learn(trial, values, field, difference, make_check)
        related = _relation(trial, values, field, learned, changed, difference)
        if related is not None:
            found.append(FocusField(field, field.name, learned, False, *related))
            continue
        smaller = field.replaced(values, learned.smallest())
        equal = _equal_field(trial, values, field, difference) if learned.size() == 1 else None
        if equal is None and trial.has(smaller, difference):
            values = smaller
        found.append(FocusField(field, field.name, learned, exact, equal))
    return _named(trial, values, fixed, tuple(found))


def _learn(
    trial: Trial, values: Values, field: Field, difference: Difference, make_check: MakeCheck
) -> tuple[ReadableSet, bool]:
    """Return the values of a field that keep the difference."""
    candidates = [field.value(values), field.value(trial.defaults)]
    candidates += sorted(constants(field.kind, trial.version, field.message).values()) if field.kind else []
    candidates += sorted({other.value(values) for other in trial.fields(values) if other.bits == field.bits})
    near = [value + step for value in candidates for step in (0, -1, 1)]
    return learn_set(
        field.bits,
        lambda value: trial.holds(field.replaced(values, value), difference),
        [candidates[0], *near, *trial.tried_values(field, values)],
        make_check(values, field, difference),
    )


def _relation(
    trial: Trial, values: Values, field: Field, learned: ReadableSet, changed: tuple[Field, ...], difference: Difference
) -> tuple[Field, str, str] | None:
    """Return the changed field that this one has to be greater than or at least, its name and the relation."""
    if learned.form is not SetForm.RANGES or len(learned.pairs) != 1 or learned.pairs[0][1] != (1 << field.bits) - 1:
        return None
    for other in changed:
        distance = learned.pairs[0][0] - other.value(values)
        if other == field or other.tag or other.bits != field.bits or distance not in (0, 1):
            continue
        held = 0
        for target in _other_values(other.value(values), field.bits):
            moved = other.replaced(values, target)
            bound = target + distance
            if trial.has(field.replaced(moved, bound), difference) and not (
                bound and trial.has(field.replaced(moved, bound - 1), difference)
            ):
                held += 1
        if held >= 2:
            return other, other.name, ">" if distance else ">="
    return None


def _bounds(
    trial: Trial, values: Values, field: Field, partner: FocusField, difference: Difference
) -> list[FocusField]:
    """Return what else has to be so for a field that another one is compared with: the bound where the set begins."""
    top = (1 << field.bits) - 1
    largest = partner.field.replaced(values, top)
    learned, _ = _learn(trial, largest, field, difference, lambda values, field, difference: None)
    if learned.form is not SetForm.RANGES or len(learned.pairs) != 1 or learned.pairs[0][0] == 0:
        return []
    begin = ReadableSet(field.bits, SetForm.RANGES, ((learned.pairs[0][0], top),))
    return [FocusField(field, field.name, begin, False)]


def _equal_values(
    trial: Trial, values: Values, field: Field, partner: FocusField, difference: Difference
) -> list[FocusField]:
    """Return what else has to be so for a field that another one is equal to: the values that both may have."""

    def differs(value: int) -> bool | None:
        return trial.holds(partner.field.replaced(field.replaced(values, value), value), difference)

    candidates = [field.value(values), field.value(trial.defaults), *_other_values(0, field.bits)]
    near = [value + step for value in candidates for step in (0, -1, 1)]
    learned, _ = learn_set(field.bits, differs, [candidates[0], *near], None)
    return [FocusField(field, field.name, learned, False)] if learned.size() < 1 << field.bits else []


def _equal_field(trial: Trial, values: Values, field: Field, difference: Difference) -> Field | None:
    """Return the field that this one has to be equal to; none if its value alone matters."""
    value = field.value(values)
    for other in trial.fields(values):
        if other.name == field.name or other.tag or other.bits != field.bits or other.value(values) != value:
            continue
        moved = 0
        for target in _other_values(value, field.bits):
            together = other.replaced(field.replaced(values, target), target)
            if trial.has(together, difference) and not trial.has(field.replaced(values, target), difference):
                moved += 1
        if moved >= 2:
            return other
    return None


def _other_values(value: int, bits: int) -> list[int]:
    return [each for each in (1, 2, 3, 5) if each != value and each < 1 << bits]


# -- names -------------------------------------------------------------------------------------------------------------


def _named(trial: Trial, values: Values, fixed: tuple[tuple[Field, int], ...], found: tuple[FocusField, ...]) -> Focus:
    """Return the focus with names that do not depend on places in lists."""
    message = _message(trial, values, [each.field for each in found] + [field for field, _ in fixed])
    tags, fields = [], []
    order = trial.fields(values)
    outputs = {field.variable for field, value in fixed if field_text(field, value, trial.version) == _OUTPUT}
    for field, value in fixed:
        shown = field_text(field, value, trial.version)
        if field.kind == "actions" and shown != _OUTPUT:
            tags.append(f"action {shown}")
        elif field.kind not in _IN_NAME and field.kind != "actions":
            tags.append(f"{short_name(field.name)} {shown}")
    for each in found:
        field, single = each.field, each.values.size() == 1
        if field.tag and single and field.kind in (*_IN_NAME, "actions"):
            fixed = (*fixed, (field, each.values.smallest()))
            if field.kind == "actions":
                tags.append(f"action {field_text(field, each.values.smallest(), trial.version)}")
            continue
        if field.tag and field.kind in _IN_NAME:
            message = ANY_MESSAGE if field.kind == "message" else message_base(message)
        equal = each.equal
        if each.relation == "==" and equal is not None and order.index(equal) < order.index(field):
            field, equal = equal, field  # one text for an equality, whichever side was changed
        name = _display_name(field, outputs)
        equal_name = "" if equal is None else _display_name(equal, outputs)
        fields.append(FocusField(field, name, each.values, each.exact, equal, equal_name, each.relation))
    return Focus(message, tuple(tags), tuple(_numbered(fields)), fixed, values)


def _numbered(fields: list[FocusField]) -> Iterator[FocusField]:
    """Yield the fields, those of the same name with their order."""
    names = [each.name for each in fields]
    for place, each in enumerate(fields):
        if names.count(each.name) > 1:
            yield replace(each, name=f"{_ORDINALS[min(names[:place].count(each.name), 2)]} {each.name}")
        else:
            yield each


def _display_name(field: Field, outputs: set[str]) -> str:
    name = short_name(field.name)
    action = re.fullmatch(r"(?:.*\.)?actions\[\d+\]\.(\w+)", field.name)
    if action and action[1] in ("port", "max_len"):
        tag = field.variable.rpartition(".")[0] + ".type"
        if tag in outputs or not field.variable.endswith(".argument"):
            return f"output {action[1]}"
    return "action type" if field.tag and field.kind == "actions" else name


def short_name(name: str) -> str:
    """Return the name of a field without the step and without its place in lists: `vlan_vid`, `match.in_port`."""
    name = re.sub(r"^[mp]\d+\.", "", name)
    return name.rpartition("].")[2] if "]." in name else name


def _message(trial: Trial, values: Values, fields: list[Field]) -> str:
    """Return the name of the message with the first of the fields; of the only message if the probe has them."""
    messages = [step for step in trial.case.steps if isinstance(step, MessageStep)]
    for field in fields:
        for step in messages:
            if any(part.value == field.variable for part in step.parts):
                return message_name(step, values)
    return message_name(messages[0], values) if messages else "probe"


def message_base(message: str) -> str:
    """Return the name of a message without its type or command."""
    if message.startswith("message of type "):
        return ANY_MESSAGE
    return re.sub(r" ((type|command) \d+|[A-Z_]+)$", "", message)


def set_text(name: str, values: ReadableSet, field: Field, version: int) -> str:
    """Return that the field of a name has one of these values."""

    def shown(value: int) -> str:
        return field_text(field, value, version)

    top = (1 << values.bits) - 1
    if values.form is SetForm.BITS_SET:
        return f"{name} & {values.pairs[0][0]:#x} != 0"
    if values.form is SetForm.BITS_EQUAL:
        mask, wanted = values.pairs[0]
        return f"{name} & {mask:#x} == {wanted:#x}"
    if values.form is SetForm.EXAMPLES:
        return f"{name} such as {', '.join(shown(low) for low, _ in values.pairs)}"
    pairs = values.pairs
    if values.size() == top > 1 and len(pairs) <= 2:
        missing = pairs[0][1] + 1 if len(pairs) == 2 else 0 if pairs[0][0] else top
        return f"{name} != {shown(missing)}"
    if len(pairs) == 1:
        low, high = pairs[0]
        if low == high:
            return f"{name} == {shown(low)}"
        if high == top and low > 0:
            return f"{name} > {shown(low - 1)}"
        if low == 0 and high < top:
            return f"{name} < {shown(high + 1)}"
        if low == 0:
            return f"any {name}"
        return f"{shown(low)} <= {name} <= {shown(high)}"
    listed = ", ".join(shown(low) if low == high else f"{shown(low)} to {shown(high)}" for low, high in pairs)
    return f"{name} in ({listed})"
