"""Root causes in the form of reports, and which of them are the same in different cases and tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sdnloom.crosscheck.output import AgentOutput
from sdnloom.crosscheck.root_causes.cause_text import difference_text, field_values, place_text
from sdnloom.crosscheck.root_causes.difference import Difference, differences, is_message_field
from sdnloom.crosscheck.root_causes.find import FoundCause
from sdnloom.crosscheck.root_causes.focus import Focus, message_base
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
    identity: "CauseIdentity | None" = field(default=None, repr=False)
    confirmed: bool | None = None  # whether the witness was replayed; its outputs are those of the replay then


class CausePlace(NamedTuple):
    """Where a cause was found: the test and the case, the condition there, and the difference.

    Inputs that the cause explains are such places too.
    """

    test: str
    case: str
    focus: Focus
    difference: Difference


@dataclass(frozen=True, slots=True)
class CauseIdentity:
    """What makes two causes the same: a key, or what has to be so with a difference in common."""

    key: tuple[object, ...]
    parts: frozenset[str]
    differences: frozenset[Difference]
    is_order: bool
    places: tuple["CausePlace", ...]
    told: tuple[str, str] = ("", "")  # of a field of a message: the message, and both values

    def described(self) -> bool:
        """Return whether the cause is a field of a message."""
        return any(map(is_message_field, self.differences))


def root_cause(test: SwitchTest, agents: tuple[str, str], found: FoundCause) -> RootCause:
    """Return a cause that was found in a test."""
    focus, difference = found.focus, found.difference
    place = place_text(found.case, focus.values, difference.step)
    told = "", ""
    where = "" if message_base(place) in (message_base(focus.message), "on a fresh connection") else f"{place}: "
    names = tuple(dict.fromkeys(name for each in focus.fields for name in (each.name, each.equal_name) if name))
    if is_message_field(difference) and not focus.fields and not focus.tags:
        message, _, name = difference.field.partition(".")
        first, second = field_values(difference, found.outputs)
        asked = place if place.startswith(("on ", "after ")) else f"to {place}"
        told = f"{message} {asked}", f"{first} / {second}"
        names = (name,)
        condition = _described(told, names)
    elif focus.fields or focus.fixed:
        message, condition = focus.message, focus.condition(test.version)
    else:
        message = condition = place
    places = tuple(
        CausePlace(test.name, each.case.name, each.focus, each.difference) for each in (found, *found.all_explained())
    )
    identity = CauseIdentity(
        found.key(), focus.parts(test.version), frozenset((difference,)), bool(found.order), places, told
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
    """Return the causes with those merged that are the same in different cases or tests.

    The same are causes with one key; with one condition; and a cause that needs more than another one for the same
    difference of the same message: in its test, more is needed to see it.
    """
    found = _merged_by(causes, lambda identity, cause: identity.key)
    found = _merged_by(found, lambda identity, cause: identity.key if identity.described() else cause.condition)
    kept: list[RootCause] = []
    for each in sorted(found, key=lambda cause: len(cause.identity.parts) if cause.identity else 0):
        for place, known in enumerate(kept):
            if _is_case_of(each, known):
                kept[place] = _joined(known, each)
                break
        else:
            kept.append(each)
    order = [cause.condition for cause in found]
    return tuple(sorted(kept, key=lambda cause: order.index(cause.condition) if cause.condition in order else 0))


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
    found: dict[object, RootCause] = {}
    for each in causes:
        assert each.identity is not None
        name = key(each.identity, each)
        found[name] = _joined(found[name], each) if name in found else each
    return list(found.values())


def _is_case_of(cause: RootCause, known: RootCause) -> bool:
    mine, theirs = cause.identity, known.identity
    assert mine is not None
    assert theirs is not None
    return (
        not (mine.is_order or theirs.is_order or mine.described())
        and message_base(cause.message) == message_base(known.message)
        and bool(theirs.parts)
        and theirs.parts < mine.parts
        and not mine.differences.isdisjoint(theirs.differences)
    )


def _joined(one: RootCause, other: RootCause) -> RootCause:
    """Return one cause for two, told by the one that needs less."""
    assert one.identity is not None
    assert other.identity is not None
    if len(other.identity.parts) < len(one.identity.parts):
        one, other = other, one
    assert one.identity is not None
    assert other.identity is not None
    new = () if other.identity.differences <= one.identity.differences else (other.difference,)
    told = one.identity.told
    names = (
        tuple(dict.fromkeys((*one.fields, *other.fields))) if told[0] and told == other.identity.told else one.fields
    )
    replayed = one.confirmed, other.confirmed
    return replace(
        one,
        fields=names,
        condition=_described(told, names) if told[0] else one.condition,
        difference="; ".join(dict.fromkeys((one.difference, *new))),
        confirmed=False if False in replayed else None if None in replayed else True,
        inconsistencies=tuple(sorted({*one.inconsistencies, *other.inconsistencies})),
        identity=replace(
            one.identity,
            differences=one.identity.differences | other.identity.differences,
            places=one.identity.places + other.identity.places,
        ),
    )
