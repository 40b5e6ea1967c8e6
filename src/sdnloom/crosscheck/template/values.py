"""One field of a test file: a number, the name of a value, an address, or symbolic with a default and limits."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from sdnloom.crosscheck.switch_test import Overlay, Variable
from sdnloom.crosscheck.template.value_names import IP4_VALUE, IP6_VALUE, MAC_VALUE, constants, field_kind
from sdnloom.network.value import AddressError, ip, mac
from sdnloom.scenario_file.document import Entries
from sdnloom.scenario_file.table import Table

SYMBOLIC_TEXT: Final = "symbolic"
MOST_VARIABLES: Final = 200  # of a case
MOST_BITS: Final = 4096  # of one variable
MOST_RANGES: Final = 64  # of one variable
_NAME: Final = re.compile(r"[a-z0-9_.\[\]]{1,80}")


@dataclass
class Inputs:
    """The variables and overlays of a step, collected while it is read; `prefix` is that of their names."""

    prefix: str
    version: int
    message: str = ""  # the kind of the message, which decides what its command means
    rest: bool = False  # fields that are not given are symbolic
    variables: dict[str, Variable] = field(default_factory=dict)
    overlays: list[Overlay] = field(default_factory=list)

    @contextmanager
    def others(self, symbolic: bool) -> Iterator[None]:
        """Decide for the body what fields are that are not given: symbolic or their defaults."""
        before, self.rest = self.rest, symbolic
        yield
        self.rest = before

    def add(self, table: Table, key: str, variable: Variable) -> Variable:
        """Keep a variable and return it; the table and the key are the place for errors."""
        if not _NAME.fullmatch(variable.name) or variable.name in self.variables:
            table.fail(key, variable.name, "a name of its own in small letters for the symbolic field")
        if len(self.variables) >= MOST_VARIABLES:
            table.fail(key, variable.name, f"at most {MOST_VARIABLES} symbolic fields in a step")
        if variable.bits > MOST_BITS:
            table.fail(key, variable.bits, f"at most {MOST_BITS} symbolic bits")
        self.variables[variable.name] = variable
        return variable


def read_value(table: Table, key: str, path: str, bits: int, default: int, inputs: Inputs) -> int | Variable:
    """Return the number of a field, or its variable; `path` is the field's place in the message."""
    kind = field_kind(path)
    value = table.get(key, "", lambda value: True, None)
    if value is None:
        if not inputs.rest:
            return default
        value = SYMBOLIC_TEXT
    if value == SYMBOLIC_TEXT:
        return inputs.add(table, key, Variable(inputs.prefix + path, bits, default))
    if isinstance(value, Entries):
        return _constrained(table.table(key), path, bits, default, inputs)
    return read_number(table, key, value, kind, bits, inputs)


def _constrained(table: Table, path: str, bits: int, default: int, inputs: Inputs) -> Variable:
    kind = field_kind(path)

    def number(key: str, otherwise: int) -> int:
        value = table.get(key, "", lambda value: True, None)
        return otherwise if value is None else read_number(table, key, value, kind, bits, inputs)

    table.get(SYMBOLIC_TEXT, "true", lambda value: value is True, True)
    low, high = number("min", 0), number("max", (1 << bits) - 1)
    if low > high:
        table.fail("max", high, f"a number of at least min, {low}")
    ranges: list[tuple[int, int]] = [(low, high)]
    listed = table.get("values", "a list of values", lambda value: isinstance(value, list), None)
    if listed is not None:
        if "min" in table or "max" in table:
            table.fail("values", listed, "no min or max beside values")
        if not 0 < len(listed) <= MOST_RANGES:
            table.fail("values", listed, f"1 to {MOST_RANGES} values")
        ranges = _merged([_range(table, each, kind, bits, inputs) for each in listed])
    everything = ranges == [(0, (1 << bits) - 1)]
    usual = default if any(first <= default <= last for first, last in ranges) else ranges[0][0]
    variable = Variable(inputs.prefix + path, bits, number("default", usual), () if everything else tuple(ranges))
    if not variable.allows(variable.default):
        table.fail("default", variable.default, "one of the values that the field may have")
    table.close()
    return inputs.add(table, "", variable)


def _range(table: Table, each: Any, kind: str, bits: int, inputs: Inputs) -> tuple[int, int]:
    if not isinstance(each, list):
        number = read_number(table, "values", each, kind, bits, inputs)
        return number, number
    if len(each) != 2:
        table.fail("values", each, "a value, or a pair of the first and the last value of a range")
    low, high = (read_number(table, "values", one, kind, bits, inputs) for one in each)
    if low > high:
        table.fail("values", each, "a range whose first value is not above its last")
    return low, high


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def read_number(table: Table, key: str, value: Any, kind: str, bits: int, inputs: Inputs) -> int:
    """Return the number that a value stands for."""
    known = constants(kind, inputs.version, inputs.message)
    most = (1 << bits) - 1
    found = _number_of_text(value, kind, known) if isinstance(value, str) else value
    if type(found) is not int or not 0 <= found <= most:
        address = {MAC_VALUE: ", a MAC address", IP4_VALUE: ", an IPv4 address", IP6_VALUE: ", an IPv6 address"}.get(
            kind, ""
        )
        names = f", one of {', '.join(known)}" if known else ""
        table.fail(key, value, f'a number from 0 to {most:#x}{address}{names}, or "{SYMBOLIC_TEXT}"')
    return found


def _number_of_text(text: str, kind: str, known: Mapping[str, int]) -> int | None:
    for name, number in known.items():
        if text.upper() in (name, name.partition("_")[2] if name.startswith("OFP") else name):
            return number
    try:
        if kind == MAC_VALUE:
            return mac(text)
        if kind in (IP4_VALUE, IP6_VALUE) and (":" in text) == (kind == IP6_VALUE):
            return ip(text)
    except AddressError:
        pass
    return None


def read_octets_text(table: Table, key: str, value: str, most: int) -> bytes:
    """Return the octets of a text of hexadecimal digits."""
    try:
        data = bytes.fromhex(value)
    except ValueError:
        table.fail(key, value, "pairs of hexadecimal digits")
    if len(data) > most:
        table.refuse(key, f"{len(data)} octets long", f"at most {most} octets")
    return data
