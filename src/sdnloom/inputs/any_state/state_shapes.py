"""The shape of a program's state: for each attribute the kind of value that it holds, learned from states met.

A sketch is a value of a live state as an immutable description that shares no object with it. A shape generalises the
sketches of one place: addresses and whole numbers of any value, tables with any entries of that kind up to a bound,
other values only as met. Law: every sketch is one of the values of its shape, except that tables may be too small.

Limits: a container of a subclass, an object of a class outside of the app's own module, and whatever holds one of these
is fixed: it keeps its value.
"""

import collections
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from sdnloom.symbolic.values.make import IPV4, IPV6, MAC, NumberStyle

MAX_SKETCH_DEPTH = 6
WIDTHS = (16, 32, 48, 64)  # bits that a whole number of a state may have
LARGEST_MAC = (1 << 48) - 1  # keys that are numbers may be MAC addresses
TABLES: tuple[type, ...] = (dict, collections.defaultdict, collections.OrderedDict)
SEQUENCES: tuple[type, ...] = (list, collections.deque)
SETS: tuple[type, ...] = (set, frozenset)
ADDRESS_STYLES: dict[str, tuple[NumberStyle, int]] = {"MAC": (MAC, 48), "IPv4": (IPV4, 32), "IPv6": (IPV6, 128)}


class Sketch(NamedTuple):
    """A value as a description: its kind, what tells kinds apart further, and the sketches inside.

    The parts of a table are pairs of sketches, those of an object pairs of a name and a sketch.
    """

    kind: str  # "NoneType", "bool", "float", "str", "enum", "number", "MAC", "IPv4", "IPv6", "octets", "table" ...
    of: Any = None  # the value, the type of a container, or the name of a class
    parts: tuple[Any, ...] = ()


FIXED = "fixed"


def sketch(value: Any, names: Mapping[str, Any], depth: int = 0) -> Sketch:
    """The sketch of a value; `names` are the global names of the module in which the program's classes are."""
    kind = type(value)
    if kind in (types.NoneType, bool, float):
        return Sketch(kind.__name__, value)
    if kind is int:
        return Sketch("number", value)
    if kind is str:
        return next(
            (Sketch(name, value) for name, (style, _) in ADDRESS_STYLES.items() if style.parse(value) is not None),
            Sketch("str", value),
        )
    if kind is bytes and value:
        return Sketch("octets", value)
    if depth >= MAX_SKETCH_DEPTH:
        return Sketch(FIXED, kind.__name__)

    def inside(each: Any) -> Sketch:
        return sketch(each, names, depth + 1)

    if kind in TABLES:
        factory = getattr(value, "default_factory", None)
        if factory is not None and factory not in (dict, list, set, int, str, float, bool):
            return Sketch(FIXED, kind.__name__)
        return Sketch("table", (kind, factory), tuple((inside(key), inside(each)) for key, each in value.items()))
    if kind in SEQUENCES:
        return Sketch("sequence", (kind, getattr(value, "maxlen", None)), tuple(map(inside, value)))
    if kind in SETS:
        return Sketch("set", kind, tuple(map(inside, value)))
    if kind is tuple:
        return Sketch("tuple", "", tuple(map(inside, value)))
    if names.get(kind.__name__) is kind and names.get("__name__") == kind.__module__:
        return _own_sketch(value, kind, inside)
    return Sketch(FIXED, kind.__name__)


def _own_sketch(value: Any, kind: Any, inside: Any) -> Sketch:
    """The sketch of an object of one of the program's classes."""
    if isinstance(value, Enum):
        return Sketch("enum", (kind.__name__, value.name), tuple(kind.__members__))
    if isinstance(value, tuple) and hasattr(kind, "_make"):
        return Sketch("tuple", kind.__name__, tuple(map(inside, value)))
    if kind.__new__ is object.__new__ and (attributes := plain_attributes(value)) is not None:
        rows = tuple((name, inside(each)) for name, each in sorted(attributes.items()))
        return Sketch("record", kind.__name__, rows)
    return Sketch(FIXED, kind.__name__)


def attribute_names(each: Sketch) -> set[str]:
    """The names of the attributes of objects inside of a value."""
    if each.kind == "record":
        return {name for name, _ in each.parts}.union(*(attribute_names(part) for _, part in each.parts))
    inside = [part for pair in each.parts for part in pair] if each.kind == "table" else each.parts
    return set().union(*(attribute_names(part) for part in inside if isinstance(part, Sketch)))


