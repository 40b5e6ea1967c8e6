"""Symbolic text: a sequence of pieces, each a literal, a written number, or single characters.

A text stays in pieces as long as it is only joined and compared as a whole; it becomes characters if a program looks
inside it. Text whose length depends on an input then forks on the length.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term
from sdnloom.symbolic.values.code_units import (
    CodeUnit,
    Digit,
    concretise_units,
    decide_among,
    is_concrete,
    term_of,
    unit_number,
)
from sdnloom.symbolic.values.fork import decide
from sdnloom.symbolic.values.number_styles import (
    DECIMAL,
    SPEC,
    IntegerStyle,
    Ipv4Style,
    Ipv6Style,
    MacStyle,
    NumberStyle,
)
from sdnloom.symbolic.values.sym_bytes import bytes_of_units, changed_case, digit_value
from sdnloom.symbolic.values.sym_int import SymInt, common_width, concrete_int, concretise_int, fit
from sdnloom.symbolic.values.sym_sequence import SymSequence, concretise_other_methods


@dataclass(frozen=True)
class WrittenNumber:
    """A piece of text: a number in a style."""

    number: SymInt
    style: NumberStyle

    def plain(self) -> str:
        """Return the text in this run."""
        return self.style.render(concrete_int(self.number))


@dataclass(frozen=True)
class Chars:
    """A piece of text: single characters."""

    text: str
    units: tuple[CodeUnit, ...]

    def plain(self) -> str:
        """Return the text in this run."""
        return self.text


Piece = str | WrittenNumber | Chars


class SymStr(SymSequence, str):
    """Text with terms; made by `text_of_number`, `text_of_units` and `joined_text`."""

    __class__ = property(lambda self: str)  # for the program; isinstance checks type() first
    kind = str
    blank = frozenset(code for code in range(256) if chr(code).isspace())
    pieces: tuple[Piece, ...]

    def concrete(self) -> str:
        return str.__str__(self)

    def units(self) -> tuple[CodeUnit, ...]:
        found: tuple[CodeUnit, ...] = ()
        for piece in self.pieces:
            found += _units_of_piece(piece)
        return found

    def concretise(self, construct: str) -> str:
        for piece in self.pieces:
            if isinstance(piece, WrittenNumber):
                concretise_int(piece.number, construct)
            elif isinstance(piece, Chars):
                concretise_units(piece.units, map(ord, piece.text), construct)
        return self.concrete()

    @classmethod
    def of_units(cls, value: str, units: tuple[CodeUnit, ...]) -> str:
        return text_of_units(value, units)

    @classmethod
    def units_of(cls, other: Any) -> tuple[CodeUnit, ...]:
        return units_of_text(other)

    def at(self, index: int, units: tuple[CodeUnit, ...]) -> str:
        return text_of_units(self.concrete()[index], (units[index],))

    def __bool__(self) -> bool:
        return True  # no style writes an empty text, and text without pieces is plain

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, str):
            return NotImplemented
        taken = self.concrete() == concrete_text(other)
        condition = _equality_of_pieces(self.pieces, pieces_of(other))
        if condition is not None:
            return decide(condition, taken)
        return SymSequence.__eq__(self, other)

    __hash__ = SymSequence.__hash__

    def __add__(self, other: Any) -> Any:
        return joined_text((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined_text((other, self)) if isinstance(other, str) else NotImplemented

    def __str__(self) -> str:
        return self

    def __repr__(self) -> str:
        if all(_repr_is_itself(piece) for piece in self.pieces):
            return joined_text(("'", self, "'"))
        return repr(self.concretise("repr of text"))

    def __format__(self, spec: str) -> str:
        spec = str(spec)
        if spec in ("", "s"):
            return self
        fill, body = (spec[0], spec[1:]) if len(spec) > 1 and spec[1] in "<>" else (" ", spec)
        align, size = (body[0], body[1:]) if body[0] in "<>" else ("<", body)
        size = size.removesuffix("s")
        if size.isdigit() and not size.startswith("0"):
            padded = self.ljust(int(size), fill) if align == "<" else self.rjust(int(size), fill)
            return str.__str__(padded) if not isinstance(padded, SymStr) else padded
        return format(self.concretise("format of text"), spec)

    def __mod__(self, args: Any) -> str:
        from sdnloom.symbolic.operations.format import format_percent  # the modules depend on each other

        found: str = format_percent(self.concretise("% with symbolic format"), args)
        return found

    # Searching and splitting by pieces, where no number can contain the text that is searched for.

    def __contains__(self, part: Any) -> bool:
        parts = self._split_by_pieces(part)
        if parts is not None:
            return len(parts) > 1
        if type(part) is str:
            for piece in self.pieces:
                if part in (":", ".") and isinstance(piece, WrittenNumber) and isinstance(piece.style, Ipv6Style):
                    return part == ":" or piece.style.decide_dots(piece.number)
            return self._has((part,), "", "", part in self.concrete())
        return SymSequence.__contains__(self, part)

    def __getitem__(self, index: Any) -> Any:
        """Return a part; only the fields that it can reach are taken apart into characters."""
        if isinstance(index, slice) and index.step is None:
            if index.start in (None, 0) and type(index.stop) is int and index.stop >= 0:
                return self._end_of_units(index.stop, from_left=True)
            if index.stop is None and type(index.start) is int and index.start < 0:
                return self._end_of_units(-index.start, from_left=False)
        return SymSequence.__getitem__(self, index)

    def _end_of_units(self, size: int, from_left: bool) -> Any:
        """Return the first or the last characters."""
        fields = split_into_fields(self.pieces, *_separators(self.pieces))
        units: tuple[CodeUnit, ...] = ()
        while fields and len(units) < size:
            piece = fields.pop(0 if from_left else -1)
            units = units + _units_of_piece(piece) if from_left else _units_of_piece(piece) + units
        plain = self.concrete()
        kept = plain[:size] if from_left else plain[max(0, len(plain) - size) :]
        return text_of_units(kept, units[:size] if from_left else units[max(0, len(units) - size) :])

    def find(self, part: Any, start: Any = None, end: Any = None) -> int:
        parts = self._split_by_pieces(part) if start is None and end is None else None
        if parts is None:
            return SymSequence.find(self, part, start, end)
        return len(parts[0]) if len(parts) > 1 else -1

    def rfind(self, part: Any, start: Any = None, end: Any = None) -> int:
        parts = self._split_by_pieces(part) if start is None and end is None else None
        if parts is None:
            return SymSequence.rfind(self, part, start, end)
        return len(self) - len(parts[-1]) - len(part) if len(parts) > 1 else -1

    def _split_by_pieces(self, separator: Any) -> list[str] | None:
        """Return the texts between separators if no characters must be compared for that, else None."""
        if type(separator) is not str or not separator:
            return None
        groups: list[list[str]] = [[]]
        for piece in split_into_fields(self.pieces, separator):
            if isinstance(piece, str):
                first, *rest = piece.split(separator)
                groups[-1].append(first)
                groups += [[each] for each in rest]
            elif isinstance(piece, WrittenNumber) and not set(piece.style.alphabet) & set(separator):
                groups[-1].append(_make_text((piece,)))
            else:
                return None
        return [joined_text(group) for group in groups]

    def split(self, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
        parts = self._split_by_pieces(sep) if type(maxsplit) is int else None
        if parts is None:
            return SymSequence.split(self, sep, maxsplit)
        return parts if not 0 <= maxsplit < len(parts) - 1 else [*parts[:maxsplit], text_join(sep, parts[maxsplit:])]

    def rsplit(self, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
        parts = self._split_by_pieces(sep) if type(maxsplit) is int else None
        if parts is None:
            return SymSequence.rsplit(self, sep, maxsplit)
        kept = len(parts) - maxsplit
        return parts if maxsplit < 0 or kept <= 1 else [text_join(sep, parts[:kept]), *parts[kept:]]

    def partition(self, sep: Any) -> tuple[Any, Any, Any]:
        parts = self._split_by_pieces(sep)
        if parts is None:
            return SymSequence.partition(self, sep)
        return (parts[0], sep, text_join(sep, parts[1:])) if len(parts) > 1 else (self, "", "")

    def rpartition(self, sep: Any) -> tuple[Any, Any, Any]:
        parts = self._split_by_pieces(sep)
        if parts is None:
            return SymSequence.rpartition(self, sep)
        return (text_join(sep, parts[:-1]), sep, parts[-1]) if len(parts) > 1 else ("", "", self)

    def count(self, part: Any, start: Any = None, end: Any = None) -> int:
        parts = self._split_by_pieces(part) if start is None and end is None else None
        return SymSequence.count(self, part, start, end) if parts is None else len(parts) - 1

    if sys.version_info >= (3, 13):  # `count` can be a keyword argument since then

        def replace(self, old: Any, new: Any, /, count: Any = -1) -> Any:
            return self._replace(old, new, count)

    else:

        def replace(self, old: Any, new: Any, count: Any = -1, /) -> Any:
            return self._replace(old, new, count)

    def _replace(self, old: Any, new: Any, count: Any) -> Any:
        only = self.pieces[0]
        if (
            (
                len(self.pieces) == 1
                and isinstance(only, WrittenNumber)
                and isinstance(only.style, MacStyle)
                and count == -1
            )
            and (type(old) is type(new) is str and old == only.style.separator)
            and not set(new) & set("0123456789abcdef")
        ):
            return text_of_number(only.number, MacStyle(only.style.octets, new))
        return SymSequence.replace(self, old, new, count)

    def startswith(self, prefix: Any, start: Any = None, end: Any = None) -> bool:
        wanted = prefix if type(prefix) is tuple else (prefix,)
        if start is not None or end is not None or not all(type(each) is str for each in wanted):
            return SymSequence.startswith(self, prefix, start, end)
        return self._has(wanted, "^", "", self.concrete().startswith(prefix))

    def endswith(self, suffix: Any, start: Any = None, end: Any = None) -> bool:
        wanted = suffix if type(suffix) is tuple else (suffix,)
        if start is not None or end is not None or not all(type(each) is str for each in wanted):
            return SymSequence.endswith(self, suffix, start, end)
        return self._has(wanted, "", r"\Z", self.concrete().endswith(suffix))

    def _has(self, parts: tuple[str, ...], before: str, after: str, taken: bool) -> bool:
        """Return whether one of these parts is at a place; forks once, whatever the lengths of numbers in the text."""
        from sdnloom.symbolic.shims.pattern_automaton import text_condition  # the modules depend on each other

        pattern = re.compile(f"{before}(?:{'|'.join(map(re.escape, parts))}){after}", re.DOTALL)
        condition = text_condition(pattern, self, "match" if before else "search") if parts else terms.FALSE
        if condition is not None:
            return decide(condition, taken)
        here = SymSequence.startswith if before else SymSequence.endswith if after else SymSequence.__contains__
        return any(here(self, each) for each in parts)

    def lower(self) -> str:
        return self._change_case(True)

    def upper(self) -> str:
        return self._change_case(False)

    casefold = lower

    def _change_case(self, lower: bool) -> str:
        same = self.concrete().lower() if lower else self.concrete().upper()
        if lower and all(
            (isinstance(p, str) and p.lower() == p) or (isinstance(p, WrittenNumber) and "X" not in str(p.style))
            for p in self.pieces
        ):
            return self
        if all(
            piece.upper() == piece.lower() if isinstance(piece, str)
            else isinstance(piece, WrittenNumber) and (isinstance(piece.style, Ipv4Style) or piece.style == DECIMAL)
            for piece in self.pieces
        ):  # fmt: skip
            return self
        return text_of_units(same, tuple(changed_case(unit, lower) for unit in self.units()))

    def strip(self, what: Any = None) -> Any:
        ends = (self.pieces[0], self.pieces[-1])
        if what is None and all(isinstance(piece, WrittenNumber) and not _padded(piece.style) for piece in ends):
            return self
        return SymSequence.strip(self, what)

    def isdigit(self) -> bool:
        return self._all(str.isdigit)

    def isdecimal(self) -> bool:
        return self._all(str.isdecimal)

    def isnumeric(self) -> bool:
        return self._all(str.isnumeric)

    def isalpha(self) -> bool:
        return self._all(str.isalpha)

    def isalnum(self) -> bool:
        return self._all(str.isalnum)

    def isspace(self) -> bool:
        return self._all(str.isspace)

    def isascii(self) -> bool:
        return self._all(str.isascii)

    def _all(self, test: Any) -> bool:
        """Return whether all characters pass a test; forks for each character whose result depends on an input."""
        for piece in self.pieces:
            if (
                isinstance(piece, WrittenNumber)
                and piece.style == DECIMAL
                and test in (str.isdigit, str.isdecimal, str.isnumeric, str.isalnum)
            ):
                if piece.number < 0:
                    return False
            elif isinstance(piece, WrittenNumber) and test is str.isascii:
                continue
            elif isinstance(piece, WrittenNumber) and piece.style.separator and not test(piece.style.separator):
                return False
            elif isinstance(piece, str):
                if not test(piece):
                    return False
            else:
                codes = [code for code in range(256) if test(chr(code))]
                for unit, char in zip(_units_of_piece(piece), piece.plain(), strict=True):
                    if not (test(char) if isinstance(unit, int) else decide_among(unit, ord(char), codes)):
                        return False
        return True

    def zfill(self, width: Any, /) -> str:
        signed = self[:1] in ("+", "-")
        found: str = self[:1] + self[1:].rjust(width - 1, "0") if signed else self.rjust(width, "0")
        return found

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        name = encoding.lower().replace("-", "").replace("_", "")
        units = self.units()
        if name in ("utf8", "ascii", "usascii"):
            for unit, char in zip(units, self.concrete(), strict=True):
                if isinstance(unit, Term) and not decide(
                    terms.eq(terms.extract(unit, 7, 7), terms.const(0, 1)), ord(char) < 128
                ):
                    return self.concretise(f"encode to {encoding}").encode(encoding, errors)
        elif name not in ("latin1", "iso88591"):
            return self.concretise(f"encode to {encoding}").encode(encoding, errors)
        if any(isinstance(unit, int) and unit > 127 for unit in units):
            return self.concretise(f"encode to {encoding}").encode(encoding, errors)
        return bytes_of_units(
            self.concrete().encode("latin-1"), tuple(c if isinstance(c, int) else term_of(c) for c in units)
        )

    def join(self, parts: Iterable[Any]) -> str:
        return text_join(self, parts)


concretise_other_methods(SymStr, str)


def _separators(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.style.separator for piece in pieces if isinstance(piece, WrittenNumber) and piece.style.separator]


def split_into_fields(pieces: tuple[Piece, ...], *separators: str) -> list[Piece]:
    """Return the pieces, with addresses that have one of these separators split into their fields."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, WrittenNumber) and piece.style.separator and piece.style.separator in separators:
            for position, (number, style) in enumerate(piece.style.fields(piece.number)):
                found += [piece.style.separator] if position else []
                found += pieces_of(text_of_number(number, style))
        else:
            found.append(piece)
    return list(_merged(found))


