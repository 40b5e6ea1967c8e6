"""Short texts of values that are the same in every process, with a memo of their parts.

Like `stable_text`, but a part that comes again, such as a flow entry in the core of a switch, costs one lookup. What no
process can recognise in another one is left out: the address of an object, the hash seed.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from sdnloom.engine.stable_text import stable_text

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PLAIN = (int, str, bytes, bool, float, type(None))
_SIZE = 8  # octets of a digest


class ValueTexts:
    """The texts of values, by type and value. Law: equal values of one type that are plain data have equal texts."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, Any], str] = {}
        self._fields: dict[type, tuple[str, ...]] = {}

    def text(self, value: Any) -> str:
        """The repr of a plain value, a digest of any other."""
        kind = type(value)
        if kind in _PLAIN:
            return repr(value)
        try:
            known = self._known.get((kind, value))
            if known is None:
                known = self._known[kind, value] = digest_text(self._whole(kind, value))
        except TypeError:  # it cannot be hashed
            return digest_text(self._whole(kind, value))
        return known

    def _whole(self, kind: type, value: Any) -> str:
        """The text of a value, with those of its parts."""
        text = self.text
        if issubclass(kind, tuple | list):
            return f"{kind.__qualname__}({','.join(map(text, value))})"
        if issubclass(kind, frozenset | set):
            return f"{kind.__qualname__}{{{','.join(sorted(map(text, value)))}}}"
        if issubclass(kind, Enum):
            return f"{kind.__qualname__}.{value.name}"
        if is_dataclass(value):
            names = self._fields.get(kind)
            if names is None:
                names = self._fields[kind] = tuple(each.name for each in fields(value) if each.compare)
            return f"{kind.__qualname__}<{','.join([text(getattr(value, name)) for name in names])}>"
        if isinstance(value, Mapping):
            return (
                f"{kind.__qualname__}{{{','.join(sorted(f'{text(key)}:{text(part)}' for key, part in value.items()))}}}"
            )
        if kind.__repr__ is object.__repr__:
            return f"<{kind.__qualname__}>"
        return f"{kind.__qualname__} {_ADDRESS.sub('', stable_text(value))}"


def digest_text(text: str) -> str:
    """A digest of a text, as text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_SIZE).hexdigest()


def digest_number(text: str) -> int:
    """A digest of a text, as a number of 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
