"""Reads terms from SMT-LIB text: the expressions that `smtlib` writes, also from strangers.

Sorts are checked and next to nothing is simplified, so reading takes time and memory linear in the text, and what
`to_smtlib` wrote is read as the same term. It does not recurse. Limits on widths, depth, number and total bits of terms
hold for all texts of one reader together.
"""

import re
from collections.abc import Mapping
from typing import Final

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.terms.constructors import FALSE, TRUE
from sdnloom.symbolic.terms.node import Term, intern

WIDEST_TERM: Final = 65_536  # of a term
DEEPEST_TERM: Final = 2_000  # of a term
_MOST_NESTED: Final = 10_000  # parentheses
_MOST_DIGITS: Final = 20

_TOKEN: Final = re.compile(r"\s*(?:([()])|\|([^|\\]*)\||([^\s()|;\"]+))")
_COMPARISONS: Final = {"=": "eq", "bvult": "ult", "bvslt": "slt"}
_UNARY: Final = {"bvneg": "neg", "bvnot": "bvnot"}
_BINARY: Final = {
    "bvadd": "add", "bvsub": "sub", "bvmul": "mul", "bvudiv": "udiv", "bvurem": "urem", "bvshl": "shl",
    "bvlshr": "lshr", "bvashr": "ashr", "bvand": "and", "bvor": "or", "bvxor": "xor",
}  # fmt: skip
_EXTENSIONS: Final = {"zero_extend": "zext", "sign_extend": "sext"}


class SmtlibError(SdnloomError):
    """Text that is no term, or one beyond the limits."""


_Parts = list[Term]  # of a concatenation that is not finished: SMT-LIB writes it as nested pairs
_Value = Term | _Parts


class _Frame:
    """An open parenthesis: what it stands for, and what was read in it."""

    __slots__ = ("head", "indices", "items", "kind", "names")

    def __init__(self, kind: str) -> None:
        self.kind = kind  # apply, let, bindings, binding or indexed
        self.head = ""
        self.indices: list[int] = []
        self.items: list[_Value] = []
        self.names: list[str] = []