def _merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the pieces without empty ones, and with neighbouring literals and characters merged."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if isinstance(piece, str) and isinstance(last, str):
            merged[-1] = last + piece
        elif isinstance(piece, Chars) and isinstance(last, Chars):
            merged[-1] = Chars(last.text + piece.text, last.units + piece.units)
        elif piece:
            merged.append(piece)
    return tuple(merged)


def _repr_is_itself(piece: Piece) -> bool:
    """Return whether a piece is written between quotes as it is, for every input."""
    if isinstance(piece, str):
        return repr(piece) == f"'{piece}'"
    if isinstance(piece, WrittenNumber):
        return True
    return all(
        isinstance(unit, Digit) or (isinstance(unit, int) and _repr_is_itself(chr(unit))) for unit in piece.units
    )


def _padded(style: NumberStyle) -> bool:
    return isinstance(style, IntegerStyle) and style.padded and not style.zeros


def _units_of_piece(piece: Piece) -> tuple[CodeUnit, ...]:
    if isinstance(piece, str):
        return tuple(map(ord, piece))
    if isinstance(piece, Chars):
        return piece.units
    units = piece.style.expand(piece.number)
    if units is None:
        concretise_int(piece.number, "characters of an address")
        return tuple(map(ord, piece.plain()))
    return units


