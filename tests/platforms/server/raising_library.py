"""A library of the tests that raises."""


def divide(number: int) -> float:
    return 1 / number
