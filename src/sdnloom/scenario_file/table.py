"""Strict reading of tables: every key is read by name and type, and a key that is not read is an error."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from sdnloom.engine.model import RestartRequired
from sdnloom.errors import SdnloomError, closest_name, did_you_mean
from sdnloom.scenario_file.document import Entries, Entry, ScenarioError, shown

_T = TypeVar("_T")
MOST = 1_000_000_000
_MISSPELT = 0.8  # how much a key is like one that is missing if it is that one, misspelt


class Table:
    """One table of a scenario. Law: after `close`, every key of the table has been read."""

    def __init__(self, entries: Entries, file: Path, where: str = "", parent: "Table | None" = None) -> None:
        """`parent` is the table that has none under this name."""
        self.file, self.where, self._parent = file, where, parent
        self._entries = entries.entries
        self._read: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def path(self, key: str) -> str:
        """The key with the path of its table, for messages."""
        return f"{self.where}.{key}" if self.where and key else self.where or key

    def file_of(self, key: str) -> Path:
        """The file that sets the key."""
        return self._entries[key].file if key in self._entries else self.file

    def fail(self, key: str, value: Any, expected: str) -> NoReturn:
        """Raise the error about a value."""
        raise ScenarioError(f"{self.file_of(key)}: {self.path(key)} is {shown(value)}; expected {expected}")

    def refuse(self, key: str, what: str, expected: str) -> NoReturn:
        """Raise the error about a value that is described and not shown, such as a list of the wrong length."""
        raise ScenarioError(f"{self.file_of(key)}: {self.path(key)} is {what}; expected {expected}")

    def get(self, key: str, expected: str, accept: Callable[[Any], bool], default: Any = ...) -> Any:
        """The value of a key if it is acceptable; the default if there is none."""
        self._read[key] = None
        entry: Entry | None = self._entries.get(key)
        if entry is None:
            if default is ...:
                self._refuse_missing(key, expected)
            return default
        if not accept(entry.value):
            self.fail(key, entry.value, expected)
        return entry.value

    def _refuse_missing(self, key: str, expected: str) -> NoReturn:
        """Raise the error about a key that is not there; if an unknown one is like it, that is the mistake."""
        if self._parent is not None:
            self._parent._refuse_alike(self.where.rpartition(".")[2], f"a table with {key}, {expected}")
        self._refuse_alike(key, expected)
        raise ScenarioError(f"{self.file}: {self.path(key)} is missing; expected {expected}")

    def _refuse_alike(self, key: str, expected: str) -> None:
        other = closest_name(key, [each for each in self._entries if each not in self._read], _MISSPELT)
        if other is not None:
            raise ScenarioError(
                f"{self.file_of(other)}: {self.path(other)} is unknown; did you mean {key}? expected {expected}"
            )

    def text(self, key: str, default: Any = ..., expected: str = "a string") -> Any:
        """A string that is not empty."""
        return self.get(key, expected, lambda v: isinstance(v, str) and v != "" and "\0" not in v, default)

    def whole(self, key: str, low: int = 0, high: int = MOST, default: Any = ...) -> Any:
        """A whole number."""
        expected = f"a whole number from {low} to {high}" if high != MOST else f"a whole number of at least {low}"
        return self.get(key, expected, lambda v: type(v) is int and low <= v <= high, default)

    def number(self, key: str, default: Any = ...) -> Any:
        """A positive number, such as seconds."""
        return self.get(key, "a positive number", lambda v: type(v) in (int, float) and 0 < v <= MOST, default)

    def flag(self, key: str, default: Any = ...) -> Any:
        """True or false."""
        return self.get(key, "true or false", lambda v: isinstance(v, bool), default)

    def choice(self, key: str, known: Iterable[str], default: Any = ...) -> Any:
        """One of several words."""
        names = list(known)
        value = self.text(key, default, f"one of {', '.join(names)}")
        if key in self._entries and value not in names:
            self.fail(key, value, f"one of {', '.join(names)}{did_you_mean(value, names)}")
        return value

    def texts(self, key: str, default: Any = ...) -> Any:
        """A list of strings."""
        return self.get(key, "a list of strings", lambda v: isinstance(v, list) and all(map(_is_text, v)), default)

    def plain(self, key: str, default: Any = ..., expected: str = "a value") -> Any:
        """Any value of strings, numbers, booleans, lists and tables, as plain Python values."""
        return _python(self.get(key, expected, lambda v: True, default))

    def table(self, key: str) -> "Table":
        """A table; an empty one if there is none."""
        value = self.get(key, "a table", lambda v: isinstance(v, Entries), Entries({}))
        return Table(value, self.file_of(key), self.path(key), None if key in self else self)

    def tables(self, key: str) -> list["Table"]:
        """A list of tables; an empty one if there is none."""
        items = self.get(key, "a list of tables", lambda v: isinstance(v, list), [])
        results = []
        for number, item in enumerate(items):
            if not isinstance(item, dict):
                self.fail_item(key, number, item, "a table")
            results.append(self.item(key, number, item))
        return results

    def item(self, key: str, number: int, item: dict[str, Any]) -> "Table":
        """A table inside a list."""
        file = self.file_of(key)
        entries = Entries({name: Entry(_nested(value, file), file) for name, value in item.items()})
        return Table(entries, file, f"{self.path(key)}[{number}]")

    def fail_item(self, key: str, number: int, value: Any, expected: str) -> NoReturn:
        """Raise the error about one item of a list."""
        raise ScenarioError(f"{self.file_of(key)}: {self.path(key)}[{number}] is {shown(value)}; expected {expected}")

    def beside(self, key: str, name: str) -> Path:
        """A file named in the scenario; relative names are relative to the file that sets the key."""
        return self.file_of(key).parent / name

    def keys(self) -> list[str]:
        """The keys that the table has."""
        return list(self._entries)

    def close(self) -> None:
        """Raise ScenarioError for a key that was not read."""
        for key in self._entries:
            if key not in self._read:
                known = ", ".join(self._read) or "no keys"
                raise ScenarioError(
                    f"{self.file_of(key)}: {self.path(key)} = {shown(self._entries[key].value)} is unknown; "
                    f"expected one of {known}{did_you_mean(key, self._read)}"
                )

    def calling(self, key: str, call: Callable[[], _T]) -> _T:
        """The result of the call; errors that it raises get the file and the key."""
        with self.errors_at(key):
            return call()

    @contextmanager
    def errors_at(self, key: str) -> Iterator[None]:
        """Add the file and the key to errors of the body."""
        try:
            yield
        except (ScenarioError, RestartRequired):
            raise  # a restart is a request to build again
        except SdnloomError as error:
            file = self.file_of(key)
            text = str(error).removeprefix(f"{file}: ")
            place = f"{self.path(key)}: " if self.path(key) else ""
            raise ScenarioError(f"{file}: {place}{text}") from error


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _nested(value: Any, file: Path) -> Any:
    if isinstance(value, dict):
        return Entries({key: Entry(_nested(part, file), file) for key, part in value.items()})
    return value


def _python(value: Any) -> Any:
    if isinstance(value, Entries):
        return {key: _python(entry.value) for key, entry in value.entries.items()}
    return value