def plain_attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object that has a dict and no slots; None for others."""
    if any("__slots__" in vars(each) for each in type(value).__mro__[:-1]):
        return None
    found: dict[str, Any] | None = getattr(value, "__dict__", None)
    return found


def global_names(holder: Any) -> Mapping[str, Any]:
    """The global names of the module that defines an object's class, as the methods of the class see them."""
    for kind in type(holder).__mro__:
        for each in vars(kind).values():
            if isinstance(each, types.FunctionType) and each.__module__ == kind.__module__:
                return each.__globals__
    return {}


@dataclass(frozen=True)
class OneOf:
    """One of some values: None, truth values, texts and floats as they are, members of enums by class and name."""

    values: tuple[Sketch, ...]


@dataclass(frozen=True)
class WholeNumber:
    """A whole number in one of these ranges; `met` are the values of states met."""

    ranges: tuple[tuple[int, int], ...]
    met: tuple[int, ...]

    @property
    def bits(self) -> int:
        """The width of a variable for it; negative numbers are shifted to begin at 0."""
        return max((self.ranges[-1][1] - self.base).bit_length(), 1)

    @property
    def base(self) -> int:
        """The number that a variable of value 0 stands for."""
        return min(self.ranges[0][0], 0)


@dataclass(frozen=True)
class AddressText:
    """An address as text, "MAC", "IPv4" or "IPv6"; without ranges any."""

    style: str
    met: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ByteString:
    """Bytes of one length."""

    size: int
    met: tuple[bytes, ...]


@dataclass(frozen=True)
class TableShape:
    """A dict, a sequence or a set with a bounded number of entries; sequences have no keys, sets no values."""

    kind: str  # "table", "sequence" or "set"
    of: Any
    keys: "ValueShape | None"
    values: "ValueShape | None"
    most: int


@dataclass(frozen=True)
class Parts:
    """A tuple (its parts by number), or an object of one of the program's classes (its attributes by name)."""

    kind: str  # "tuple" or "record"
    of: str  # the name of the class; "" for a plain tuple
    parts: tuple[tuple[str, "ValueShape"], ...]


@dataclass(frozen=True)
class AnyKind:
    """A value of one of several kinds."""

    options: "tuple[ValueShape, ...]"


@dataclass(frozen=True)
class FixedValue:
    """A value that is not generalised, and why."""

    why: str


ValueShape: TypeAlias = OneOf | WholeNumber | AddressText | ByteString | TableShape | Parts | AnyKind | FixedValue


@dataclass(frozen=True)
class StateBounds:
    """Bounds of the states that are considered: `entries` in each table, and ranges that replace the default ones.

    `numbers` are the values of whole numbers, `addresses` those of MAC, IPv4 and IPv6 addresses in texts, as numbers.
    """

    entries: int = 2
    numbers: tuple[tuple[int, int], ...] = ()
    addresses: tuple[tuple[int, int], ...] = ()


def shape_of(sketches: Iterable[Sketch], bounds: StateBounds, literals: Sequence[int] = ()) -> ValueShape:
    """The shape of the values that one place had. `literals` are whole numbers that it must be able to have."""
    groups: dict[Any, list[Sketch]] = {}
    for each in dict.fromkeys(sketches):
        groups.setdefault(_group(each), []).append(each)
    options = tuple(_shape_of_group(group, found, bounds, literals) for group, found in groups.items())
    fixed = [each for each in options if isinstance(each, FixedValue)]
    if fixed:
        return fixed[0]
    return options[0] if len(options) == 1 else AnyKind(options)


def _group(each: Sketch) -> Any:
    """What two sketches have in common if one shape covers both."""
    match each.kind:
        case "NoneType" | "bool" | "float" | "str" | "enum":
            return "choice"
        case "octets":
            return "octets", len(each.of)
        case "tuple":
            return "tuple", each.of, len(each.parts)
        case "record":
            return "record", each.of, tuple(name for name, _ in each.parts)
        case "table" | "sequence" | "set":
            return each.kind, each.of
    return each.kind


