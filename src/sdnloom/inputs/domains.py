"""Domains: the values that a field may have, as ranges of numbers, and their text form.

A domain is written `any`, `10.0.0.1,10.0.0.2`, `10.0.0.0/24`, `1024-65535`, `0x800`, as a name of a host, or as one of
the words `own`, `hosts`, `switches`, `broadcast`, `fresh` and `topology` (which is `hosts`, `switches`, `broadcast` and
`fresh` together).
"""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sdnloom.errors import SdnloomError
from sdnloom.inputs.stacks import FieldFormat, StackField
from sdnloom.network.value import AddressError, hexadecimal, ip, ip4_text, ip6_text, mac, mac_text


class DomainError(SdnloomError):
    """Values that a field cannot have. The message names the field, the text and what was expected."""


_SHORT = 64  # a range of up to so many values is a list of preferred ones


@dataclass(frozen=True)
class Domain:
    """Inclusive ranges of values, the preferred ones first: so many, all if the number is not given. Never empty."""

    ranges: tuple[tuple[int, int], ...]
    preferred: int | None = None

    @staticmethod
    def of(*values: int) -> "Domain":
        """Return the domain of exactly these values, the first one preferred."""
        return Domain(tuple((value, value) for value in dict.fromkeys(values)))

    @staticmethod
    def anything(field: StackField, preferred: int = 0) -> "Domain":
        """Return the domain of all values of the field."""
        return Domain(((preferred, preferred), (0, field.max_value)))

    @property
    def first(self) -> int:
        """The preferred value."""
        return self.ranges[0][0]

    @property
    def pinned(self) -> bool:
        """Whether the domain has only one value."""
        return all(pair == (self.first, self.first) for pair in self.ranges)

    @property
    def listed(self) -> tuple[int, ...]:
        """The preferred values that are listed one by one, in order of preference."""
        return tuple(low for low, high in self.ranges[: self.preferred] if low == high)

    @property
    def preferred_values(self) -> tuple[int, ...]:
        """The values of short preferred ranges, smallest first: inputs are sought among these before all others."""
        short = (range(low, high + 1) for low, high in self.ranges[: self.preferred] if high - low < _SHORT)
        return tuple(sorted({value for values in short for value in values}))

    @property
    def intervals(self) -> tuple[tuple[int, int], ...]:
        """The same values as disjoint ranges that do not touch, smallest first."""
        merged: list[tuple[int, int]] = []
        for low, high in sorted(self.ranges):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(high, merged[-1][1])
            else:
                merged.append((low, high))
        return tuple(merged)

    @property
    def holes(self) -> tuple[tuple[int, int], ...]:
        """The ranges between the smallest and the largest value that are left out."""
        return tuple((before[1] + 1, after[0] - 1) for before, after in pairwise(self.intervals))

    def widened(self, field: StackField, without: Iterable[int] = ()) -> "Domain":
        """Return the domain of all values of the field except some, those of this domain preferred."""
        rest = domain_without(field, without, self.first).ranges[1:]
        if self.covers(field) and rest == ((0, field.max_value),):
            return self
        return Domain((*self.ranges, *rest), len(self.ranges))

    def apart_from(self, values: Iterable[int]) -> "Domain | None":
        """Return the values of this domain except some, in the same order; None if none is left."""
        ranges: list[tuple[int, int]] = []
        without = sorted(set(values))
        for low, high in self.ranges:
            for value in without:
                if low <= value <= high:
                    ranges += [(low, value - 1)] if low < value else []
                    low = value + 1
            ranges += [(low, high)] if low <= high else []
        return Domain(tuple(ranges)) if ranges else None

    def __contains__(self, value: int) -> bool:
        return any(low <= value <= high for low, high in self.ranges)

    def covers(self, field: StackField) -> bool:
        """Whether the domain has all values of the field."""
        return self.intervals == ((0, field.max_value),)


@dataclass(frozen=True)
class ValueNames:
    """Addresses by word (names of hosts, `own`, `broadcast` and so on), for each kind of address."""

    macs: Mapping[str, tuple[int, ...]]
    ips: Mapping[str, tuple[int, ...]]

    def values(self, field: StackField, word: str) -> tuple[int, ...] | None:
        """Return the values of a word; None if the field does not know it."""
        known = {FieldFormat.MAC: self.macs, FieldFormat.IP4: self.ips}.get(field.kind, {})
        return known.get(word)

    def names(self, field: StackField) -> list[str]:
        """Return the words that a field knows."""
        return list({FieldFormat.MAC: self.macs, FieldFormat.IP4: self.ips}.get(field.kind, {}))


NO_WORDS = ValueNames({}, {})


def parse_domain(field: StackField, text: str, words: ValueNames = NO_WORDS) -> Domain:
    """Return the domain of a field from its text. Raises DomainError."""
    ranges: list[tuple[int, int]] = []
    for item in (part.strip() for part in text.split(",")):
        named = words.values(field, item)
        if item == "any":
            ranges.append((0, field.max_value))
        elif named is not None:
            if not named:
                raise DomainError(f"{field.name}={text}: {item!r} has no address here; {_expected(field, words)}")
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
        raise DomainError(
            f"{field.name}={text}: {item!r} is not a value of the field; {_expected(field, words)}"
        ) from None
    if not 0 <= low <= high <= field.max_value:
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
    return f"expected {field.kind.value} from 0 to {hexadecimal(field.max_value)}, a range a-b, a list a,b, any{names}"


def value_text(field: StackField, value: int, names: Mapping[int, str] | None = None) -> str:
    """Return a value in its usual notation, which `parse_domain` reads."""
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


GROUPS = ("own", "topology", "hosts", "switches", "broadcast", "fresh")


def domain_items(field: StackField, domain: Domain, words: ValueNames, names: Mapping[int, str]) -> list[str]:
    """Return the parts of a domain's text, which `parse_domain` reads: words for groups of addresses where possible."""
    ranges, found = list(dict.fromkeys(domain.ranges)), []
    for word in GROUPS:
        group = [(value, value) for value in dict.fromkeys(words.values(field, word) or ())]
        if group and all(pair in ranges for pair in group):
            found.append(word)
            ranges = [pair for pair in ranges if pair not in group]
    for low, high in ranges:
        if (low, high) == (0, field.max_value):
            found.append("any")
        elif low == high:
            found.append(value_text(field, low, names))
        else:
            found.append(f"{value_text(field, low)}-{value_text(field, high)}")
    return found


def domain_without(field: StackField, values: Iterable[int], preferred: int) -> Domain:
    """Return the domain of all values of the field except these."""
    ranges, low = [(preferred, preferred)], 0
    for value in sorted(set(values)):
        if low < value:
            ranges.append((low, value - 1))
        low = value + 1
    if low <= field.max_value:
        ranges.append((low, field.max_value))
    return Domain(tuple(ranges))