def concrete_text(text: str) -> str:
    """Return the text without its terms."""
    return str.__str__(text)


def pieces_of(text: str) -> tuple[Piece, ...]:
    """Return the pieces of any text."""
    return text.pieces if isinstance(text, SymStr) else (concrete_text(text),)


def units_of_text(text: str) -> tuple[CodeUnit, ...]:
    """Return the characters of any text."""
    return text.units() if isinstance(text, SymStr) else tuple(map(ord, text))


def text_of_number(number: int, style: NumberStyle) -> str:
    """Return the text of a number in a style."""
    if not isinstance(number, SymInt):
        return style.render(number)
    return _make_text((WrittenNumber(number, style),))


def text_of_int(number: SymInt, spec: str) -> str:
    """Return `format(number, spec)`."""
    spec = spec or "d"
    if SPEC.fullmatch(spec):
        return text_of_number(number, IntegerStyle(spec))
    return format(concretise_int(number, "format of int"), spec)


def text_of_units(value: str, units: tuple[CodeUnit, ...]) -> str:
    """Return a text with these characters; plain text if none depends on an input."""
    return concrete_text(value) if is_concrete(units) else _make_text((Chars(concrete_text(value), units),))


def joined_text(texts: Iterable[str]) -> str:
    """Return the concatenation of the texts."""
    return _make_text(_merged(piece for text in texts for piece in pieces_of(text)))


