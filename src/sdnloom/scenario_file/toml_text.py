"""Documents as TOML text, which `tomllib` reads back as the same document."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, Any]) -> str:
    """The document as TOML: plain keys first, then tables, then lists of tables.

    Law: `tomllib.loads(toml_text(document)) == document` for strings, finite numbers, booleans, lists and tables.
    """
    return "\n".join(_table("", document)).lstrip("\n") + "\n"


def _table(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a table without its own heading."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    lists = {key: value for key, value in table.items() if key not in inner and _is_table_list(value)}
    for key, value in table.items():
        if key not in inner and key not in lists:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        yield from ("", f"[{_joined(name, key)}]")
        yield from _table(_joined(name, key), value)
    for key, values in lists.items():
        for value in values:
            yield from ("", f"[[{_joined(name, key)}]]")
            yield from (f"{_key(one)} = {_value(part)}" for one, part in value.items())


def _is_table_list(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(isinstance(one, dict) for one in value)


def _joined(name: str, key: str) -> str:
    return f"{name}.{_key(key)}" if name else _key(key)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            inside = ", ".join(f"{_key(key)} = {_value(part)}" for key, part in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case _:
            return repr(value)


def _text(text: str) -> str:
    """A literal string where that is easier to read, such as for JSON; otherwise a basic one, escaped as in JSON."""
    if ("\\" in text or '"' in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
