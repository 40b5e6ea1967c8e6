"""A match as two numbers, value and mask, and its relations to frames and to other matches.

Law: a relation is arithmetic, so a symbolic match makes no branch; its number is 0 exactly if the relation holds.
"""

from sdnloom.crosscheck.agents.compact.arithmetic import nonzero_bit


class MaskedMatch:
    """A match as value and mask of so many bits. The relations are told by numbers that are 0 if they hold."""

    bits: int
    value: int
    mask: int
    wire: bytes
    in_port: int
    has_in_port: int  # a bit
    no_wildcards: int  # a bit, always 0 in 1.3
    is_empty: bool  # has no fields; in 1.0 that has no meaning and is False

    def misses(self, key: tuple[int, int]) -> int:
        """Return 0 if the match matches a frame with this key."""
        fields, lacks = key
        return (fields ^ self.value | lacks) & self.mask

    def excludes(self, other: "MaskedMatch") -> int:
        """Return 0 if another match is equal to this one or more specific."""
        return (other.mask ^ ((1 << self.bits) - 1) | self.value ^ other.value) & self.mask

    def differs(self, other: "MaskedMatch") -> int:
        """Return 0 if both match the same frames."""
        return self.mask ^ other.mask | self.value ^ other.value

    def separates(self, other: "MaskedMatch") -> int:
        """Return 0 if some frame may match both."""
        return (self.value ^ other.value) & self.mask & other.mask

    def relation_bit(self, number: int) -> int:
        """Return 1 if a number that one of the relations returned is not 0, else 0."""
        return nonzero_bit(number, self.bits)