def text_join(separator: str, parts: Iterable[Any]) -> str:
    """Return `separator.join(parts)`."""
    texts: list[str] = []
    for number, part in enumerate(parts):
        if not isinstance(part, str):
            raise TypeError(f"sequence item {number}: expected str instance, {type(part).__name__} found")
        texts += [separator, part] if number else [part]
    return joined_text(texts)


def _make_text(pieces: tuple[Piece, ...]) -> str:
    plain_text = "".join(piece if isinstance(piece, str) else piece.plain() for piece in pieces)
    if all(isinstance(piece, str) for piece in pieces):
        return plain_text
    symbolic = str.__new__(SymStr, plain_text)
    symbolic.pieces = pieces
    return symbolic


def _equality_of_pieces(left: tuple[Piece, ...], right: tuple[Piece, ...]) -> Term | None:
    """Return the condition that two texts are equal if no characters must be compared for that, else None."""
    if len(right) == 1 and isinstance(right[0], str):
        return _equality_with_literal(left, right[0])
    if len(left) == 1 and isinstance(left[0], str):
        return _equality_with_literal(right, left[0])
    found = _equality_piece_by_piece(left, right)
    if found is None:
        separators = _separators(left) + _separators(right)
        found = _equality_piece_by_piece(split_into_fields(left, *separators), split_into_fields(right, *separators))
    return found


