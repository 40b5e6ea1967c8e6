"""Terms as readable text: `eth.dst == 00:00:00:00:00:02 and eth.type != 0x88cc`.

The syntax follows Python, with bits of a value as `field[high:low]`. It is for reading only: very long parts are shown
as `...`. `smtlib` gives the exact form.
"""

from collections.abc import Callable
from ipaddress import IPv6Address
from typing import Final

from sdnloom.symbolic.terms.node import Term, postorder

_LONGEST: Final = 2_000  # characters of one subterm
_LONGEST_VALUE: Final = 200
_NARY, _TIGHT = 1, 9  # the lowest and the highest precedence
_INFIX: Final = {
    "eq": ("==", 4), "ult": ("<", 4), "slt": ("<s", 4), "or": ("|", 5), "xor": ("^", 5), "and": ("&", 6),
    "shl": ("<<", 7), "lshr": (">>", 7), "ashr": (">>s", 7), "add": ("+", 8), "sub": ("-", 8), "mul": ("*", 8),
    "udiv": ("//", 8), "urem": ("%", 8),
}  # fmt: skip
_SWAPPED: Final = {"==": "!=", "<": ">=", "<s": ">=s"}

_Formed = tuple[str, int]  # text, and the precedence of its outermost operator


def _mac(value: int, width: int) -> str:
    return ":".join(f"{byte:02x}" for byte in value.to_bytes((width + 7) // 8, "big"))


def _ipv4(value: int, width: int) -> str:
    return ".".join(map(str, value.to_bytes(4, "big"))) if width == 32 else hex(value)


def _ipv6(value: int, width: int) -> str:
    return str(IPv6Address(value)) if width == 128 else hex(value)


def _hex(value: int, width: int) -> str:
    return f"0x{value:0{(width + 3) // 4}x}"


def _dec(value: int, width: int) -> str:
    return str(value) if value.bit_length() <= 64 else hex(value)


VARIABLE_KINDS: Final[dict[str, Callable[[int, int], str]]] = {
    "mac": _mac,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "hex": _hex,
    "dec": _dec,
    "bool": lambda value, width: ("false", "true")[value] if width == 1 else str(value),
}


def value_in_kind(value: int, width: int, kind: str = "dec") -> str:
    """Return a value in the notation of its kind; the middle of a long one is left out."""
    shown = VARIABLE_KINDS[kind](value, width)
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[:20]}...{shown[-20:]}"


def variable_kind(term: Term) -> str:
    """Return the kind in which constants that are combined with this term are written."""
    while term.op in ("zext", "sext", "add", "sub", "ite"):
        term = term.args[1 if term.op == "ite" else 0]
    if term.op == "var":
        kind: str = term.args[1]
        return kind
    return "dec" if term.op in ("const", "mul", "udiv", "urem", "neg") or term.width == 1 else "hex"


def term_text(term: Term) -> str:
    """Return the term in readable infix form."""
    formed: dict[Term, _Formed] = {}
    for node in postorder(term):
        body, binding = _form(node, formed)
        formed[node] = (body, binding) if len(body) <= _LONGEST else ("...", _TIGHT)
    return formed[term][0]


def _form(term: Term, formed: dict[Term, _Formed]) -> _Formed:
    op, args = term.op, term.args
    if op == "const":
        return (value_in_kind(args[0], term.width) if term.width else ("true" if args[0] else "false")), _TIGHT
    if op == "var":
        return args[0], _TIGHT
    if op == "extract":
        bits = f"{args[1]}:{args[2]}" if args[1] != args[2] else f"{args[1]}"
        return f"{_wrap(formed[args[0]], _TIGHT)}[{bits}]", _TIGHT
    if op == "zext":
        return formed[args[0]]
    if op == "sext":
        return f"signed({formed[args[0]][0]})", _TIGHT
    if op == "concat":
        return f"({' ++ '.join(_operand(arg, formed, 1) for arg in args)})", _TIGHT
    if op == "all":
        return " and ".join(_wrap(formed[arg], _NARY + 2) for arg in args), _NARY + 1
    if op == "not":
        return _negated(args[0], formed)
    if op == "ite":
        condition, then, otherwise = (formed[arg] for arg in args)
        return f"({then[0]} if {condition[0]} else {otherwise[0]})", _TIGHT
    if op in ("neg", "bvnot"):
        return f"{'-' if op == 'neg' else '~'}{_wrap(formed[args[0]], _TIGHT)}", _TIGHT
    sign, binding = _INFIX[op]
    return _infix(args[0], sign, args[1], binding, formed), binding


def _infix(left: Term, sign: str, right: Term, binding: int, formed: dict[Term, _Formed]) -> str:
    # The constructors write x - 1 as x + 255.
    if sign == "+" and right.op == "const" and right.args[0] >> (right.width - 1):
        return f"{_operand(left, formed, binding)} - {value_in_kind((1 << right.width) - right.args[0], right.width)}"
    kind = variable_kind(right if left.op == "const" else left)
    if sign in ("*", "//", "%", "<<", ">>", "+", "-") and kind != "hex":
        kind = "dec"
    return f"{_operand(left, formed, binding, kind)} {sign} {_operand(right, formed, binding + 1, kind)}"


def _operand(term: Term, formed: dict[Term, _Formed], binding: int, kind: str | None = None) -> str:
    if term.op == "const" and term.width:
        return value_in_kind(term.args[0], term.width, kind or "hex")
    return _wrap(formed[term], binding)


def _negated(term: Term, formed: dict[Term, _Formed]) -> _Formed:
    op, args = term.op, term.args
    if op in ("eq", "ult", "slt"):
        sign, binding = _INFIX[op]
        return _infix(args[0], _SWAPPED[sign], args[1], binding, formed), binding
    if op == "all":  # a disjunction: all_ of negations, negated
        return " or ".join(_wrap(_complement(arg, formed), _NARY + 1) for arg in args), _NARY
    return f"not {_wrap(formed[term], 3)}", 3


def _complement(term: Term, formed: dict[Term, _Formed]) -> _Formed:
    return formed[term.args[0]] if term.op == "not" else _negated(term, formed)


def _wrap(formed: _Formed, binding: int) -> str:
    return formed[0] if formed[1] >= binding else f"({formed[0]})"
