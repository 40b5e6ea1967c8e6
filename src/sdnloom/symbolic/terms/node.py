"""The node of a term, interned: structurally equal terms are one object, so `is` decides equality.

A term is a bit vector of `width` bits, or a truth value if the width is 0. Constructors, which simplify, are in
`constructors`. Laws: terms are immutable; terms are referenced weakly by the table, so memory does not grow in a long
run; `key` is a number that depends on the structure alone, never on a hash seed or on earlier terms, and orders
commutative operands.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, Final
from weakref import ref
from zlib import crc32

Model = Mapping[str, int]

# The position is part of every key: append, do not reorder.
OPERATORS: Final = (
    "const", "var", "extract", "concat", "zext", "sext",
    "add", "sub", "mul", "udiv", "urem", "neg",
    "shl", "lshr", "ashr", "and", "or", "xor", "bvnot",
    "eq", "ult", "slt", "ite", "not", "all",
)  # fmt: skip
HUGE: Final = 1 << 20  # nodes
_CODE: Final = {op: number for number, op in enumerate(OPERATORS)}


class Term:
    """An interned node: operator, operands (terms, then numbers such as the bounds of an extract) and width.

    `size` is the number of nodes if shared ones are counted each time, up to `HUGE`: what it costs to walk the term
    without remembering subterms.
    """

    __slots__ = ("__weakref__", "_evaluator", "_variables", "args", "depth", "key", "op", "size", "width")
    op: str
    args: tuple[Any, ...]
    width: int
    key: int
    depth: int
    size: int
    _evaluator: Callable[[Model], int] | None
    _variables: "frozenset[str] | None"

    def operands(self) -> tuple["Term", ...]:
        """Return the arguments that are terms, in order."""
        return tuple(arg for arg in self.args if type(arg) is Term)

    def __repr__(self) -> str:
        if self.depth > 20:
            return f"<{self.op}:{self.width} of depth {self.depth}>"
        inner = ", ".join(map(repr, self.args))
        return f"{self.op}:{self.width}({inner})"

    def __copy__(self) -> "Term":
        return self

    def __deepcopy__(self, memo: object) -> "Term":
        return self


class _Ref(ref[Term]):
    """A weak reference with the key of its entry. A WeakValueDictionary does the same in twice the time."""

    __slots__ = ("identity",)
    identity: tuple[Any, ...]


_interned: dict[tuple[Any, ...], _Ref] = {}


def _forget(dead: _Ref) -> None:
    if _interned.get(dead.identity) is dead:  # not if the same term has been made again
        del _interned[dead.identity]


def intern(op: str, width: int, *args: Any) -> Term:
    """Return the unique term of this structure, without simplifying it."""
    identity = (op, width, *args)
    found = _interned.get(identity)
    term = found() if found is not None else None
    if term is None:
        term = Term()
        term.op, term.args, term.width = op, args, width
        term._evaluator = term._variables = None
        term.depth, size = 0, 1
        parts = [_CODE[op], width]
        for arg in args:
            if type(arg) is Term:
                parts.append(arg.key)
                size += arg.size
                if arg.depth >= term.depth:
                    term.depth = arg.depth + 1
            else:
                parts.append(crc32(arg.encode()) if isinstance(arg, str) else arg)
        term.key = hash(tuple(parts))
        term.size = size if size < HUGE else HUGE
        reference = _Ref(term, _forget)
        reference.identity = identity
        _interned[identity] = reference
    return term


def interned() -> int:
    """Return how many terms are alive."""
    return len(_interned)


def postorder(*roots: Term, known: Container[Term] = ()) -> Iterator[Term]:
    """Yield each subterm once, operands before the terms that use them. Does not recurse.

    Subterms of `known` ones are left out, with them: a walk over a large term that was mostly seen before is short.
    """
    done: set[Term] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            term, ready = stack.pop()
            if term in done or term in known:
                continue
            if ready or not term.depth:
                done.add(term)
                yield term
            else:
                stack.append((term, True))
                stack.extend((arg, False) for arg in reversed(term.operands()))


def variables(term: Term) -> frozenset[str]:
    """Return the names of the variables that occur in the term."""
    if term._variables is None:
        for node in postorder(term):
            if node._variables is None:
                if node.op == "var":
                    node._variables = frozenset({node.args[0]})
                else:
                    node._variables = frozenset[str]().union(*(arg._variables or () for arg in node.operands()))
    assert term._variables is not None
    return term._variables