class SmtlibReader:
    """Reads texts over some variables. Definitions give a name to a term, for later texts."""

    def __init__(self, variables: Mapping[str, Term], most_terms: int = 1_000_000, most_bits: int = 1 << 30) -> None:
        self._variables = variables
        self._defined: dict[str, Term] = {}
        self._scope: dict[str, list[Term]] = {}  # names bound by `let`, innermost last
        self._terms, self._bits = most_terms, most_bits

    def define(self, name: str, text: str) -> Term:
        """Read a term and give it a name."""
        term = self.read(text)
        self._defined[name] = term
        return term

    def read(self, text: str) -> Term:
        """Return the term of one expression."""
        self._scope = {}
        frames = [_Frame("text")]
        place, size = 0, len(text)
        while place < size:
            found = _TOKEN.match(text, place)
            if found is None:
                if not text[place:].strip():
                    break
                raise SmtlibError(f"character {place}: found {text[place : place + 20]!a}, expected a term")
            place = found.end()
            bracket, quoted, word = found.groups()
            if bracket == "(":
                if len(frames) > _MOST_NESTED:
                    raise SmtlibError(f"more than {_MOST_NESTED:,} nested parentheses")
                frames.append(_Frame(_KIND_INSIDE.get(frames[-1].kind, "apply")))
            elif bracket:
                if len(frames) == 1:
                    raise SmtlibError(f"character {place}: found ')' without '('")
                self._close(frames.pop(), frames[-1])
            else:
                self._word(frames[-1], word if quoted is None else quoted, quoted is not None)
        if len(frames) > 1:
            raise SmtlibError(f"the term ends inside of {len(frames) - 1} parentheses")
        if len(frames[0].items) != 1:
            raise SmtlibError(f"found {len(frames[0].items)} terms, expected one")
        return self._whole(frames[0].items[0])

    def _word(self, frame: _Frame, word: str, quoted: bool) -> None:
        if frame.kind == "apply" and not frame.head and not frame.items and not quoted:
            if word == "let":
                frame.kind = "let"
            elif word == "_":
                frame.kind = "indexed"
            else:
                frame.head = word
        elif frame.kind == "indexed":
            self._index(frame, word)
        elif frame.kind == "binding" and not frame.names and not frame.items:
            frame.names.append(word)
        elif frame.kind == "bindings":
            raise SmtlibError(f"found {word[:40]!a} in the bindings of let, expected '('")
        else:
            frame.items.append(self._atom(word, quoted))

    def _index(self, frame: _Frame, word: str) -> None:
        if not frame.head:
            frame.head = word
        else:
            frame.indices.append(_number(word))

    def _atom(self, word: str, quoted: bool) -> Term:
        bound = self._scope.get(word)
        if bound:
            return bound[-1]
        found = self._defined.get(word) or self._variables.get(word)
        if found is not None:
            return found
        if not quoted:
            if word in ("true", "false"):
                return TRUE if word == "true" else FALSE
            if word[:2] in ("#x", "#b"):
                return self._literal(word)
        raise SmtlibError(f"found {word[:40]!a}, expected a variable of the test or a constant")

    def _literal(self, word: str) -> Term:
        each, base, digits = (4, 16, "0123456789abcdefABCDEF") if word[1] == "x" else (1, 2, "01")
        body = word[2:]
        if not body or body.strip(digits):
            raise SmtlibError(f"found {word[:40]!a}, expected digits of base {base}")
        self._check_width(each * len(body))
        return self._made("const", each * len(body), int(body, base))

    def _close(self, frame: _Frame, outer: _Frame) -> None:
        """Give what a pair of parentheses holds to the pair around it."""
        kind = frame.kind
        if kind == "binding":
            if len(frame.names) != 1 or len(frame.items) != 1:
                raise SmtlibError("a binding of let has a name and a term")
            outer.names.append(frame.names[0])
            outer.items.append(self._whole(frame.items[0]))
        elif kind == "bindings":
            for name, value in zip(frame.names, frame.items, strict=True):
                self._scope.setdefault(name, []).append(self._whole(value))
            outer.kind, outer.names = "body", frame.names
        elif kind == "body":
            if len(frame.items) != 1:
                raise SmtlibError(f"let has {len(frame.items)} terms in it, expected one")
            for name in frame.names:
                self._scope[name].pop()
            outer.items.append(frame.items[0])
        elif kind == "let":
            raise SmtlibError("let without bindings")
        elif kind == "indexed" and frame.head.startswith("bv"):
            outer.items.append(self._bit_vector(frame))
        elif kind == "indexed":
            if outer.kind != "apply" or outer.head or outer.items:
                raise SmtlibError(f"(_ {frame.head[:40]!a}) is no term")
            outer.head, outer.indices = f"_{frame.head}", frame.indices
        else:
            outer.items.append(self._applied(frame))

    def _bit_vector(self, frame: _Frame) -> Term:
        if len(frame.indices) != 1:
            raise SmtlibError(f"(_ {frame.head[:40]!a}) has a width, expected one number")
        (width,), value = frame.indices, _number(frame.head[2:])
        self._check_width(width)
        if value >> width:
            raise SmtlibError(f"{value} does not fit into {width} bits")
        return self._made("const", width, value)

    def _applied(self, frame: _Frame) -> _Value:
        head, items = frame.head, frame.items
        if head == "concat":
            return self._concat(head, items)
        args = [self._whole(item) for item in items]
        if head.startswith("_"):
            return self._indexed(head[1:], frame.indices, args)
        if head in _BINARY:
            self._expect(head, args, 2, vectors=True)
            return self._made(_BINARY[head], args[0].width, *args)
        if head in _COMPARISONS:
            self._expect(head, args, 2, vectors=head != "=")
            return self._made(_COMPARISONS[head], 0, *args)
        if head in _UNARY:
            self._expect(head, args, 1, vectors=True)
            return self._made(_UNARY[head], args[0].width, *args)
        if head == "ite":
            self._expect(head, args[1:], 2, vectors=False)
            self._expect_truth(head, args[:1])
            return self._made("ite", args[1].width, *args)
        if head == "not":
            self._expect(head, args, 1, vectors=False)
            self._expect_truth(head, args)
            return self._made("not", 0, *args)
        if head == "and":
            if len(args) < 2:
                raise SmtlibError(f"'and' of {len(args)} terms, expected two or more")
            self._expect_truth(head, args)
            return self._made("all", 0, *args)
        raise SmtlibError(f"found {head[:40]!a}, expected an operator of bit vectors")

    def _concat(self, head: str, items: list[_Value]) -> _Parts:
        if len(items) != 2:
            raise SmtlibError(f"{head} of {len(items)} terms, expected 2")
        left = items[0] if isinstance(items[0], list) else [items[0]]
        right = items[1] if isinstance(items[1], list) else [items[1]]
        if any(not part.width for part in (left[-1], *right)):
            raise SmtlibError(f"{head} of a truth value")
        left.extend(right)
        return left

    def _indexed(self, name: str, indices: list[int], args: list[Term]) -> Term:
        self._expect(name, args, 1, vectors=True)
        width = args[0].width
        if name == "extract":
            if len(indices) != 2 or not 0 <= indices[1] <= indices[0] < width:
                raise SmtlibError(f"extract {' '.join(map(str, indices))} of {width} bits")
            return self._extract(args[0], *indices)
        if name in _EXTENSIONS:
            if len(indices) != 1 or not indices[0]:
                raise SmtlibError(f"{name} {' '.join(map(str, indices))}: expected one number from 1")
            self._check_width(width + indices[0])
            inner = args[0].args[0] if args[0].op == _EXTENSIONS[name] else args[0]
            return self._made(_EXTENSIONS[name], width + indices[0], inner)
        raise SmtlibError(f"found (_ {name[:40]!a}), expected extract, zero_extend or sign_extend")

    def _extract(self, term: Term, high: int, low: int) -> Term:
        """Return some bits; an extract of an extract or of added zeros is one, so that none is nested in others."""
        width = high - low + 1
        if width == term.width:
            return term
        if term.op == "extract":
            inner, _, base = term.args
            return self._made("extract", width, inner, high + base, low + base)
        if term.op == "zext":
            inner = term.args[0]
            if low >= inner.width:
                return self._made("const", width, 0)
            kept = self._extract(inner, min(high, inner.width - 1), low)
            return kept if kept.width == width else self._made("zext", width, kept)
        return self._made("extract", width, term, high, low)

    def _expect(self, head: str, args: list[Term], count: int, *, vectors: bool) -> None:
        if len(args) != count:
            raise SmtlibError(f"{head!r} of {len(args)} terms, expected {count}")
        widths = {arg.width for arg in args}
        if len(widths) > 1:
            raise SmtlibError(f"{head!r} of terms of {' and '.join(str(arg.width) for arg in args)} bits")
        if vectors and 0 in widths:
            raise SmtlibError(f"{head!r} of a truth value")

    def _expect_truth(self, head: str, args: list[Term]) -> None:
        if any(arg.width for arg in args):
            raise SmtlibError(f"{head!r} of a bit vector, expected a truth value")

    def _whole(self, value: _Value) -> Term:
        if isinstance(value, Term):
            return value
        self._check_width(sum(part.width for part in value))
        parts = [inner for part in value for inner in (part.args if part.op == "concat" else (part,))]
        return self._made("concat", sum(part.width for part in parts), *parts)

    def _check_width(self, width: int) -> None:
        if not 1 <= width <= WIDEST_TERM:
            raise SmtlibError(f"a term of {width:,} bits; expected 1 to {WIDEST_TERM:,}")

    def _made(self, op: str, width: int, *args: Term | int) -> Term:
        self._terms -= max(1, len(args))
        self._bits -= width
        if self._terms < 0 or self._bits < 0:
            raise SmtlibError("there are more terms than a reader accepts")
        term = intern(op, width, *args)
        if term.depth > DEEPEST_TERM:
            raise SmtlibError(f"terms are nested more than {DEEPEST_TERM:,} deep")
        return term


_KIND_INSIDE: Final = {"let": "bindings", "bindings": "binding"}


def _number(word: str) -> int:
    if not word.isascii() or not word.isdecimal() or len(word) > _MOST_DIGITS:
        raise SmtlibError(f"found {word[:40]!a}, expected a number of at most {_MOST_DIGITS} digits")
    return int(word)