def _shape_of_group(group: Any, found: list[Sketch], bounds: StateBounds, literals: Sequence[int]) -> ValueShape:
    kind = found[0].kind

    def below(sketches: Iterable[Sketch], more: Sequence[int] = ()) -> ValueShape | None:
        listed = list(sketches)
        return shape_of(listed, bounds, (*literals, *more)) if listed else None

    if kind == FIXED:
        return FixedValue(f"it holds a {found[0].of}")
    if group == "choice":
        return OneOf(_with_alternatives(found))
    if kind == "number":
        met = tuple(each.of for each in found)
        return WholeNumber(bounds.numbers or _range(met, literals), met)
    if kind in ADDRESS_STYLES:
        style = ADDRESS_STYLES[kind][0]
        numbers = tuple(number for each in found if (number := style.parse(each.of)) is not None)
        return AddressText(kind, numbers, bounds.addresses)
    if kind == "octets":
        return ByteString(len(found[0].of), tuple(each.of for each in found))
    if kind in ("tuple", "record"):
        names = [str(place) for place in range(len(found[0].parts))]
        rows = [dict(zip(names, each.parts, strict=True)) if kind == "tuple" else dict(each.parts) for each in found]
        parts = tuple((name, shape_of([row[name] for row in rows], bounds, literals)) for name in rows[0])
        return _fixed_if_a_part_is(Parts(kind, found[0].of, parts), [shape for _, shape in parts])
    return _shape_of_table(found, bounds, below)


def _shape_of_table(found: list[Sketch], bounds: StateBounds, below: Any) -> ValueShape:
    kind, parts = found[0].kind, [part for each in found for part in each.parts]
    keys = None
    if kind != "sequence":
        keys = below((key for key, _ in parts) if kind == "table" else parts, [LARGEST_MAC])
    values = below(each for _, each in parts) if kind == "table" else below(parts) if kind == "sequence" else None
    most = bounds.entries if parts else 0
    if kind == "sequence" and found[0].of[1] is not None:
        most = min(most, found[0].of[1])
    if keys is not None and not isinstance(keys, FixedValue) and not _is_plain_key(keys):
        return FixedValue("its keys are containers or objects")
    if isinstance(keys, OneOf):
        most = min(most, len(keys.values))
    return _fixed_if_a_part_is(TableShape(kind, found[0].of, keys, values, most), [keys, values])


def _is_plain_key(shape: ValueShape) -> bool:
    """Whether keys of a shape are compared by their symbolic parts: scalars, and tuples of them."""
    if isinstance(shape, Parts):
        return shape.kind == "tuple" and all(_is_plain_key(part) for _, part in shape.parts)
    if isinstance(shape, AnyKind):
        return all(map(_is_plain_key, shape.options))
    return isinstance(shape, OneOf | WholeNumber | AddressText | ByteString)


def _fixed_if_a_part_is(shape: ValueShape, parts: Iterable[ValueShape | None]) -> ValueShape:
    return next((part for part in parts if isinstance(part, FixedValue)), shape)


def _with_alternatives(found: list[Sketch]) -> tuple[Sketch, ...]:
    """The values in a fixed order, with both truth values if one of them was met, and with all members of an enum."""
    more = [Sketch("bool", value) for value in (False, True)] if any(each.kind == "bool" for each in found) else []
    for each in found:
        more += [Sketch("enum", (each.of[0], name), each.parts) for name in each.parts]
    return tuple(sorted({*found, *more}, key=repr))


def _range(met: Sequence[int], literals: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The range of whole numbers: from 0, or as far below as above if one is negative."""
    largest = max(abs(each) for each in (*met, *literals, 0))
    bits = next((width for width in WIDTHS if largest < 1 << width), largest.bit_length() + 1)
    return ((-(1 << bits - 1), (1 << bits - 1) - 1) if min(met) < 0 else (0, (1 << bits) - 1),)


def shape_text(shape: ValueShape) -> str:
    """The values of a shape, for a report."""
    match shape:
        case OneOf():
            texts = [".".join(each.of) if each.kind == "enum" else repr(each.of) for each in shape.values]
            return texts[0] if len(texts) == 1 else f"one of {', '.join(texts)}"
        case WholeNumber():
            return " or ".join(f"number {low:,} to {high:,}" for low, high in shape.ranges)
        case AddressText():
            limited = f" in {len(shape.ranges)} ranges" if shape.ranges else ""
            return f"{shape.style} address{limited}"
        case ByteString():
            return f"{shape.size} bytes"
        case TableShape():
            return _table_text(shape)
        case Parts():
            parts = ", ".join(
                shape_text(part) if shape.kind == "tuple" else f"{name}: {shape_text(part)}"
                for name, part in shape.parts
            )
            return f"{shape.of}({parts})"
        case AnyKind():
            return " or ".join(map(shape_text, shape.options))
        case FixedValue():
            return shape.why


def _table_text(shape: TableShape) -> str:
    kind = shape.of if shape.kind == "set" else shape.of[0]
    if not shape.most:
        return f"empty {kind.__name__}, as no entry was met"
    size = f"{kind.__name__} with up to {shape.most} {'entry' if shape.most == 1 else 'entries'}"
    inside = " -> ".join(shape_text(each) for each in (shape.keys, shape.values) if each is not None)
    return f"{size} ({inside})"
