"""Reading of result documents: strict, with a limit on everything; nothing in a file is evaluated.

Laws: what `document.result_document` writes is read as equal values; every lane and every number of a step that is
named exists. An error names the file, the place, what was found and what was expected.
"""

import json
import math
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from sdnloom.errors import SdnloomError, json_problem
from sdnloom.report.view.document import RESULT_SCHEMA
from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneKind,
    LaneState,
    LaneView,
    OrderingView,
    ResultKind,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferKind,
    TransferView,
    ViewVerdict,
    WireView,
)

MOST_RESULT_BYTES: Final = 256 << 20
_MOST_VALUES: Final = 20_000_000  # a list of empty lists takes 20 times its size in memory
_LARGEST: Final = (1 << 53) - 1
_T = TypeVar("_T")


class ResultFileError(SdnloomError):
    """A file with results that cannot be used, and why."""


def read_results(file: str | Path) -> tuple[ResultView, ...]:
    """Return the results of a file."""
    file = Path(file)
    return parse_results(bounded_bytes(file, "result"), str(file))


def bounded_bytes(file: Path, what: str) -> bytes:
    """Return the contents of a regular file that is not too large; `what` names it in errors."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # a device may have no end, a pipe no writer
            kind = "directory" if stat.S_ISDIR(found.st_mode) else "device or pipe"
            raise ResultFileError(f"{file}: expected a file with a {what}, found a {kind}")
        if found.st_size > MOST_RESULT_BYTES:
            raise ResultFileError(f"{file}: {found.st_size:,} bytes; expected at most {MOST_RESULT_BYTES:,}")
        return file.read_bytes()
    except OSError as error:
        raise ResultFileError(f"{file}: cannot read the {what}: {error.strerror}") from error


def parse_results(text: bytes, source: str = "result") -> tuple[ResultView, ...]:
    """Return the results of a document; `source` names it in errors."""
    return views_of_document(json_value(text, source), source)


def json_value(text: bytes, source: str) -> Any:
    """Return the value of a JSON text of a stranger: no key twice, no NaN, not too many values."""
    if sum(map(text.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        raise ResultFileError(f"{source}: more than {_MOST_VALUES:,} values")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        problem = json_problem(text, error, "a trace or result that sdnloom has written")
        raise ResultFileError(f"{source}: {problem}") from error


def views_of_document(document: Any, source: str) -> tuple[ResultView, ...]:
    """Return the results of a document that is parsed already."""
    if not isinstance(document, dict):
        raise _wrong(source, "the document", document, "an object")
    if document.get("schema") != RESULT_SCHEMA:
        raise _wrong(source, "schema", document.get("schema"), repr(RESULT_SCHEMA))
    return _Place(source, "", document, ("schema", "results")).each("results", _result)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _wrong(source: str, place: str, value: Any, expected: str) -> ResultFileError:
    shown = type(value).__name__ if isinstance(value, dict | list) else ascii(value)[:80]
    return ResultFileError(f"{source}: {place} is {shown}; expected {expected}")


class _Place:
    """An object of a document with exactly these keys, and where it is."""

    def __init__(self, source: str, place: str, value: Any, keys: Sequence[str]) -> None:
        self.source, self.place, self._value = source, place, value
        if not isinstance(value, dict):
            raise _wrong(source, place, value, "an object")
        if value.keys() != {*keys}:
            odd = sorted(value.keys() ^ {*keys})[0]
            what = "unknown" if odd in value else "missing"
            raise ResultFileError(
                f"{source}: {self.at(ascii(odd)[1:-1][:80])} is {what}; expected the keys {', '.join(keys)}"
            )

    def at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def wrong(self, key: str, value: Any, expected: str) -> ResultFileError:
        return _wrong(self.source, self.at(key), value, expected)

    def raw(self, key: str) -> Any:
        return self._value[key]

    def text(self, key: str) -> str:
        value = self._value[key]
        if not isinstance(value, str):
            raise self.wrong(key, value, "a text")
        return value

    def flag(self, key: str) -> bool:
        value = self._value[key]
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def number(self, key: str, low: int = 0, high: int = _LARGEST) -> int:
        return self.whole(key, self._value[key], low, high)

    def whole(self, key: str, value: Any, low: int, high: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            expected = f"a whole number from {low} to {high}" if low <= high else "nothing: no number fits here"
            raise self.wrong(key, value, expected)
        return value

    def numbers(self, key: str, low: int, high: int) -> tuple[int, ...]:
        return self.wholes(key, self._value[key], low, high)

    def wholes(self, key: str, value: Any, low: int, high: int) -> tuple[int, ...]:
        found = self.items(key, value)
        return tuple(self.whole(f"{key}[{index}]", each, low, high) for index, each in enumerate(found))

    def choice(self, key: str, names: tuple[str, ...]) -> Any:
        value = self._value[key]
        if not isinstance(value, str) or value not in names:
            raise self.wrong(key, value, f"one of {', '.join(names)}")
        return value

    def items(self, key: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.wrong(key, value, "a list")
        return value

    def each(self, key: str, read: "Callable[[_Read], _T]") -> tuple[_T, ...]:
        found = self.items(key, self._value[key])
        return tuple(read(_Read(self.source, self.at(f"{key}[{index}]"), one)) for index, one in enumerate(found))

    def texts(self, key: str) -> tuple[str, ...]:
        for index, one in enumerate(self.items(key, self._value[key])):
            if not isinstance(one, str):
                raise self.wrong(f"{key}[{index}]", one, "a text")
        return tuple(self._value[key])

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        found = self.items(key, self._value[key])
        for index, one in enumerate(found):
            if not (isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one)):
                raise self.wrong(f"{key}[{index}]", one, "a list of two texts")
        return tuple((one[0], one[1]) for one in found)

    def mapping(self, key: str) -> dict[str, Any]:
        value = self._value[key]
        if not isinstance(value, dict):
            raise self.wrong(key, value, "an object")
        return value

    def known(self, key: str, name: Any, names: "Mapping[str, object]") -> str:
        if not isinstance(name, str) or name not in names:
            raise self.wrong(key, name, f"a lane of the trace: {', '.join([*names][:10])}")
        return name


class _Read:
    """A value of a document that is still to be read as an object."""

    def __init__(self, source: str, place: str, value: Any) -> None:
        self._source, self._place, self._value = source, place, value

    def object(self, *keys: str) -> _Place:
        return _Place(self._source, self._place, self._value, keys)


def _result(read: _Read) -> ResultView:
    one = read.object(
        "kind", "name", "verdict", "headline", "properties", "facts", "seconds", "version", "findings"
    )  # fmt: skip
    seconds = one.raw("seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < math.inf:
        raise one.wrong("seconds", seconds, "a number of seconds, 0 or more")
    return ResultView(
        kind=one.choice("kind", get_args(ResultKind)),
        name=one.text("name"),
        verdict=one.choice("verdict", get_args(ViewVerdict)),
        headline=one.text("headline"),
        properties=one.texts("properties"),
        findings=one.each("findings", _finding),
        facts=one.pairs("facts"),
        seconds=float(seconds),
        version=one.text("version"),
    )


def _finding(read: _Read) -> FindingView:
    one = read.object("property", "message", "facts", "file", "line", "trace_file", "known", "trace")
    trace = one.raw("trace")
    return FindingView(
        property=one.text("property"),
        message=one.text("message"),
        trace=None if trace is None else _trace(_Read(one.source, one.at("trace"), trace)),
        facts=one.pairs("facts"),
        file=one.text("file"),
        line=one.number("line"),
        trace_file=one.text("trace_file"),
        known=one.flag("known"),
    )


_TRACE: Final = ("length", "lanes", "wires", "marked", "orderings", "lines", "functions", "initial", "steps")


def _trace(read: _Read) -> TraceView:
    one = read.object(*_TRACE)
    lanes = one.each("lanes", _lane)
    names = {lane.name: None for lane in lanes}
    if len(names) < len(lanes):
        raise one.wrong("lanes", [], f"lanes with different names, not {len(lanes) - len(names)} of them twice")
    lines = tuple(StateLine(part, text) for part, text in one.pairs("lines"))
    reader = _StepReader(len(one.items("steps", one.raw("steps"))), names, lines, one.each("functions", _function))
    return TraceView(
        lanes=lanes,
        steps=one.each("steps", reader.step),
        wires=one.each("wires", reader.wire),
        initial=reader.states(one, "initial"),
        orderings=one.each("orderings", reader.ordering),
        marked=one.numbers("marked", 1, reader.count),
        length=one.text("length"),
    )


def _lane(read: _Read) -> LaneView:
    one = read.object("name", "kind")
    return LaneView(one.text("name"), one.choice("kind", get_args(LaneKind)))


def _function(read: _Read) -> CodeView:
    one = read.object("file", "function", "first", "lines")
    return CodeView(one.text("file"), one.text("function"), one.number("first"), one.texts("lines"), ())


class _StepReader:
    """Reads the steps of one trace, in order."""

    def __init__(
        self, count: int, lanes: Mapping[str, object], lines: tuple[StateLine, ...], functions: tuple[CodeView, ...]
    ) -> None:
        self.count = count
        self._lanes, self._lines, self._functions = lanes, lines, functions
        self._number = 0  # of the step that is read

    def step(self, read: _Read) -> StepView:
        one = read.object(
            "number", "lane", "action", "text", "long", "takes", "effects", "transfers", "causes", "clock", "code",
            "changes", "wires", "environment",
        )  # fmt: skip
        self._number += 1
        clock = {
            one.known("clock", lane, self._lanes): one.whole(f"clock.{lane}", count, 0, _LARGEST)
            for lane, count in one.mapping("clock").items()
        }
        return StepView(
            number=one.number("number", self._number, self._number),
            lane=one.known("lane", one.raw("lane"), self._lanes),
            action=one.text("action"),
            text=one.text("text"),
            long=one.text("long"),
            takes=one.text("takes"),
            effects=one.texts("effects"),
            transfers=one.each("transfers", self._transfer),
            causes=one.numbers("causes", 1, self._number - 1),
            clock=clock,
            code=one.each("code", self._code),
            changes=self.states(one, "changes"),
            wires=None if one.raw("wires") is None else one.each("wires", self.wire),
            environment=one.flag("environment"),
        )

    def _transfer(self, read: _Read) -> TransferView:
        one = read.object("to", "text", "kind", "taken", "long", "packet", "port", "to_port", "data")
        data = one.text("data")
        try:
            octets = bytes.fromhex(data)
        except ValueError:
            octets = b""
        if octets.hex() != data:
            raise one.wrong("data", data, "octets as hexadecimal digits in lower case, two for each")
        return TransferView(
            to=one.known("to", one.raw("to"), self._lanes),
            text=one.text("text"),
            kind=one.choice("kind", get_args(TransferKind)),
            taken=None if one.raw("taken") is None else one.number("taken", self._number, self.count),
            long=one.text("long"),
            packet=one.text("packet"),
            port=one.text("port"),
            to_port=one.text("to_port"),
            data=octets,
        )

    def _code(self, read: _Read) -> CodeView:
        one = read.object("function", "ran")
        found = self._functions[one.number("function", 0, len(self._functions) - 1)]
        return CodeView(found.file, found.function, found.first, found.lines, one.numbers("ran", 0, _LARGEST))

    def wire(self, read: _Read) -> WireView:
        one = read.object("one", "one_port", "other", "other_port", "control", "up")
        return WireView(
            one.known("one", one.raw("one"), self._lanes),
            one.text("one_port"),
            one.known("other", one.raw("other"), self._lanes),
            one.text("other_port"),
            one.flag("control"),
            one.flag("up"),
        )

    def ordering(self, read: _Read) -> OrderingView:
        one = read.object("first", "second", "text", "matters", "removes")
        removes = one.raw("removes")
        if removes is not None and not isinstance(removes, bool):
            raise one.wrong("removes", removes, "true, false or null")
        first = one.number("first", 1, self.count)
        second = one.number("second", 1, self.count)
        return OrderingView(first, second, one.text("text"), one.flag("matters"), removes)

    def states(self, one: _Place, key: str) -> dict[str, LaneState]:
        found = {}
        for lane, numbers in one.mapping(key).items():
            one.known(key, lane, self._lanes)
            chosen = one.wholes(f"{key}.{lane}", numbers, 0, len(self._lines) - 1)
            found[lane] = tuple(self._lines[number] for number in chosen)
        return found
