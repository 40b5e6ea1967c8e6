"""The condition of an input class in the units that people use: `ipv4.dst in 10.0.0.0/24 and tcp.dst_port >= 1024`.

What is said about one field is merged into the set of its values. Such a set is written as a comparison, a range, a
prefix, or a list after `in` or `other than`; what cannot be written so has the general form of `term_text`. Laws: the
text depends on the condition and the names alone, and without `...` it is true of the same inputs as the condition.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from sdnloom.network.packet import EtherType, IpProto
from sdnloom.network.packet.headers import TcpFlag
from sdnloom.symbolic.terms.constructors import TRUE, not_, term_text
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.facts import Facts
from sdnloom.symbolic.terms.node import Term, postorder, variables
from sdnloom.symbolic.terms.simplify import essential
from sdnloom.symbolic.terms.text import value_in_kind

HostNames = Mapping[str, Mapping[int, str]]  # kind of an address ("mac", "ipv4") -> address -> name
ValueSet = tuple[tuple[int, int], ...]  # inclusive ranges, sorted, with gaps between them

_MOST_ITEMS = 24  # of a list
_SHORT_RANGE = 3
_FEW_VALUES = 32  # that are examined one by one
_DEEPEST = 40
_GROUP_BIT = 40  # of a MAC address: the lowest bit of its first byte
_TYPES = {
    **{int(each): each.name.replace("_", " ") for each in EtherType},
    EtherType.IPV4: "IPv4",
    EtherType.IPV6: "IPv6",
}
_PROTOCOLS = {int(each): each.name.replace("_", " ") for each in IpProto}
_VALUE_NAMES: dict[str, Mapping[int, str]] = {
    "eth.type": _TYPES,
    "vlan.type": _TYPES,
    "ipv4.proto": _PROTOCOLS,
    "ipv6.proto": _PROTOCOLS,
    "arp.op": {1: "request", 2: "reply"},
    "icmp.type": {0: "echo reply", 3: "unreachable", 8: "echo request", 11: "time exceeded"},
    "icmpv6.type": {128: "echo request", 129: "echo reply", 135: "neighbour solicitation", 136: "neighbour advert"},
}


def condition_text(condition: Sequence[Term], names: HostNames | None = None) -> str:
    """Return the conjunction of these truth values as text; "" if there are none."""
    return " and ".join(_conjunction(condition, names or {}, 0))


def _conjunction(literals: Sequence[Term], names: HostNames, nested: int) -> list[str]:
    """Return the parts of a conjunction, those about one field together where the first of them is."""
    order: dict[Term, None] = {}  # variables whose set is known, and other parts
    excluded: dict[Term, list[tuple[int, int]]] = {}
    sources: dict[Term, list[Term]] = {}
    for part in (part for each in literals for part in (each.args if each.op == "all" else (each,))):
        variable, outside = _excluded(part)
        if part is TRUE:
            continue
        if variable is None:
            order[part] = None
        else:
            order.setdefault(variable)
            excluded.setdefault(variable, []).extend(outside)
            sources.setdefault(variable, []).append(part)
    known = {each: _complement(_joined(sorted(ranges)), each.width) for each, ranges in excluded.items()}
    others = [each for each in order if each not in known]
    facts = Facts()
    for each in (part for parts in sources.values() for part in parts) if others else ():
        facts.learn(each, True)
    needed = {each for each in essential(others) if not facts.refutes(each, False)}
    found = []
    for each in others:
        variable = _only_variable(each)
        if variable in known and _size(known[variable]) <= _FEW_VALUES:
            kept = [value for value in _members(known[variable]) if evaluate_term(each, {variable.args[0]: value})]
            known[variable] = _joined((value, value) for value in kept)
            needed.discard(each)
    for each in sorted(order, key=_places(order).__getitem__):
        if each in known:
            found += _field_parts(each, known[each], _constants(sources[each]), names)
        elif each in needed:
            found.append(_other_part(each, names, nested))
    return found


def _places(order: Iterable[Term]) -> dict[Term, int]:
    """Return where each part stands: those about one field alone beside the first of them."""
    first: dict[Term, int] = {}
    return {each: first.setdefault(_only_variable(each) or each, number) for number, each in enumerate(order)}


def _other_part(part: Term, names: HostNames, nested: int) -> str:
    """Return a truth value that is no set of values of one field."""
    holds, inner = (False, part.args[0]) if part.op == "not" else (True, part)
    compared = _masked(inner)
    if compared is not None:
        text = _masked_text(*compared, holds)
        if text is not None:
            return text
    if not holds and inner.op == "all" and nested < _DEEPEST:
        sides = [" and ".join(_conjunction((not_(each),), names, nested + 1)) or "true" for each in inner.args]
        return f"({' or '.join(f'({side})' if ' and ' in side else side for side in sides)})"
    return term_text(part)


def _masked(part: Term) -> tuple[Term, int, int] | None:
    """Return the variable, mask and value of a condition that some bits of a variable have these values."""
    if part.op != "eq" or part.args[1].op != "const":
        return None
    term, value = part.args[0], part.args[1].args[0]
    mask, low = (1 << term.width) - 1, 0
    if term.op == "and" and term.args[1].op == "const":
        term, mask = term.args[0], term.args[1].args[0]
    if term.op == "extract":
        term, _, low = term.args
    return (term, mask << low, value << low) if term.op == "var" else None


def _masked_text(variable: Term, mask: int, value: int, holds: bool) -> str | None:
    """Return that bits of an address, or flags of TCP, have these values; None for other fields."""
    name, kind = variable.args
    single = mask & (mask - 1) == 0
    if kind == "mac" and mask == 1 << _GROUP_BIT and variable.width == 48:
        return f"{name} is {'a' if bool(value) == holds else 'no'} group address"
    if name == "tcp.flags" and (holds or single):
        flags = [TcpFlag(1 << bit) for bit in range(mask.bit_length()) if mask >> bit & 1 and 1 << bit in list(TcpFlag)]
        on = value if holds else value ^ mask
        words = {"has": [each for each in flags if on & each], "lacks": [each for each in flags if not on & each]}
        if mask == sum(flags):
            return f"{name} " + " and ".join(
                f"{word} {', '.join(str(each.name) for each in found)}" for word, found in words.items() if found
            )
    if kind not in ("mac", "ipv4", "ipv6") and name != "tcp.flags":
        return None
    shown, wanted = (value_in_kind(each, variable.width, kind) for each in (mask, value))
    return f"{name} & {shown} {'==' if holds else '!='} {wanted}"


# -- sets of values ----------------------------------------------------------------------------------------------------


def _only_variable(part: Term) -> Term | None:
    """Return the variable of a condition that has one."""
    if len(variables(part)) != 1:
        return None
    return next(each for each in postorder(part) if each.op == "var")


@lru_cache(maxsize=4096)  # most classes of a program share most conditions
def _excluded(part: Term) -> tuple[Term | None, ValueSet]:
    """Return the only variable of a condition and the values that it excludes; None if they are no list of ranges."""
    variable = _only_variable(part)
    inside = None if variable is None else _satisfying(part, variable)
    return (None, ()) if variable is None or inside is None else (variable, _complement(inside, variable.width))


def _satisfying(part: Term, variable: Term) -> ValueSet | None:
    """Return the values of the variable for which a truth value holds; None if they are no short list of ranges."""
    if part.depth > _DEEPEST:
        return None
    if part.op == "not":
        inside = _satisfying(part.args[0], variable)
        return None if inside is None else _complement(inside, variable.width)
    if part.op == "all":
        found: ValueSet | None = _everything(variable.width)
        for each in part.args:
            values = _satisfying(each, variable)
            found = None if found is None or values is None else _common(found, values)
        return found
    if part.op not in ("eq", "ult"):
        return None
    left, right = part.args
    if not left.width:
        return None
    if right.op == "const":
        value = right.args[0]
        return _before(left, _range(0, value - 1) if part.op == "ult" else _range(value, value), variable)
    if left.op == "const" and part.op == "ult":
        return _before(right, _range(left.args[0] + 1, (1 << right.width) - 1), variable)
    return None


def _before(term: Term, values: ValueSet, variable: Term) -> ValueSet | None:
    """Return the values of the variable for which a term has one of these values."""
    if term is variable:
        return values
    if term.op == "zext":
        inner = term.args[0]
        return _before(inner, _common(values, _everything(inner.width)), variable)
    if term.op == "extract":
        inner, high, low = term.args
        if high < inner.width - 1:  # bits above have any value
            return None
        return _before(inner, tuple((first << low, ((last + 1) << low) - 1) for first, last in values), variable)
    return None


def _range(low: int, high: int) -> ValueSet:
    return ((low, high),) if low <= high else ()


def _everything(width: int) -> ValueSet:
    return ((0, (1 << width) - 1),)


def _complement(values: ValueSet, width: int) -> ValueSet:
    found, low = [], 0
    for first, last in values:
        if low < first:
            found.append((low, first - 1))
        low = last + 1
    return (*found, (low, (1 << width) - 1)) if low < 1 << width else tuple(found)


def _common(left: ValueSet, right: ValueSet) -> ValueSet:
    """Return the values that are in both."""
    found, one, other = [], list(left), list(right)
    while one and other:
        low, high = max(one[0][0], other[0][0]), min(one[0][1], other[0][1])
        if low <= high:
            found.append((low, high))
        (one if one[0][1] < other[0][1] else other).pop(0)
    return tuple(found)


def _joined(ranges: Iterable[tuple[int, int]]) -> ValueSet:
    """Return the union of sorted ranges."""
    found: list[tuple[int, int]] = []
    for low, high in ranges:
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found)


def _size(values: ValueSet) -> int:
    return sum(high - low + 1 for low, high in values)


def _members(values: ValueSet) -> Iterator[int]:
    for low, high in values:
        yield from range(low, high + 1)


def _constants(parts: Sequence[Term]) -> frozenset[int]:
    """Return the numbers in these terms."""
    return frozenset(each.args[0] for each in postorder(*parts) if each.op == "const")


# -- one field ---------------------------------------------------------------------------------------------------------


def _field_parts(variable: Term, values: ValueSet, written: frozenset[int], names: HostNames) -> list[str]:
    """Return the text of a set of a field's values; `written` has the numbers that the program compares it with."""
    field, notation = variable.args[0], _Notation(variable, names)
    outside = _complement(values, variable.width)
    if not outside:
        return []
    listed, left_out = notation.spread(values), notation.spread(outside)
    if _all_single(left_out) and _size(values) > 1:
        return [_without(notation, left_out)]
    if len(listed) == 1:
        return [notation.range_text(*listed[0], written)]
    if len(left_out) == 1 and notation.is_prefix(*left_out[0]):
        return [f"{field} not in {notation.item(*left_out[0])}"]
    if not _all_single(listed):
        hull = values[0][0], values[-1][1]
        holes = notation.spread(_common(outside, (hull,)))
        if _all_single(holes):
            return [notation.range_text(*hull, written), _without(notation, holes)]
        if len(left_out) < len(listed):
            return [_without(notation, left_out)]
    return [f"{field} in {notation.items(listed)}"]


