"""Sets of values are learned as simply as they can be told, and exactly where a check can say so."""

from collections.abc import Callable
from random import Random

import pytest

from sdnloom.crosscheck.root_causes.value_set import ReadableSet, SetForm, Unchecked, learn_set
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.terms.evaluate import evaluate_term

BITS = 10
Member = Callable[[int], bool]


def brute_force(member: Member) -> Callable[[ReadableSet], int | None]:
    return lambda guess: next((value for value in range(1 << BITS) if (value in guess) != member(value)), None)


FORMS: list[tuple[Member, int, SetForm, tuple[tuple[int, int], ...]]] = [
    (lambda value: value > 0x3F, 700, SetForm.RANGES, ((0x40, 1023),)),
    (lambda value: value < 5, 2, SetForm.RANGES, ((0, 4),)),
    (lambda value: value == 1000, 1000, SetForm.RANGES, ((1000, 1000),)),
    (lambda value: value != 7, 9, SetForm.RANGES, ((0, 6), (8, 1023))),
    (lambda value: 100 <= value <= 300, 200, SetForm.RANGES, ((100, 300),)),
    (lambda value: value in (0, 1021), 0, SetForm.RANGES, ((0, 0), (1021, 1021))),
    (lambda value: value & 3 != 0, 17, SetForm.BITS_SET, ((3, 0),)),
    (lambda value: value & 0x21 == 0x20, 0x20, SetForm.BITS_EQUAL, ((0x21, 0x20),)),
    (lambda value: value & 0x10 == 0, 1, SetForm.BITS_EQUAL, ((0x10, 0),)),
]


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("number", range(len(FORMS)))
def test_usual_sets_are_found_with_and_without_a_check(number: int, checked: bool) -> None:
    member, example, form, pairs = FORMS[number]
    found, exact = learn_set(BITS, member, [example], brute_force(member) if checked else None)
    assert (found.form, found.pairs, exact) == (form, pairs, checked)
    assert found.smallest() == min(value for value in range(1 << BITS) if member(value))
    assert found.size() == sum(map(member, range(1 << BITS)))


@pytest.mark.parametrize("seed", range(40))
def test_an_exact_set_is_the_set_and_any_other_has_members_only_as_examples(seed: int) -> None:
    random = Random(seed)
    bounds = sorted(random.sample(range(1 << BITS), 2 * random.randint(1, 9)))
    ranges = list(zip(bounds[::2], bounds[1::2], strict=True))
    mask = random.getrandbits(BITS)

    def member(value: int) -> bool:
        inside = any(low <= value <= high for low, high in ranges)
        return inside if seed % 2 else inside and bool(value & mask)

    members = [value for value in range(1 << BITS) if member(value)]
    if not members:
        return
    found, exact = learn_set(BITS, member, [members[0]], brute_force(member))
    if exact:
        assert [value for value in range(1 << BITS) if value in found] == members
    else:
        assert found.form is SetForm.EXAMPLES
        assert all(member(low) and low == high for low, high in found.pairs)


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_the_term_of_a_set_holds_for_its_members(number: int) -> None:
    member, example, _, _ = FORMS[number]
    found, _ = learn_set(BITS, member, [example], brute_force(member))
    term = found.term(var("value", BITS))
    assert all(bool(evaluate_term(term, {"value": value})) == member(value) for value in range(1 << BITS))


def test_small_fields_are_tried_completely() -> None:
    asked = []

    def member(value: int) -> bool:
        asked.append(value)
        return value % 7 == 3

    found, exact = learn_set(8, member, [3], None)
    assert sorted(asked) == list(range(256))
    assert found.form is SetForm.EXAMPLES
    assert not exact


def test_a_check_that_cannot_say_leaves_the_guess_unproven() -> None:
    found, exact = learn_set(BITS, lambda value: value > 9, [20], lambda guess: Unchecked.UNCHECKED)
    assert (found.pairs, exact) == (((10, 1023),), False)
