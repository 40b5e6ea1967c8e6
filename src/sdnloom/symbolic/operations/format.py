"""Formatting that keeps symbolic parts: `%`, `str.format` and f-strings.

The format is plain text. Each field becomes a text, and all are joined. A field that no style can write is
concretised.
"""

import re
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, Final

from sdnloom.symbolic.values.make import SIMPLE, SYMBOLIC, concrete, concretise_all, has_symbolic, writes_itself
from sdnloom.symbolic.values.number_styles import SPEC
from sdnloom.symbolic.values.sym_bytes import joined_bytes
from sdnloom.symbolic.values.sym_int import SymInt
from sdnloom.symbolic.values.sym_str import SymStr, joined_text, text_of_int

_PERCENT: Final = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-#0 +]*)(?P<width>\*|\d*)(?:\.(?P<digits>\*|\d*))?(?P<type>.)", re.DOTALL
)


def format_percent(form: Any, args: Any) -> Any:
    """Return `form % args` of plain text or bytes with symbolic arguments."""
    if isinstance(form, bytes):
        return _percent_bytes(form, args)
    parts: list[str] = []
    values = iter(args if isinstance(args, tuple) else (args,))
    end = 0
    for field in _PERCENT.finditer(form):
        parts.append(form[end : field.start()])
        end = field.end()
        if field["type"] == "%":
            parts.append("%")
            continue
        if "*" in (field["width"], field["digits"]):
            return _concretise_all(form, args, "%")
        if field["key"] is not None:
            if not isinstance(args, Mapping):
                raise TypeError("format requires a mapping")
            value = args[field["key"]]
        else:
            try:
                value = next(values)
            except StopIteration:
                raise TypeError("not enough arguments for format string") from None
        parts.append(_field(field, value))
    if "%" in form[end:]:
        return _concretise_all(form, args, "%")
    if isinstance(args, tuple) and next(values, _NONE) is not _NONE:
        raise TypeError("not all arguments converted during string formatting")
    parts.append(form[end:])
    return joined_text(parts)


_NONE: Final = object()


def _field(field: re.Match[str], value: Any) -> str:
    kind, flags, width, digits = field["type"], field["flags"], field["width"], field["digits"] or ""
    key = field["key"]
    form = field.group().replace(f"({key})", "", 1) if key is not None else field.group()
    if kind in "sr" and type(value) not in SIMPLE:
        value = to_str(value) if kind == "s" else to_repr(value)
        if isinstance(value, SymStr) and not digits and "#" not in flags:
            return _padded(value, flags, width)
        form = f"{form[:-1]}s"
    if isinstance(value, SymInt) and kind in "diuxX":
        kind = "d" if kind in "iu" else kind
        if not digits and "-" not in flags and SPEC.fullmatch(f"{flags}{width}{kind}"):
            return text_of_int(value, f"{flags}{width}{kind}")
        if digits and not flags and not width and kind in "xX" and value >= 0:
            return text_of_int(value, f"0{digits}{kind}")
    if kind == "c" and isinstance(value, SymStr) and not digits:
        return _padded(value, flags, width)
    if has_symbolic(value):
        concretise_all(value, "%")
    return str(form % (concrete(value),))


def to_str(value: Any) -> str:
    """Return `str(value)`; a container with symbolic values is concretised, because C writes its elements."""
    if _in_container(value):
        concretise_all(value, "str of a container")
        return str(concrete(value))
    return symbolic_str(value)


def to_repr(value: Any) -> str:
    """Return `repr(value)`; a container with symbolic values is concretised, because C writes its elements."""
    if _in_container(value):
        concretise_all(value, "repr of a container")
        return repr(concrete(value))
    return repr(value)


def _in_container(value: Any) -> bool:
    """Return whether a value is a container of C with symbolic elements; a class in Python writes them itself."""
    return type(value) not in SYMBOLIC and not writes_itself(type(value)) and has_symbolic(value)


def _padded(text: str, flags: str, width: str) -> str:
    if not width:
        return text
    found: str = text.ljust(int(width)) if "-" in flags else text.rjust(int(width))
    return found


def _concretise_all(form: Any, args: Any, construct: str) -> Any:
    concretise_all(args, construct)
    return form % concrete(args)


def _percent_bytes(form: bytes, args: Any) -> bytes:
    parts: list[Any] = []
    values = list(args) if isinstance(args, tuple) else [args]
    chunks = form.split(b"%s")
    if len(chunks) - 1 != len(values) or any(b"%" in chunk for chunk in chunks):
        found: bytes = _concretise_all(form, args, "% of bytes")
        return found
    for chunk, value in zip(chunks, [*values, b""], strict=True):
        parts += [chunk, value]
    return joined_bytes(b"", parts)


def symbolic_str(value: Any) -> str:
    """Return `str(value)`, symbolic if the value is."""
    if isinstance(value, SymStr):
        return value
    return text_of_int(value, "d") if isinstance(value, SymInt) else str(value)


class _SymbolicFormatter(Formatter):
    """The formatter of the standard library; symbolic fields stay symbolic."""

    def vformat(self, format_string: str, args: Any, kwargs: Any) -> Any:
        parts: list[str] = []
        automatic = 0
        for literal, name, spec, conversion in self.parse(format_string):
            parts.append(literal)
            if name is None:
                continue
            if name == "" or name[0] in ".[":
                name = f"{automatic}{name}"
                automatic += 1
            value, _ = self.get_field(name, args, kwargs)
            if spec and "{" in spec:
                fields = spec.count("{}")
                rest = [args[automatic + position] for position in range(fields)]
                automatic += fields
                spec = concrete(self.vformat(spec, rest if fields else args, kwargs))
            parts.append(format_value(value, conversion, spec or ""))
        return joined_text(parts)


def format_value(value: Any, conversion: str | None, spec: str) -> str:
    """Return a value converted and formatted like a field of a format."""
    if conversion == "s":
        value = symbolic_str(value)
    elif conversion in ("r", "a"):
        value = to_repr(value) if conversion == "r" else ascii(concrete(value))
    if _in_container(value):
        concretise_all(value, "format of a container")
        value = concrete(value)
    return value.__format__(spec) if type(value) in SYMBOLIC else format(value, spec)


def format_text(form: str, args: Iterable[Any], kwargs: Mapping[str, Any]) -> str:
    """Return `form.format(*args, **kwargs)`; symbolic fields stay symbolic."""
    found: str = _SymbolicFormatter().vformat(form, list(args), kwargs)
    return found
