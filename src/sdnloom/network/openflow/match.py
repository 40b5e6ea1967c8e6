"""The match of a flow entry: a canonical, sorted set of (field, value, mask)."""

import re
from dataclasses import dataclass

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow.oxm import BY_NUMBER, FIELDS
from sdnloom.network.value import AddressError, hexadecimal, ip, mac

# Name of a field that is not in the table: its OXM class and number, its size in bytes and, in class ffff, its
# experimenter.
FOREIGN = re.compile(r"oxm_([0-9a-f]{4})_([0-9]{1,3})_([0-9]{1,3})(?:_([0-9a-f]{8}))?")

# 1.0 has 16 bits for these fields of 8 bits; a larger value matches no packet.
_SIXTEEN_IN_10 = ("icmpv4_type", "icmpv4_code")


class MatchError(SdnloomError):
    """A match has an unknown field or a wrong value."""


@dataclass(frozen=True, slots=True)
class Match:
    """Fields in the order of their OXM numbers, each at most once; a mask of None matches all bits.

    Build one with `Match.of`, which makes it canonical: bits outside a mask are zero, a full mask is None, a field with
    an empty mask is left out. So equal matches are equal values. `Match()` matches every packet.
    """

    fields: tuple[tuple[str, int, int | None], ...] = ()

    @staticmethod
    def of(**fields: "int | str | tuple[int | str, int | str] | None") -> "Match":
        """Return the canonical match of `name=value` and `name=(value, mask)`; None leaves a field out.

        Addresses may be text, and IP addresses may carry a prefix length: `ipv4_dst="10.0.0.0/8"`.
        """
        return canonical(
            [(name, *_parse(name, content)) for name, content in fields.items() if content is not None],
        )

    def get(self, name: str) -> tuple[int, int] | None:
        """Return (value, mask) of a field, with a number as mask, or None if the field is not matched."""
        for field, value, mask in self.fields:
            if field == name:
                return value, full_mask(name) if mask is None else mask
        return None

    def exact(self, name: str) -> int | None:
        """Return the value of a field that is matched on all its bits, else None."""
        for field, value, mask in self.fields:
            if field == name and mask is None:
                return value
        return None

    def __repr__(self) -> str:
        parts = []
        for name, value, mask in self.fields:
            field = FIELDS.get(name)
            shown = field.show(value) if field else hexadecimal(value)
            parts.append(f"{name}={shown}" if mask is None else f"{name}=({shown}, {hexadecimal(mask)})")
        return f"Match.of({', '.join(parts)})"


ANY_PACKET = Match()


def full_mask(name: str) -> int:
    """Return the mask of all bits of a field."""
    if name in FIELDS:
        return FIELDS[name].full
    found = FOREIGN.fullmatch(name)
    if found is None:
        raise MatchError(f"unknown match field {name!r}; expected one of {', '.join(FIELDS)}")
    if (found[1] == "ffff") != bool(found[4]):
        raise MatchError(f"match field {name!r}: expected an experimenter's number at its end in class ffff only")
    if found[1] == "8000" and int(found[2]) in BY_NUMBER:
        raise MatchError(f"match field {name!r} has a name: expected {BY_NUMBER[int(found[2])].name}")
    return int((1 << 8 * int(found[3])) - 1)


def field_order(name: str) -> tuple[int, int, str]:
    """Return the sort key of a field: the order of OXM numbers, unknown fields last."""
    return (0, FIELDS[name].number, "") if name in FIELDS else (1, 0, name)


def canonical(fields: list[tuple[str, int, int | None]]) -> Match:
    """Return the canonical match of distinct fields."""
    kept: list[tuple[str, int, int | None]] = []
    for name, value, mask in fields:
        full = full_mask(name)
        if mask is None or mask == full:
            kept.append((name, value, None))
        elif mask & full:
            kept.append((name, value & mask, mask & full))
    return Match(tuple(sorted(kept, key=lambda row: field_order(row[0]))))


def _parse(name: str, content: "int | str | tuple[int | str, int | str]") -> tuple[int, int | None]:
    if isinstance(content, tuple):
        if len(content) != 2:
            raise MatchError(f"{name}={content!r}: expected a value or a pair of value and mask")
        return _number(name, content[0]), _number(name, content[1])
    if isinstance(content, str) and "/" in content:
        address, _, prefix = content.partition("/")
        bits = full_mask(name).bit_length()
        if not (prefix.isascii() and prefix.isdigit() and len(prefix) <= 3 and int(prefix) <= bits):
            raise MatchError(f"{name}={content!r}: expected a prefix length of 0 to {bits} after the slash")
        return _number(name, address), (1 << bits) - (1 << (bits - int(prefix)))
    return _number(name, content), None


def _number(name: str, content: "int | str") -> int:
    full = full_mask(name)
    if isinstance(content, str):
        try:
            number = mac(content) if full.bit_length() == 48 else ip(content)
        except AddressError as error:
            raise MatchError(f"{name}: {error}") from None
    elif isinstance(content, int) and content >= 0:
        number = int(content)
    else:
        raise MatchError(f"{name}={content!r}: expected a number of at least 0 or an address")
    if number > (0xFFFF if name in _SIXTEEN_IN_10 else full):
        raise MatchError(f"{name}={content!r}: expected at most {full:#x}")
    return number
