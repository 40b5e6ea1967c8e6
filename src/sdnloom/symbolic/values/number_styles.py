"""Styles of writing numbers. Each style writes a number in exactly one way, so texts are equal if their numbers are.

Therefore `src == "00:00:00:00:00:01"` is a condition on 48 bits instead of 17 characters. Only if a program takes a
text apart does it become characters; a style whose texts vary in length then forks on the length.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol

from sdnloom.symbolic.values.code_units import CodeUnit, digit_unit
from sdnloom.symbolic.values.sym_int import SymInt, bit_field, bounds, concrete_int


class NumberStyle(Protocol):
    """A style of writing numbers: `alphabet` has all characters that it uses, `separator` is between its fields."""

    @property
    def alphabet(self) -> str: ...

    @property
    def separator(self) -> str: ...

    def render(self, number: int) -> str:
        """Return the text of a concrete number."""

    def parse(self, text: str) -> int | None:
        """Return the number whose text this is, or None."""

    def expand(self, number: SymInt) -> tuple[CodeUnit, ...] | None:
        """Return the characters, after forks on the length; None if the style has no terms for them."""

    def fields(self, number: SymInt) -> "list[tuple[int, NumberStyle]]":
        """Return the numbers between the separators and their styles; called only if there is a separator."""


@dataclass(frozen=True)
class MacStyle:
    """Octets in hexadecimal with a separator between them."""

    octets: int = 6
    separator: str = ":"

    @property
    def alphabet(self) -> str:
        return "0123456789abcdef" + self.separator

    def render(self, number: int) -> str:
        return self.separator.join(f"{octet:02x}" for octet in number.to_bytes(self.octets, "big"))

    def parse(self, text: str) -> int | None:
        return _parse_octets(self, text)

    def expand(self, number: SymInt) -> tuple[CodeUnit, ...]:
        units: list[CodeUnit] = []
        for position in reversed(range(self.octets)):
            units += [digit_unit(bit_field(number, shift, 4)) for shift in (8 * position + 4, 8 * position)]
            units += [ord(char) for char in self.separator if position]
        return tuple(units)

    def fields(self, number: SymInt) -> list[tuple[int, NumberStyle]]:
        return [(number >> 8 * position & 255, OCTET) for position in reversed(range(self.octets))]


@lru_cache(maxsize=1 << 12)  # the keys of a program's tables are compared again and again
def _parse_octets(style: MacStyle, text: str) -> int | None:
    digits = text.replace(style.separator, "") if style.separator else text
    if len(digits) != 2 * style.octets or not re.fullmatch("[0-9a-f]+", digits):
        return None
    number = int(digits, 16)
    return number if style.render(number) == text else None


@dataclass(frozen=True)
class IntegerStyle:
    """A format specification of int, such as "d", "02x" or "#06x"."""

    spec: str = "d"
    base: int = field(init=False, default=10)
    zeros: int = field(init=False, default=0)
    alphabet: str = field(init=False, default=" -+0123456789abcdefABCDEFxo")
    separator: str = field(init=False, default="")

    def __post_init__(self) -> None:
        found = SPEC.fullmatch(self.spec)
        assert found is not None, self.spec
        object.__setattr__(self, "base", {"x": 16, "X": 16, "b": 2, "o": 8}.get(found["type"], 10))
        if found["zero"] and found["width"]:
            prefix = 2 if found["alternate"] and self.base != 10 else 0
            object.__setattr__(self, "zeros", max(int(found["width"]) - prefix, 0))

    @property
    def padded(self) -> bool:
        """Whether a short number is padded."""
        return any(char in "123456789" for char in self.spec)

    def render(self, number: int) -> str:
        return format(number, self.spec)

    def parse(self, text: str) -> int | None:
        digits = text.strip().lower().replace("0x", "").replace("0o", "")
        digits = digits.replace("0b", "", 1) if self.base == 2 else digits
        if not re.fullmatch("-?[0-9a-f]+", digits) or len(digits) > 4000:
            return None
        try:
            number = int(digits, self.base)
        except ValueError:
            return None
        return number if self.render(number) == text else None

    def expand(self, number: SymInt) -> tuple[CodeUnit, ...] | None:
        text = self.render(concrete_int(number))
        size = abs(number) if number < 0 else number
        known = max(self.zeros - (number < 0), 1)  # the sign counts as one of the padded digits
        while bounds(size)[1] >= self.base**known and not size < self.base**known:
            known += 1
        units: list[CodeUnit] = [ord(char) for char in text]
        for position in range(known):
            units[len(units) - 1 - position] = digit_unit(_digit_at(size, self.base, position), "X" in self.spec)
        return tuple(units)

    def fields(self, number: SymInt) -> list[tuple[int, NumberStyle]]:
        return [(number, self)]


def _digit_at(number: int, base: int, position: int) -> int:
    if base == 10:
        return number // int(base**position) % base
    return number >> (base.bit_length() - 1) * position & (base - 1)


SPEC: Final = re.compile(r"(?P<align>>?)(?P<sign>-?)(?P<alternate>#?)(?P<zero>0?)(?P<width>\d*)(?P<type>[dxXbo]?)")
DECIMAL: Final = IntegerStyle("d")
OCTET: Final = IntegerStyle("02x")


@dataclass(frozen=True)
class Ipv4Style:
    """Four octets in decimal with dots."""

    alphabet: str = field(init=False, default="0123456789.")
    separator: str = field(init=False, default=".")

    def render(self, number: int) -> str:
        return str(ipaddress.IPv4Address(number))

    def parse(self, text: str) -> int | None:
        parts = text.split(".")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
            return None
        octets = [int(part) for part in parts]
        if max(octets) > 255:
            return None
        number = int.from_bytes(octets, "big")
        return number if self.render(number) == text else None

    def expand(self, number: SymInt) -> tuple[CodeUnit, ...] | None:
        units: list[CodeUnit] = []
        for shift in (24, 16, 8, 0):
            octet = number >> shift & 255
            part = DECIMAL.expand(octet) if isinstance(octet, SymInt) else tuple(map(ord, str(octet)))
            units += part or ()
            units += [ord(".")] if shift else []
        return tuple(units)

    def fields(self, number: SymInt) -> list[tuple[int, NumberStyle]]:
        return [(number >> shift & 255, DECIMAL) for shift in (24, 16, 8, 0)]


@dataclass(frozen=True)
class Ipv6Style:
    """An IPv6 address in short form. The omitted groups depend on all groups, so its characters have no terms.

    Libraries write some addresses differently, so `write` is the function of the library.
    """

    write: Callable[[int], str] = lambda number: str(ipaddress.IPv6Address(number))
    alphabet: str = field(init=False, default="0123456789abcdef:.")
    separator: str = field(init=False, default="")

    def render(self, number: int) -> str:
        return self.write(number)

    def parse(self, text: str) -> int | None:
        try:
            number = int(ipaddress.IPv6Address(text))
        except ValueError:
            return None
        return number if self.render(number) == text else None

    def expand(self, number: SymInt) -> tuple[CodeUnit, ...] | None:
        return None

    def fields(self, number: SymInt) -> list[tuple[int, NumberStyle]]:
        return [(number, self)]

    def decide_dots(self, number: SymInt) -> bool:
        """Return whether the text has dots, as libraries write addresses that contain one of IPv4."""
        for low, high in ((1 << 16, 1 << 32), (0xFFFF << 32, 0x10000 << 32)):
            if "." in self.write(low) and low <= number < high:
                return True
        return False


MAC: Final = MacStyle()
IPV4: Final = Ipv4Style()
IPV6: Final = Ipv6Style()
