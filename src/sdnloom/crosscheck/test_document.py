"""Test files: TOML, or the same tables from another source, read strictly into a SwitchTest.

A document may come from a stranger: everything has a limit, and nothing in it is run. A file needs no name inside; the
document of a SwitchTest always has one.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sdnloom.crosscheck.switch_test import Case, CaseStep, MessageStep, PacketStep, SwitchTest, TimeStep, Variable
from sdnloom.crosscheck.template.message import read_message
from sdnloom.crosscheck.template.packet import read_packet_octets
from sdnloom.crosscheck.template.values import Inputs
from sdnloom.errors import SdnloomError
from sdnloom.network.openflow.constants import VERSION_NUMBERS
from sdnloom.scenario_file.document import as_document, parse_toml, shown
from sdnloom.scenario_file.table import Table
from sdnloom.symbolic.terms.constructors import any_, between, var
from sdnloom.symbolic.terms.node import Term

_SUITE: Final = Path(__file__).parent / "suite"
_MOST_CASES: Final = 32
_MOST_STEPS: Final = 16  # of a case
_MOST_SYMBOLIC: Final = 3  # messages of a case with symbolic fields
_MOST_MILLISECONDS: Final = 3_600_000
_PORT_NUMBERS: Final = (1, 2, 3)
_MOST_BYTES: Final = 1 << 20
_MOST_NESTED: Final = 8
_MOST_VALUES: Final = 20_000
_MOST_TEXT: Final = 20_000
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class TestFileError(SdnloomError):
    """A test that cannot be used. The message names the place, the value and what was expected."""

    __test__ = False  # for pytest, which takes every class Test... for tests


def built_in_tests() -> tuple[str, ...]:
    """Return the names of the tests that come with sdnloom."""
    return tuple(sorted(file.stem for file in _SUITE.glob("*.toml")))


def load_test(name: str) -> SwitchTest:
    """Return the built-in test of a name, or the test of a TOML file."""
    if name in built_in_tests():
        return _load(_SUITE / f"{name}.toml")
    if not name.endswith(".toml"):
        raise TestFileError(
            f"test {name[:80]!r} is unknown; expected one of {', '.join(built_in_tests())}, or a TOML file"
        )
    return _load(Path(name))


def _load(file: Path) -> SwitchTest:
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise TestFileError(f"{file}: cannot read the test: {reason}; expected a TOML file") from error
    if len(content) > _MOST_BYTES:
        raise TestFileError(f"{file}: more than {_MOST_BYTES} bytes; expected a smaller TOML file")
    return read_test(parse_toml(text, file), file)


def read_test(document: Mapping[str, Any], file: Path | None = None) -> SwitchTest:
    """Return the test of a document; without a file, errors name the test itself."""
    if not isinstance(document, Mapping):
        raise TestFileError(f"a test that is of type {type(document).__name__}; expected a table")
    stated = document.get("name")
    place = file or Path(str(stated) if _is_name(stated) else "test")  # a stranger's name may be anything
    plain = _plain(document, place)
    if file is not None:
        plain.setdefault("name", file.stem)
    table = Table(as_document(plain, place), place)
    name = table.get("name", "letters, digits, dots and hyphens, at most 64", _is_name)
    description = table.get("description", "one line of printable text", _is_line, "")
    version = VERSION_NUMBERS[table.choice("openflow", VERSION_NUMBERS, "1.0")]
    if "case" in table:
        rows = table.tables("case")
        if not 0 < len(rows) <= _MOST_CASES:
            table.refuse("case", f"a list of {len(rows)}", f"1 to {_MOST_CASES} cases")
        cases = tuple(_case(row, row.get("name", "a name such as long_body", _is_name), version) for row in rows)
        for row in rows:
            row.close()
    else:
        cases = (_case(table, "test", version),)
    names = [case.name for case in cases]
    if repeated := sorted({each for each in names if names.count(each) > 1}):
        table.refuse("case", f"a list with the name {repeated[0]} twice", "a name of its own for each case")
    table.close()
    return SwitchTest(name, version, cases, plain, description)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _plain(document: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """Return a copy of the document with plain values, after a look at its size, depth and types."""
    count = 0

    def copied(value: Any, depth: int, path: str) -> Any:
        nonlocal count
        count += 1
        if depth > _MOST_NESTED:
            raise TestFileError(f"{place}: nested more than {_MOST_NESTED} deep; expected a test")
        if count > _MOST_VALUES:
            raise TestFileError(f"{place}: more than {_MOST_VALUES} values; expected a smaller test")
        if isinstance(value, str) and len(value) > _MOST_TEXT:
            raise TestFileError(f"{place}: a text of {len(value)} characters; expected at most {_MOST_TEXT}")
        if isinstance(value, Mapping):
            dotted = f"{path}." if path else ""
            return {
                copied(_key(key, place), depth, path): copied(each, depth + 1, f"{dotted}{key}")
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [copied(each, depth + 1, f"{path}[{number}]") for number, each in enumerate(value)]
        if type(value) in (str, bool) or (type(value) is int and value.bit_length() <= 8 * _MOST_TEXT):
            return value
        raise TestFileError(f"{place}: {path} is {shown(value)}; expected a text, a whole number, a list or a table")

    found: dict[str, Any] = copied(document, 0, "")
    return found


def _key(key: Any, place: Path) -> str:
    if not isinstance(key, str) or len(key) > 80 or not key.isprintable():
        raise TestFileError(f"{place}: the key {str(key)[:40]!r}; expected a printable text of at most 80 characters")
    return key


def _case(table: Table, name: str, version: int) -> Case:
    fresh = table.choice("connection", ("fresh", "greeted"), "greeted") == "fresh"
    rows = table.tables("step")
    if not 0 < len(rows) <= _MOST_STEPS:
        if not rows:
            table.close()  # a misspelt key is why there are none
        table.refuse("step", f"a list of {len(rows)}", f"1 to {_MOST_STEPS} steps")
    steps: list[CaseStep] = []
    variables: list[Variable] = []
    symbolic = 0
    for number, row in enumerate(rows, 1):
        step, found = _step(row, number, version)
        symbolic += bool(found) and isinstance(step, MessageStep)
        if symbolic > _MOST_SYMBOLIC:
            row.refuse("", "a message with symbolic fields", f"at most {_MOST_SYMBOLIC} such messages")
        steps.append(step)
        variables += found
    return Case(name, tuple(steps), tuple(variables), fresh)


def _step(table: Table, number: int, version: int) -> tuple[CaseStep, list[Variable]]:
    kinds = [key for key in ("message", "packet", "advance") if key in table]
    if len(kinds) != 1:
        table.refuse("", f"a step with {' and '.join(kinds) or 'nothing to do'}", "one of message, packet, advance")
    step: CaseStep
    if kinds == ["message"]:
        step, inputs = read_message(table, number, version)
    elif kinds == ["packet"]:
        inputs = Inputs(f"p{number}.", version)
        port = table.get(
            "port", f"one of {_PORT_NUMBERS}", lambda value: type(value) is int and value in _PORT_NUMBERS, 1
        )
        step = PacketStep(port, read_packet_octets(table, inputs).parts())
    else:
        inputs = Inputs("", version)
        step = TimeStep(table.whole("advance", 1, _MOST_MILLISECONDS))
    table.close()
    # in the order of the wire, which is not that of reading
    return step, [inputs.variables[part.value] for part in _holes(step)]


def _holes(step: CaseStep) -> list[Any]:
    return [] if isinstance(step, TimeStep) else [part for part in step.parts if isinstance(part.value, str)]


def domain(case: Case) -> tuple[Term, ...]:
    """Return which inputs the case allows: a truth value for each variable with ranges."""
    return tuple(
        any_(*(between(var(variable.name, variable.bits), low, high) for low, high in variable.ranges))
        for variable in case.variables
        if variable.ranges
    )
