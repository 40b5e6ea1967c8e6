"""Terms as SMT-LIB text over the theory of fixed-width bit vectors."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from sdnloom.symbolic.terms.node import Term, postorder

_NAMES: Final = {
    "concat": "concat", "add": "bvadd", "sub": "bvsub", "mul": "bvmul", "udiv": "bvudiv", "urem": "bvurem",
    "neg": "bvneg", "shl": "bvshl", "lshr": "bvlshr", "ashr": "bvashr", "and": "bvand", "or": "bvor", "xor": "bvxor",
    "bvnot": "bvnot", "eq": "=", "ult": "bvult", "slt": "bvslt", "ite": "ite", "not": "not", "all": "and",
}  # fmt: skip
_SIMPLE: Final = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
_RESERVED: Final = frozenset(
    {"let", "forall", "exists", "match", "par", "as", "true", "false", "not", "and", "or", "ite"}
)


def symbol(name: str) -> str:
    """Return a variable's name as an SMT-LIB symbol, quoted if necessary."""
    return name if _SIMPLE.fullmatch(name) and name not in _RESERVED else f"|{name}|"


def to_smtlib(term: Term) -> str:
    """Return the term as one SMT-LIB expression. Shared subterms are bound by `let`, so its size is linear."""
    definitions, written = shared_smtlib((term,))
    bindings = [f"(let ((${number} {body})) " for number, body in enumerate(definitions)]
    return "".join(bindings) + written[term] + ")" * len(bindings)


def shared_smtlib(roots: Iterable[Term]) -> tuple[list[str], dict[Term, str]]:
    """Return definitions of terms that are used more than once, and the texts of the terms, which refer to them.

    Definition n is called `$n`; it refers to earlier ones only. The size of all texts is linear.
    """
    roots = list(roots)
    order = list(postorder(*roots))
    uses = Counter(roots if len(roots) > 1 else ())
    uses.update(arg for node in order for arg in node.operands())
    written: dict[Term, str] = {}
    definitions: list[str] = []
    for node in order:
        body = _expression(node, [written[arg] for arg in node.operands()])
        if node.depth and (uses[node] > 1 or (uses[node] and node.depth % _NESTING == 0)):
            # Regular definitions also limit the nesting of the expressions.
            definitions.append(body)
            body = f"${len(definitions) - 1}"
        written[node] = body
    return definitions, {root: written[root] for root in roots}


_NESTING: Final = 50


def _expression(term: Term, inner: list[str]) -> str:
    op, args = term.op, term.args
    if op == "const":
        if not term.width:
            return "true" if args[0] else "false"
        return f"#x{args[0]:0{term.width // 4}x}" if term.width % 4 == 0 else f"#b{args[0]:0{term.width}b}"
    if op == "var":
        return symbol(args[0])
    if op == "extract":
        return f"((_ extract {args[1]} {args[2]}) {inner[0]})"
    if op in ("zext", "sext"):
        name = "zero_extend" if op == "zext" else "sign_extend"
        return f"((_ {name} {term.width - args[0].width}) {inner[0]})"
    if op == "concat":  # binary in SMT-LIB
        text = inner[0]
        for part in inner[1:]:
            text = f"(concat {text} {part})"
        return text
    return f"({_NAMES[op]} {' '.join(inner)})"


def declarations(*terms: Term) -> str:
    """Return a `declare-const` line for each variable of the terms, by name."""
    found = {node.args[0]: node.width for node in postorder(*terms) if node.op == "var"}
    return "".join(f"(declare-const {symbol(name)} (_ BitVec {found[name]}))\n" for name in sorted(found))
