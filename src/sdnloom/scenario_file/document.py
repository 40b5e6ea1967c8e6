"""TOML documents with includes. Each value keeps the file it was written in, so that errors name that file.

`include = ["base.toml"]` merges the named files; keys of the including file override theirs, table by table. A list is
one value: it is replaced, not extended.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdnloom.errors import SdnloomError

MOST_BYTES = 4 << 20
MOST_FILES = 100


class ScenarioError(SdnloomError):
    """A scenario that cannot be used. The message names file, key, value and what was expected."""


def shown(value: Any) -> str:
    """A value for a message: in TOML's notation, and at most 80 characters long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Entries | dict):
        return "a table"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a number of more than 40 digits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


@dataclass(frozen=True)
class Entry:
    """A value and the file it was written in. Tables are Entries, so that includes can be merged into them."""

    value: Any
    file: Path


@dataclass(frozen=True)
class Entries:
    """A table of a document."""

    entries: dict[str, Entry]

    def merged(self, over: "Entries") -> "Entries":
        """This table with the keys of another one over it."""
        results = dict(self.entries)
        for key, entry in over.entries.items():
            known = results.get(key)
            if known is not None and isinstance(known.value, Entries) and isinstance(entry.value, Entries):
                results[key] = Entry(known.value.merged(entry.value), entry.file)
            else:
                results[key] = entry
        return Entries(results)


def read_document(file: Path) -> Entries:
    """The document of a file, with everything that it includes."""
    return _load(file, (), {})


def as_document(table: dict[str, Any], file: Path) -> Entries:
    """A table as a document; errors name the file."""
    return _entries(table, file)


def parse_toml(text: str, file: Path) -> dict[str, Any]:
    """The table of a TOML text. Errors name the file; includes are not followed."""
    return _parse(text.encode("utf-8", "surrogatepass"), file)


def _load(file: Path, under: tuple[Path, ...], known: dict[Path, Entries]) -> Entries:
    place = file.resolve()
    if place in known:
        return known[place]
    chain = [*(one.name for one in under), place.name]
    if place in under:
        raise ScenarioError(
            f"{under[-1].name}: include {str(file)!r} comes back to itself: {' -> '.join(chain)}; "
            "expected files without an include cycle"
        )
    if len(under) >= MOST_FILES:
        raise ScenarioError(f"{file}: {len(under)} files include each other in a chain; expected at most {MOST_FILES}")
    own = _entries(_parse(_read(file, under), file), file)
    included = own.entries.pop("include", None)
    merged = Entries({})
    for name in _names(included):
        merged = merged.merged(_load(file.parent / name, (*under, place), known))
    known[place] = merged.merged(own)
    return known[place]


def _read(file: Path, under: tuple[Path, ...]) -> bytes:
    asked = f"{under[-1].name}: include: " if under else ""
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ScenarioError(f"{asked}{file}: cannot read the scenario: {reason}; expected a TOML file") from error
    if len(content) > MOST_BYTES:
        raise ScenarioError(f"{asked}{file}: more than {MOST_BYTES} bytes; expected a smaller TOML file")
    return content


def _parse(content: bytes, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{file}: byte {error.start} is not UTF-8; expected a TOML file") from error
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        trace = "; a trace is for sdnloom replay" if file.name.endswith(".sdnloom-trace.json") else ""
        raise ScenarioError(f"{file}: not TOML: {reason}{trace}") from error


def _entries(table: dict[str, Any], file: Path) -> Entries:
    return Entries({key: Entry(_entries(v, file) if isinstance(v, dict) else v, file) for key, v in table.items()})


def _names(included: Entry | None) -> list[str]:
    if included is None:
        return []
    names = [included.value] if isinstance(included.value, str) else included.value
    if not isinstance(names, list) or not all(isinstance(name, str) and name and "\0" not in name for name in names):
        raise ScenarioError(
            f"{included.file}: include is {shown(included.value)}; expected a file name or a list of file names"
        )
    return names