def _all_single(values: ValueSet) -> bool:
    return all(low == high for low, high in values)


def _without(notation: "_Notation", outside: ValueSet) -> str:
    return f"{notation.field} {'!=' if _size(outside) == 1 else 'other than'} {notation.items(outside)}"


class _Notation:
    """How the values of one field are written."""

    def __init__(self, variable: Term, names: HostNames) -> None:
        self.field: str = variable.args[0]
        self.kind: str = variable.args[1]
        self.width = variable.width
        self._hosts, self._meanings = names.get(self.kind, {}), _VALUE_NAMES.get(self.field, {})

    def plain(self, value: int) -> str:
        """Return a value without names."""
        return value_in_kind(value, self.width, self.kind)

    def value(self, value: int) -> str:
        """Return the name of a host, or a value with its meaning if it has one."""
        meaning = self._meanings.get(value)
        return self._hosts.get(value) or (f"{self.plain(value)} ({meaning})" if meaning else self.plain(value))

    def is_prefix(self, low: int, high: int) -> bool:
        """Whether a range of several IP addresses has a prefix."""
        size = high - low + 1
        return self.kind in ("ipv4", "ipv6") and size > 1 and size & (size - 1) == 0 and low % size == 0

    def spread(self, values: ValueSet) -> ValueSet:
        """Return the set with single values in place of very short ranges, and of ranges of hosts."""
        found: list[tuple[int, int]] = []
        for low, high in values:
            few = high - low < _SHORT_RANGE or (
                high - low < len(self._hosts) and all(each in self._hosts for each in range(low, high + 1))
            )
            found += [(each, each) for each in range(low, high + 1)] if few else [(low, high)]
        return tuple(found)

    def item(self, low: int, high: int) -> str:
        """Return a range as an item of a list."""
        if low == high:
            return self.value(low)
        if self.is_prefix(low, high):
            return f"{self.plain(low)}/{self.width - (high - low).bit_length()}"
        return f"{self.plain(low)}-{self.plain(high)}"

    def items(self, values: ValueSet) -> str:
        """Return a set as a list."""
        shown = [self.item(low, high) for low, high in values[:_MOST_ITEMS]]
        return ", ".join(shown + ["..."] * (len(values) > _MOST_ITEMS)) or "nothing"

    def range_text(self, low: int, high: int, written: frozenset[int]) -> str:
        """Return that the field is in a range, with the bound that the program has where there is one."""
        if low == high:
            return f"{self.field} == {self.value(low)}"
        if self.is_prefix(low, high):
            return f"{self.field} in {self.item(low, high)}"
        if low == 0:
            strict = high + 1 in written and high not in written
            return f"{self.field} < {self.plain(high + 1)}" if strict else f"{self.field} <= {self.plain(high)}"
        if high == (1 << self.width) - 1:
            strict = low - 1 in written and low not in written
            return f"{self.field} > {self.plain(low - 1)}" if strict else f"{self.field} >= {self.plain(low)}"
        return f"{self.plain(low)} <= {self.field} <= {self.plain(high)}"
