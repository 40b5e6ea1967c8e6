"""Decisions without branches: bits computed by arithmetic, so that a symbolic number does not fork the execution.

A bit is 0 or 1. Numbers are not negative.
"""

ONES = 0xFFFF


def nonzero_bit(number: int, width: int) -> int:
    """Return 1 for a number of `width` bits that is not 0, else 0."""
    return (number + (1 << width) - 1) >> width


def equal_bit(left: int, right: int, width: int) -> int:
    """Return 1 if two numbers of `width` bits are equal, else 0."""
    return 1 - nonzero_bit(left ^ right, width)


def any_equal_bit(number: int, others: tuple[int, ...], width: int) -> int:
    """Return 1 if a number of `width` bits is one of several, else 0."""
    found = 0
    for other in others:
        found = found | equal_bit(number, other, width)
    return found


def above_bit(number: int, limit: int, width: int) -> int:
    """Return 1 if a number of `width` bits is larger than a limit, else 0."""
    return (number + (1 << width) - 1 - limit) >> width


def changed_checksum(checksum: int, before: int, after: int, words: int) -> int:
    """Return an internet checksum after some 16-bit words that it covers have changed (RFC 1624, equation 3)."""
    total = ONES - checksum
    for word in range(words):
        total = total + (ONES - (before >> 16 * word & ONES)) + (after >> 16 * word & ONES)
    for _ in range(2):  # the first sum has at most one carry for each word, the second none
        total = (total & ONES) + (total >> 16)
    return ONES - total
