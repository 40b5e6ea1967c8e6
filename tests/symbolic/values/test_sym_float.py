"""Quotients and what plain numbers make of them: comparisons give the classes of brute force, also for large ints."""

import itertools
import math
import random

import pytest

from sdnloom.symbolic import RewrittenModules, explore, symbolic_int, var
from sdnloom.symbolic.terms.evaluate import evaluate_term

ONE = {  # of a number from 0 to 63 -> the number of classes
    "x / 7 > 2.5": 2,
    "(x - 20) * 8 / 10 > 16": 2,
    "x / 3 == 4": 3,
    "x / -3 < -7": 2,
    "100 / x > 7.3": 3,
    "0.0 / x == 0": 2,
    "x / 2 / 0": 1,
    "x / 0.0": 1,
    "-100 / x > -7.3": 3,
    "2.5 / (x - 30) > 0.2": 4,
    "1 - x / 63 < 0.33": 2,
    "abs(x / 2 - 11.3) < 4": 4,
    "round(x / 7, 1) == 3.1": 3,
    "x * 0.1 >= 0.3": 2,
    "0.5 + x != 3.5": 3,
    "x - 0.5 < 0": 2,
    "bool(x / 5 - 2)": 3,
    "max(x / 4, 3.3) > 5": 3,
    "min(3.3, x / 4) > 3": 3,
    "float(x) == 7.0": 3,
    "x / 10 in (1.5, 2.5)": 5,
    "5 < x / 3 <= 9": 3,
    "x / 2 > 100": 1,
    "x / 2 == float('nan')": 1,
    "x / 2 < float('inf')": 1,
    "float(x / 3) >= 2": 2,
    "isinstance(x / 3, float) and type(x / 3) is float and x / 3 > 1": 2,
    "x / 3 == 'text'": 1,
}
TWO = {  # of two numbers from 0 to 15
    "x / y > 2.5": 3,
    "x / (y + 1) * 8 > 12.2": 2,
    "(x - y) / 5 > 2": 2,
    "x / (y - 7) < 1.25": 4,
    "x / y == 1.5": 4,
    "x / (y + 1) > 0": 2,
    "(x - 8) / (y + 1) >= 0": 2,
    "(x + 1) / (y + 1) - 0.5 < 1 / 3": 2,
}


def classes(condition, *names, bits):
    """The classes of a condition as rewritten code finds them, and the condition in plain Python."""
    source = f"def check({', '.join(names)}):\n    return {condition}"
    rewritten = RewrittenModules(lambda name: False).run(source, "check.py")
    variables = {name: var(name, bits) for name in names}

    def run(execution):
        given = [symbolic_int(execution.value(name), term) for name, term in variables.items()]
        return outcome(lambda: rewritten.check(*given))

    plain = {}
    exec(source, plain)
    return explore(run, list(variables.values())), lambda values: outcome(lambda: plain["check"](*values))


def outcome(function):
    try:
        return function()
    except ZeroDivisionError as error:
        return str(error)


def agree(found, expected, names, values):
    model = dict(zip(names, values, strict=True))
    (mine,) = [each for each in found.classes if all(evaluate_term(part, model) for part in each.condition)]
    assert mine.output == expected(values), (values, mine.readable)


@pytest.mark.parametrize("condition", ONE)
def test_classes_of_one_number_are_those_of_brute_force(condition):
    found, expected = classes(condition, "x", bits=6)
    assert (found.complete, len(found.classes)) == (True, ONE[condition])
    for value in range(64):
        agree(found, expected, "x", (value,))


@pytest.mark.parametrize("condition", TWO)
def test_classes_of_two_numbers_are_those_of_brute_force(condition):
    found, expected = classes(condition, "x", "y", bits=4)
    assert (found.complete, len(found.classes)) == (True, TWO[condition])
    for values in itertools.product(range(16), repeat=2):
        agree(found, expected, "xy", values)


@pytest.mark.parametrize(
    "condition",
    ["x / 10 > 1e6", "x * 8 / 10 / 1e9 >= 0.8", "x / 3 == 3074457345618258602.0", "x / 1 > 2**53", "x + 0.5 > 2**62"],
)
def test_large_numbers_are_rounded_as_python_does(condition):
    found, expected = classes(condition, "x", bits=64)
    assert found.complete
    chance, borders = random.Random(1), {0, 2**64 - 1, 2**53, 2**62}
    borders |= {each.witness["x"] for each in found.classes}
    near = {border + step for border in borders for step in range(-600, 600)} | {
        chance.getrandbits(64) for _ in range(99)
    }
    for value in near:
        if 0 <= value < 2**64:
            agree(found, expected, "x", (value,))


@pytest.mark.parametrize("condition", ["x / (y + 1) > 2.5", "x / (y + 1) * 8 / 1000 >= 0.1", "x / (y + 1) < 1e-3"])
def test_large_quotients_are_rounded_as_python_does(condition):
    found, expected = classes(condition, "x", "y", bits=64)
    assert found.complete
    chance = random.Random(2)
    for _ in range(300):
        bottom = chance.getrandbits(chance.randrange(1, 63))
        limit = {"x / (y + 1) > 2.5": 2.5, "x / (y + 1) < 1e-3": 1e-3}.get(condition, 12.5)
        for step in (-2, -1, 0, 1, 2):
            top = max(0, min(2**64 - 1, math.floor(limit * (bottom + 1)) + step))
            agree(found, expected, "xy", (top, bottom))


@pytest.mark.parametrize(
    "condition",
    [
        "int(x / 4) == 2",
        "x / 4 + x / 3 > 5",
        "x / 4 > x / 3",
        "f'{x / 4:.1f}' == '0.5'",
        "(x / 4) // 1 == 2",
        "(x / 4) ** 2 > 3",
    ],
)
def test_what_is_not_followed_is_reported(condition):
    found, expected = classes(condition, "x", bits=5)
    assert not found.complete
    assert found.concretised
    for value in range(32):
        agree(found, expected, "x", (value,))


def test_a_divisor_that_may_be_zero_is_a_case_of_its_own():
    found, _ = classes("x / (y - 3) > 1", "x", "y", bits=4)
    assert "division by zero" in {each.output for each in found.classes}


def test_floor_division_by_a_symbolic_number_is_followed():
    found, expected = classes("x // (y + 1) == 3", "x", "y", bits=4)
    assert (found.complete, len(found.classes)) == (True, 2)
    for values in itertools.product(range(16), repeat=2):
        agree(found, expected, "xy", values)
