"""Texts for atoms and types that are the same in every process."""

from types import FunctionType, ModuleType
from typing import Any


def atom_text(atom: Any) -> str:
    """Return the text of an atom; different for different types and values."""
    if type(atom) is int and atom.bit_length() > 10_000:
        return hex(atom)  # its decimal text is refused by Python
    return repr(atom)


def label(target: Any) -> str:
    """Return the label of an object in a digest: its type, and for code and modules their name."""
    if isinstance(target, ModuleType):
        return f"module {target.__name__}"
    if isinstance(target, type | FunctionType):
        word = "class" if isinstance(target, type) else "function"
        return f"{word} {target.__module__}.{target.__qualname__}"
    kind = type(target)
    return f"{kind.__module__}.{kind.__qualname__}"