def _equality_piece_by_piece(left: Sequence[Piece], right: Sequence[Piece]) -> Term | None:
    """Return the condition that texts with equal literals and styles are equal; None if a number's end is unclear."""
    if len(left) != len(right):
        return None
    conditions: list[Term] = []
    before: WrittenNumber | None = None
    for a, b in zip(left, right, strict=True):
        if isinstance(a, str) and a == b:
            if before is not None and a[0] in before.style.alphabet:
                return None
            before = None
        elif isinstance(a, WrittenNumber) and isinstance(b, WrittenNumber) and a.style == b.style and before is None:
            conditions.append(_same_number(a.number, b.number))
            before = a
        else:
            return None
    return terms.all_(*conditions)


def _equality_with_literal(pieces: Sequence[Piece], literal: str) -> Term | None:
    """Return the condition that the pieces equal this text; None if a number's end in it is unclear."""
    only = pieces[0] if len(pieces) == 1 else None
    if isinstance(only, WrittenNumber):  # the usual case: an address of a packet
        number = only.style.parse(literal)
        return terms.FALSE if number is None else _same_number(only.number, number)
    written = [position for position, piece in enumerate(pieces) if not isinstance(piece, str)]
    conditions: list[Term] = []
    rest = literal
    for position, piece in enumerate(pieces):
        if isinstance(piece, Chars):
            return None
        if isinstance(piece, str):
            if not rest.startswith(piece):
                return terms.FALSE
            rest = rest[len(piece) :]
            continue
        following = (
            "".join(str(each) for each in pieces[position + 1 :]) if position == written[-1] else pieces[position + 1]
        )
        if position == written[-1]:  # the last number ends where the rest of the text begins
            end = len(rest) - len(following) if isinstance(following, str) and rest.endswith(following) else -1
        elif isinstance(following, str) and following[0] not in piece.style.alphabet:
            end = rest.find(following[0])
        else:
            return None
        number = piece.style.parse(rest[:end]) if end >= 0 else None
        if number is None or not piece.number.low <= number <= piece.number.high:
            return terms.FALSE
        conditions.append(_same_number(piece.number, number))
        rest = rest[end:]
    return terms.FALSE if rest else terms.all_(*conditions)


