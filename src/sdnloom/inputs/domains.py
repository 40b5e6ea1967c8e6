"""What values a field may have: ranges of numbers, written as people write addresses and numbers.

`any`, `10.0.0.1,10.0.0.2`, `10.0.0.0/24`, `1024-65535`, `0x800`, names of hosts, and the words `own`, `hosts`,
`switches`, `broadcast`, `fresh` and `topology` (all of the last five) are all ways to say it.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sdnloom.errors import SdnloomError
from sdnloom.inputs.stacks import FieldFormat, StackField
from sdnloom.network.value import AddressError, hexadecimal, ip, ip4_text, ip6_text, mac, mac_text


class DomainError(SdnloomError):
    """Values that a field cannot have. The message names the field, the text and what was expected."""


@dataclass(frozen=True)
class Domain:
    """Inclusive ranges of values, the preferred value first. Law: never empty."""

    ranges: tuple[tuple[int, int], ...]

    @staticmethod
    def of(*values: int) -> "Domain":
        """Exactly these values, the first one preferred."""
        return Domain(tuple((value, value) for value in dict.fromkeys(values)))

    @staticmethod
    def anything(field: StackField, preferred: int = 0) -> "Domain":
        """Every value of the field."""
        return Domain(((preferred, preferred), (0, field.most)))

    @property
    def first(self) -> int:
        """The preferred value."""
        return self.ranges[0][0]

    @property
    def pinned(self) -> bool:
        """Whether there is only one value."""
        return all(pair == (self.first, self.first) for pair in self.ranges)

    @property
    def listed(self) -> tuple[int, ...]:
        """The values that are given one by one, in order of preference."""
        return tuple(low for low, high in self.ranges if low == high)

    def __contains__(self, value: int) -> bool:
        return any(low <= value <= high for low, high in self.ranges)

    def whole(self, field: StackField) -> bool:
        """Whether the field may have any value at all."""
        return (0, field.most) in self.ranges


@dataclass(frozen=True)
class ValueNames:
    """What words stand for in a place: names of hosts, `own`, `broadcast` and so on, for each kind of address."""

    macs: Mapping[str, tuple[int, ...]]
    ips: Mapping[str, tuple[int, ...]]

    def values(self, field: StackField, word: str) -> tuple[int, ...] | None:
        """The values of a word; None if it is none."""
        known = {FieldFormat.MAC: self.macs, FieldFormat.IP4: self.ips}.get(field.kind, {})
        return known.get(word)

    def names(self, field: StackField) -> list[str]:
        """The words that a field understands."""
        return list({FieldFormat.MAC: self.macs, FieldFormat.IP4: self.ips}.get(field.kind, {}))


NO_WORDS = ValueNames({}, {})


def parse_domain(field: StackField, text: str, words: ValueNames = NO_WORDS) -> Domain:
    """The domain that a text means for a field."""
    ranges: list[tuple[int, int]] = []
    for item in (part.strip() for part in text.split(",")):
        named = words.values(field, item)
        if item == "any":
            ranges.append((0, field.most))
        elif named is not None:
            if not named:
                raise DomainError(f"{field.name}={text}: {item!r} is nobody here; {_expected(field, words)}")
            ranges += [(value, value) for value in named]
        else:
            ranges.append(_range(field, item, text, words))
    return Domain(tuple(dict.fromkeys(ranges)))


def _range(field: StackField, item: str, text: str, words: ValueNames) -> tuple[int, int]:
    try:
        if "/" in item and field.kind in (FieldFormat.IP4, FieldFormat.IP6):
            network = ipaddress.ip_network(item, strict=False)
            low, high = int(network.network_address), int(network.broadcast_address)
        elif "-" in item:
            first, _, last = item.partition("-")
            low, high = _value(field, first.strip()), _value(field, last.strip())
        else:
            low = high = _value(field, item)
    except (ValueError, AddressError):
        raise DomainError(f"{field.name}={text}: {item!r} is no value of it; {_expected(field, words)}") from None
    if not 0 <= low <= high <= field.most:
        raise DomainError(f"{field.name}={text}: {item!r} is out of range; {_expected(field, words)}")
    return low, high


def _value(field: StackField, item: str) -> int:
    if field.kind is FieldFormat.MAC and ":" in item:
        return mac(item)
    if (field.kind is FieldFormat.IP4 and "." in item) or (field.kind is FieldFormat.IP6 and ":" in item):
        return ip(item)
    if len(item) > 60:
        raise ValueError
    return int(item, 0)


def _expected(field: StackField, words: ValueNames) -> str:
    names = "".join(f", {name}" for name in words.names(field)[:12])
    return f"expected {field.kind.value} from 0 to {hexadecimal(field.most)}, a range a-b, a list a,b, any{names}"


def value_text(field: StackField, value: int, names: Mapping[int, str] | None = None) -> str:
    """A value as people write it, and as `parse_domain` reads it."""
    if names and value in names:
        return names[value]
    match field.kind:
        case FieldFormat.MAC:
            return mac_text(value)
        case FieldFormat.IP4:
            return ip4_text(value)
        case FieldFormat.IP6:
            return ip6_text(value)
        case FieldFormat.HEX:
            return hexadecimal(value)
        case FieldFormat.NUMBER:
            return str(value)


def without(field: StackField, values: Iterable[int], preferred: int) -> Domain:
    """Every value of the field but these."""
    ranges, low = [(preferred, preferred)], 0
    for value in sorted(set(values)):
        if low < value:
            ranges.append((low, value - 1))
        low = value + 1
    if low <= field.most:
        ranges.append((low, field.most))
    return Domain(tuple(ranges))
