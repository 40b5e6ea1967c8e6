"""Values as text that is the same in every process: sets are sorted, so the hash seed has no effect."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def stable_text(value: Any) -> str:
    """The repr of a value with the elements of sets and the keys of mappings in sorted order."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    # A generated repr is wrapped against recursion; one that the class wrote itself is believed.
    if is_dataclass(value) and not isinstance(value, type) and hasattr(type(value).__repr__, "__wrapped__"):
        shown = ", ".join(f"{f.name}={stable_text(getattr(value, f.name))}" for f in fields(value) if f.repr)
        return f"{type(value).__qualname__}({shown})"
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            shown = ", ".join(f"{name}={stable_text(part)}" for name, part in zip(value._fields, value, strict=True))
            return f"{type(value).__name__}({shown})"
        inner = ", ".join(map(stable_text, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(stable_text, value))}]"
    if isinstance(value, frozenset | set):
        inner = "{" + ", ".join(sorted(map(stable_text, value))) + "}" if value else ""
        return f"{type(value).__name__}({inner})" if isinstance(value, frozenset) or not value else inner
    if isinstance(value, Mapping) and type(value).__repr__ is dict.__repr__:
        pairs = sorted((stable_text(key), stable_text(part)) for key, part in value.items())
        return "{" + ", ".join(f"{key}: {part}" for key, part in pairs) + "}"
    return repr(value)


def printable_text(text: str) -> str:
    """The text on one line: line ends and what a terminal would obey or cannot show are written as escapes."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