def _same_number(left: SymInt, right: int) -> Term:
    low, high = (right.low, right.high) if isinstance(right, SymInt) else (right, right)
    width = common_width(left, right)
    return terms.FALSE if high < left.low or left.high < low else terms.eq(fit(left, width), fit(right, width))


def int_of_text(text: Any, base: int = 10) -> int:
    """Return `int(text, base)`; forks on each character, unless the text is a written number."""
    if isinstance(text, SymStr) and len(text.pieces) == 1 and isinstance(only := text.pieces[0], WrittenNumber):
        style = only.style
        if isinstance(style, IntegerStyle) and (style.base == base or (base == 0 and "#" in style.spec)):
            return only.number
        if isinstance(style, MacStyle) and not style.separator and base == 16:
            return only.number
    return _int_of_characters(text, base)


def _int_of_characters(text: Any, base: int) -> int:
    """Return the number that the characters write: blanks, a sign, digits with single underscores between them."""
    whole = text.units()
    if not all(decide_among(unit, text.code(position), range(128)) for position, unit in enumerate(whole)) or base == 0:
        return int(text.concretise("int of unusual text"), base)
    inner = text.strip(" \t\n\r\x0b\f" if isinstance(text, str) else b" \t\n\r\x0b\f")
    if not isinstance(inner, SymSequence):
        return int(inner, base)
    units, codes = inner.units(), [inner.code(position) for position in range(len(inner))]
    position, sign, number, digit_before = 0, 1, 0, False
    if decide_among(units[0], codes[0], b"+-"):
        sign, position = (-1 if decide_among(units[0], codes[0], b"-") else 1), 1
    if (
        (base in _PREFIXED and len(units) > position + 1)
        and decide_among(
            units[position + 1], codes[position + 1], _PREFIXED[base]
        )  # a digit is no such letter: no fork
        and decide_among(units[position], codes[position], b"0")
    ):
        return int(inner.concretise("int of text with a prefix"), base)
    for unit, code in zip(units[position:], codes[position:], strict=True):
        if digit_before and decide_among(unit, code, b"_"):
            digit_before = False
            continue
        number, digit_before = number * base + digit_value(unit, code, base), True
    if not digit_before:
        raise ValueError(f"invalid literal for int() with base {base}")
    return sign * number


_PREFIXED = {2: b"bB", 8: b"oO", 16: b"xX"}


def ord_of(text: Any) -> int:
    """Return `ord(text)`."""
    units = text.units()
    if len(units) != 1:
        raise TypeError(f"ord() expected a character, but string of length {len(units)} found")
    concrete = text.concrete()
    return unit_number(units[0], ord(concrete) if isinstance(concrete, str) else concrete[0])


def chr_of(number: SymInt) -> str:
    """Return `chr(number)`; forks on whether the number is below 256."""
    if not 0 <= number <= 0x10FFFF:
        raise ValueError("chr() arg not in range(0x110000)")
    if number > 255:
        return chr(concretise_int(number, "chr"))
    width = max(8, number.term.width)
    return text_of_units(chr(concrete_int(number)), (terms.extract(fit(number, width), 7, 0),))
