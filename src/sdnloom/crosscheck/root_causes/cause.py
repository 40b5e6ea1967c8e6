"""Root causes in the form of reports, and which of them are the same in different cases and tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.root_causes.cause_text import difference_text, field_values, harmless_text, place_text
from sdnloom.crosscheck.root_causes.difference import (
    Difference,
    described_field,
    difference_kind,
    differences,
    is_message_field,
)
from sdnloom.crosscheck.root_causes.find import FoundCause
from sdnloom.crosscheck.root_causes.focus import ANY_MESSAGE, Focus, message_base
from sdnloom.crosscheck.root_causes.message_match import ConcreteMessage, messages_until, satisfies
from sdnloom.crosscheck.switch_test import SwitchTest


@dataclass(frozen=True, slots=True)
class RootCause:
    """One reason for inconsistencies: when it shows, what each agent does, and an input that shows it."""

    message: str
    fields: tuple[str, ...]
    condition: str
    difference: str
    test: str
    case: str
    witness: Mapping[str, int]
    outputs: tuple[AgentOutput, AgentOutput]
    inconsistencies: tuple[int, ...]
    exact: bool = True  # whether the condition is exact for the witness's other fields, not only for values tried
    identity: "CauseIdentity | None" = field(default=None, repr=False, compare=False)
    confirmed: bool | None = None  # whether the witness was replayed; its outputs are those of the replay then


class CausePlace(NamedTuple):
    """Where a cause was found: the test and the case, the condition there, and the difference.

    Inputs that the cause explains are such places too.
    """

    test: str
    case: str
    focus: Focus
    difference: Difference
    messages: tuple[ConcreteMessage, ...] = ()  # up to the difference, if the cause has no condition


@dataclass(frozen=True, slots=True)
class CauseIdentity:
    """What makes two causes the same: a key, or what has to be so with a difference in common."""

    key: tuple[object, ...]
    parts: frozenset[str]
    action_parts: frozenset[str]
    differences: frozenset[Difference]
    is_order: bool
    is_always: bool
    places: tuple["CausePlace", ...]
    told: tuple[str, str] = ("", "")  # of a field of a message: the message, and both values

    def kinds(self) -> frozenset[tuple[str, ...]]:
        """Return the kinds of the differences."""
        return frozenset(map(difference_kind, self.differences))

    def described(self) -> bool:
        """Return whether the cause is a field of a message."""
        return self.is_always or any(map(is_message_field, self.differences))


def root_cause(test: SwitchTest, agents: tuple[str, str], found: FoundCause) -> RootCause:
    """Return a cause that was found in a test."""
    focus, difference = found.focus, found.difference
    place = place_text(found.case, focus.values, difference.step)
    told, where = ("", ""), ""
    names = tuple(dict.fromkeys(name for each in focus.fields for name in (each.name, each.equal_name) if name))
    if is_message_field(difference) and not focus.fields and not focus.tags:
        message, _, name = difference.field.partition(".")
        first, second = field_values(difference, found.outputs)
        asked = place if place.startswith(("on ", "after ")) else f"to {place}"
        told = f"{message} {asked}", f"{first} / {second}"
        names = (name,)
        condition = _described(told, names)
    elif found.always:
        message, _, name = difference.field.partition(".")
        first, second = field_values(difference, found.outputs)
        told, names = (f"every {message}", f"{first} / {second}"), (name,)
        condition = _described(told, names)
    elif focus.fields or focus.fixed:
        message, condition = focus.message, focus.condition(test.version)
        where = "" if message_base(message) in (message_base(place), ANY_MESSAGE) else f"{place}: "
    else:
        message = condition = harmless_text(found.case, focus.values, difference.step)
    messages = () if focus.fields or focus.fixed else messages_until(found.case, focus, difference.step)
    places = tuple(
        CausePlace(test.name, each.case.name, each.focus, each.difference, messages if each is found else ())
        for each in (found, *found.all_explained())
    )
    identity = CauseIdentity(
        found.key(),
        focus.parts(test.version),
        focus.action_parts(test.version),
        frozenset((difference,)),
        bool(found.order),
        found.always,
        places,
        told,
    )
    return RootCause(
        message,
        names,
        condition,
        where + difference_text(agents, difference, found.outputs, test.version),
        test.name,
        found.case.name,
        focus.values,
        found.outputs,
        tuple(sorted(found.inconsistencies)),
        focus.exact(),
        identity,
    )


def _described(told: tuple[str, str], names: tuple[str, ...]) -> str:
    return f"{told[0]}: {', '.join(names)} {told[1]}"


def merged_causes(causes: Sequence[RootCause]) -> tuple[RootCause, ...]:
    """Return the causes with those merged that are the same in different cases, tests and messages.

    The same are causes with one key; with one condition; a cause that needs more than another one for the same
    difference of the same message, because in its test more is needed to see it; a cause without a condition whose
    concrete messages satisfy that of another one; a field that always differs in one test and under a condition in
    another; and causes of two messages with the same condition on actions, if the differences are of the same kind.
    """
    found = _merged_by(causes, lambda identity, cause: identity.key)
    found = _merged_by(found, lambda identity, cause: identity.key if identity.described() else cause.condition)
    for is_same in (_is_case_of, _is_concrete_case_of, _is_field_case_of, _has_same_actions):
        found = _absorbed(found, is_same)
    return tuple(found)


def _absorbed(causes: Sequence[RootCause], is_same: Callable[[RootCause, RootCause], bool]) -> list[RootCause]:
    """Return the causes in their order, each that is the same as another one joined to it: the one that needs less."""
    kept = dict(enumerate(causes))
    for number in sorted(kept, key=lambda number: (len(_identity(kept[number]).parts), number), reverse=True):
        same = (known for known in kept if known != number and is_same(kept[number], kept[known]))
        known = next(same, None)
        if known is not None:
            kept[known] = _joined(kept[known], kept.pop(number))
    return list(kept.values())


def _identity(cause: RootCause) -> CauseIdentity:
    assert cause.identity is not None
    return cause.identity


def causes_of_input(
    causes: Sequence[RootCause],
    test: SwitchTest,
    case: str,
    values: Mapping[str, int],
    outputs: tuple[AgentOutput, AgentOutput],
) -> tuple[RootCause, ...]:
    """Return the causes that explain what two agents do differently with an input."""
    seen = {*differences(*outputs, test.case(case), test.version)}
    return tuple(
        each
        for each in causes
        if each.identity is not None
        and any(
            (place.test, place.case) == (test.name, case) and place.difference in seen and place.focus.covers(values)
            for place in each.identity.places
        )
    )


def _merged_by(causes: Sequence[RootCause], key: Callable[[CauseIdentity, RootCause], object]) -> list[RootCause]:
    """Return the causes, those of one key as one that is told by the cause that needs less."""
    found: dict[object, RootCause] = {}
    for each in causes:
        name = key(_identity(each), each)
        known = found.setdefault(name, each)
        if known is not each:
            less, more = sorted((known, each), key=lambda cause: len(_identity(cause).parts))
            found[name] = _joined(less, more)
    return list(found.values())


def _is_case_of(cause: RootCause, known: RootCause) -> bool:
    mine, theirs = _identity(cause), _identity(known)
    return (
        not (mine.is_order or theirs.is_order or mine.described())
        and message_base(cause.message) == message_base(known.message)
        and bool(theirs.parts)
        and theirs.parts < mine.parts
        and not mine.differences.isdisjoint(theirs.differences)
    )


def _is_concrete_case_of(cause: RootCause, known: RootCause) -> bool:
    mine, theirs = _identity(cause), _identity(known)
    return (
        not (mine.parts or mine.described() or theirs.described())
        and bool(theirs.parts)
        and not mine.kinds().isdisjoint(theirs.kinds())
        and any(
            satisfies(message, place.focus)
            for concrete in mine.places
            for message in concrete.messages
            for place in theirs.places
        )
    )


def _is_field_case_of(cause: RootCause, known: RootCause) -> bool:
    """A field that always differs in one test, and in another one under a condition."""
    mine, theirs = _identity(cause), _identity(known)
    names = [{described_field(each.field) for each in identity.differences} for identity in (mine, theirs)]
    return mine.is_always and not theirs.is_always and names[0] == names[1]


def _has_same_actions(cause: RootCause, known: RootCause) -> bool:
    mine, theirs = _identity(cause), _identity(known)
    return (
        not (mine.is_order or theirs.is_order or mine.described() or theirs.described())
        and message_base(cause.message) != message_base(known.message)
        and bool(mine.action_parts)
        and mine.action_parts == theirs.action_parts
        and not mine.kinds().isdisjoint(theirs.kinds())
    )


def _joined(one: RootCause, other: RootCause) -> RootCause:
    """Return one cause for two, told by the first one; another message is told too."""
    mine, theirs = _identity(one), _identity(other)
    fields, condition, difference = one.fields, one.condition, one.difference
    if mine.told[0] and mine.told == theirs.told:
        fields = tuple(dict.fromkeys((*one.fields, *other.fields)))
        condition = _described(mine.told, fields)
    elif _has_same_actions(other, one) and other.condition not in one.condition:
        fields = tuple(dict.fromkeys((*one.fields, *other.fields)))
        condition = f"{one.condition}; also {other.condition}"
        difference = f"{one.difference}; {other.message}: {other.difference}"
    elif not theirs.differences <= mine.differences and theirs.parts:
        difference = "; ".join(dict.fromkeys((one.difference, other.difference)))
    replayed = one.confirmed, other.confirmed
    return replace(
        one,
        fields=fields,
        condition=condition,
        difference=difference,
        confirmed=False if False in replayed else None if None in replayed else True,
        inconsistencies=tuple(sorted({*one.inconsistencies, *other.inconsistencies})),
        identity=replace(mine, differences=mine.differences | theirs.differences, places=mine.places + theirs.places),
    )
