"""Constructors of bit-vector terms that simplify locally; also re-exports the functions of terms that others use.

Laws: under every model a constructor's term has the value of the operation; operands have equal widths unless stated
otherwise; arithmetic wraps around; division by zero gives all ones and its remainder the dividend, shifts by the width
or more give 0 (or copies of the sign), as in SMT-LIB. There is one canonical form of each comparison: `ule(a, b)` is
`not (b < a)` and `any_` a negated `all_`, so a condition and its negation are easy to recognise.
"""

from typing import Final

from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.terms.node import Model, Term, intern, variables
from sdnloom.symbolic.terms.smtlib import to_smtlib
from sdnloom.symbolic.terms.text import VARIABLE_KINDS, term_text

__all__ = [
    "FALSE", "TRUE", "Model", "Term", "add", "all_", "any_", "ashr", "between", "boolean", "bv_and", "bv_not", "bv_or",
    "bv_xor", "concat", "const", "eq", "evaluate_term", "extract", "ite", "lshr", "mul", "ne", "neg", "not_", "shl",
    "sign_extend", "sle", "slt", "sub", "term_text", "to_smtlib", "udiv", "ule", "ult", "urem", "var", "variables",
    "zero_extend",
]  # fmt: skip

_LARGE: Final = 10_000  # nodes
_DEEP: Final = 200
TRUE: Final = intern("const", 0, 1)
FALSE: Final = intern("const", 0, 0)


def const(value: int, width: int) -> Term:
    """Return the constant of `width` >= 1 bits; values outside its range, negative ones too, wrap around."""
    if width < 1:
        raise ValueError(f"width {width}: a bit vector has at least one bit; truth values come from `boolean`")
    return intern("const", width, int(value) & ((1 << width) - 1))


def boolean(value: bool) -> Term:
    """Return TRUE or FALSE."""
    return TRUE if value else FALSE


def var(name: str, width: int, kind: str = "dec") -> Term:
    """Return the variable. Its kind only says how its values are printed: mac, ipv4, ipv6, hex, dec or bool."""
    if width < 1:
        raise ValueError(f"variable {name!r} has width {width}; a bit vector has at least one bit")
    if kind not in VARIABLE_KINDS:
        raise ValueError(f"variable {name!r} has kind {kind!r}; expected one of {', '.join(VARIABLE_KINDS)}")
    if not name or name[0] == "$" or "|" in name or "\\" in name or not name.isprintable():
        raise ValueError(f"variable name {name!r}: expected printable text without '|' and '\\', not starting with '$'")
    return intern("var", width, name, kind)


# Structure: parts of bit vectors.


def extract(term: Term, high: int, low: int) -> Term:
    """Return bits `high` down to `low`, both included; bit 0 is the least significant."""
    if not 0 <= low <= high < term.width:
        raise ValueError(f"bits {high} to {low} of a term of {term.width} bits")
    width = high - low + 1
    if width == term.width:
        return term
    op = term.op
    if op == "const":
        return const(term.args[0] >> low, width)
    if op == "extract":
        inner, _, base = term.args
        return extract(inner, high + base, low + base)
    if op == "zext":
        inner = term.args[0]
        if low >= inner.width:
            return const(0, width)
        return zero_extend(extract(inner, min(high, inner.width - 1), low), width)
    if op == "sext" and high < term.args[0].width:
        return extract(term.args[0], high, low)
    if op == "concat":
        return _extract_from_concat(term, high, low)
    if term.size > _LARGE or term.depth > _DEEP:  # going further would cost more than it gains
        return intern("extract", width, term, high, low)
    if op in ("and", "or", "xor"):
        return _BITWISE[op](extract(term.args[0], high, low), extract(term.args[1], high, low))
    if op == "bvnot":
        return bv_not(extract(term.args[0], high, low))
    if low == 0 and op in ("add", "sub", "mul"):  # low bits depend on low bits only
        return _MODULAR[op](extract(term.args[0], high, 0), extract(term.args[1], high, 0))
    if op == "ite":
        then, otherwise = extract(term.args[1], high, low), extract(term.args[2], high, low)
        if then is otherwise or then.op == otherwise.op == "const":
            return ite(term.args[0], then, otherwise)
    return intern("extract", width, term, high, low)


def _extract_from_concat(term: Term, high: int, low: int) -> Term:
    picked = []
    top = term.width
    for part in term.args:
        bottom = top - part.width
        if high >= bottom and low < top:
            picked.append(extract(part, min(high, top - 1) - bottom, max(low, bottom) - bottom))
        top = bottom
    return concat(*picked)


def concat(*terms: Term) -> Term:
    """Return the terms side by side, the first one most significant."""
    parts: list[Term] = []
    for term in terms:
        for part in _parts(term):
            if parts:
                joined = _join(parts[-1], part)
                if joined is not None:
                    parts[-1] = joined
                    continue
            parts.append(part)
    width = sum(part.width for part in parts)
    if parts[0].op == "const" and parts[0].args[0] == 0 and len(parts) > 1:
        del parts[0]
    body = parts[0] if len(parts) == 1 else intern("concat", sum(part.width for part in parts), *parts)
    return zero_extend(body, width)


def _parts(term: Term) -> tuple[Term, ...]:
    """Return the term as parts to be put side by side; parts are neither concatenations nor zero-extended."""
    if term.op == "concat":
        return term.args
    if term.op == "zext":
        inner = term.args[0]
        return (const(0, term.width - inner.width), *_parts(inner))
    return (term,)


def _join(left: Term, right: Term) -> Term | None:
    """Return one term for two neighbours: constants, or adjacent bits of the same term."""
    if left.op == right.op == "const":
        return const(left.args[0] << right.width | right.args[0], left.width + right.width)
    if left.op == right.op == "extract" and left.args[0] is right.args[0] and left.args[2] == right.args[1] + 1:
        return extract(left.args[0], left.args[1], right.args[2])
    return None


def zero_extend(term: Term, width: int) -> Term:
    """Return the term widened to `width` bits with zeros."""
    if width == term.width:
        return term
    if width < term.width:
        raise ValueError(f"cannot extend a term of {term.width} bits to {width}")
    if term.op == "const":
        return const(term.args[0], width)
    if term.op == "zext":
        term = term.args[0]
    return intern("zext", width, term)


def sign_extend(term: Term, width: int) -> Term:
    """Return the term widened to `width` bits with copies of its top bit."""
    if width == term.width:
        return term
    if width < term.width:
        raise ValueError(f"cannot extend a term of {term.width} bits to {width}")
    if term.op == "const":
        return const(_signed(term), width)
    if term.op == "zext":
        return zero_extend(term, width)
    if term.op == "sext":
        term = term.args[0]
    return intern("sext", width, term)


def _signed(term: Term) -> int:
    value: int = term.args[0]
    return value - (1 << term.width) if value >> (term.width - 1) else value


# Arithmetic.


def add(left: Term, right: Term) -> Term:
    """Return the sum modulo the width."""
    left, right = _commute(left, right)
    if right.op == "const":
        if right.args[0] == 0:
            return left
        if left.op == "const":
            return const(left.args[0] + right.args[0], left.width)
        if left.op == "add" and left.args[1].op == "const":
            return add(left.args[0], const(left.args[1].args[0] + right.args[0], left.width))
    return _side_by_side(left, right) or intern("add", left.width, left, right)


def sub(left: Term, right: Term) -> Term:
    """Return the difference modulo the width."""
    _same_width(left, right)
    if right.op == "const":
        return add(left, const(-right.args[0], right.width))
    if left is right:
        return const(0, left.width)
    return intern("sub", left.width, left, right)


def neg(term: Term) -> Term:
    """Return the two's complement."""
    if term.op == "const":
        return const(-term.args[0], term.width)
    if term.op == "neg":
        inner: Term = term.args[0]
        return inner
    return intern("neg", term.width, term)


def mul(left: Term, right: Term) -> Term:
    """Return the product modulo the width."""
    left, right = _commute(left, right)
    if right.op == "const":
        value = right.args[0]
        if left.op == "const":
            return const(left.args[0] * value, left.width)
        if value & (value - 1) == 0:  # zero or a power of two
            return shl(left, const(value.bit_length() - 1, left.width)) if value else right
    return intern("mul", left.width, left, right)


def udiv(left: Term, right: Term) -> Term:
    """Return the unsigned quotient; all ones where the divisor is 0."""
    _same_width(left, right)
    if right.op == "const":
        value = right.args[0]
        if value == 0:
            return const(-1, left.width)
        if left.op == "const":
            return const(left.args[0] // value, left.width)
        if value & (value - 1) == 0:
            return lshr(left, const(value.bit_length() - 1, left.width))
    return intern("udiv", left.width, left, right)


def urem(left: Term, right: Term) -> Term:
    """Return the unsigned remainder; the dividend where the divisor is 0."""
    _same_width(left, right)
    if right.op == "const":
        value = right.args[0]
        if value == 0:
            return left
        if left.op == "const":
            return const(left.args[0] % value, left.width)
        if value & (value - 1) == 0:
            return bv_and(left, const(value - 1, left.width))
    return intern("urem", left.width, left, right)


def shl(term: Term, amount: Term) -> Term:
    """Return the term shifted left; 0 where the amount is the width or more."""
    _same_width(term, amount)
    if amount.op == "const":
        by, width = amount.args[0], term.width
        if by == 0:
            return term
        return const(0, width) if by >= width else concat(extract(term, width - by - 1, 0), const(0, by))
    return intern("shl", term.width, term, amount)


def lshr(term: Term, amount: Term) -> Term:
    """Return the term shifted right with zeros coming in; 0 where the amount is the width or more."""
    _same_width(term, amount)
    if amount.op == "const":
        by, width = amount.args[0], term.width
        return const(0, width) if by >= width else zero_extend(extract(term, width - 1, by), width)
    return intern("lshr", term.width, term, amount)


def ashr(term: Term, amount: Term) -> Term:
    """Return the term shifted right with copies of the top bit coming in."""
    _same_width(term, amount)
    if amount.op == "const":
        width = term.width
        return sign_extend(extract(term, width - 1, min(amount.args[0], width - 1)), width)
    return intern("ashr", term.width, term, amount)


# Bitwise.


def bv_and(left: Term, right: Term) -> Term:
    """Return the bitwise and. A mask of one run of ones becomes an extract."""
    left, right = _commute(left, right)
    if left is right:
        return left
    if right.op == "const":
        mask, width = right.args[0], left.width
        if left.op == "const":
            return const(left.args[0] & mask, width)
        if mask == 0:
            return right
        low = (mask & -mask).bit_length() - 1
        run = mask >> low
        if run & (run + 1) == 0:
            kept = extract(left, low + run.bit_length() - 1, low)
            return zero_extend(concat(kept, const(0, low)) if low else kept, width)
        if left.op == "and" and left.args[1].op == "const":
            return bv_and(left.args[0], const(left.args[1].args[0] & mask, width))
    return intern("and", left.width, left, right)


def bv_or(left: Term, right: Term) -> Term:
    """Return the bitwise or. Operands that share no bit become a concatenation."""
    left, right = _commute(left, right)
    if left is right:
        return left
    if right.op == "const":
        value = right.args[0]
        if left.op == "const":
            return const(left.args[0] | value, left.width)
        if value == 0:
            return left
        if value == (1 << left.width) - 1:
            return right
        if left.op == "or" and left.args[1].op == "const":
            return bv_or(left.args[0], const(left.args[1].args[0] | value, left.width))
    return _side_by_side(left, right) or intern("or", left.width, left, right)


def bv_xor(left: Term, right: Term) -> Term:
    """Return the bitwise exclusive or."""
    left, right = _commute(left, right)
    if left is right:
        return const(0, left.width)
    if right.op == "const":
        value = right.args[0]
        if left.op == "const":
            return const(left.args[0] ^ value, left.width)
        if value == 0:
            return left
        if value == (1 << left.width) - 1:
            return bv_not(left)
        if left.op == "xor" and left.args[1].op == "const":
            return bv_xor(left.args[0], const(left.args[1].args[0] ^ value, left.width))
    return _side_by_side(left, right) or intern("xor", left.width, left, right)


def bv_not(term: Term) -> Term:
    """Return the bitwise complement."""
    if term.op == "const":
        return const(~term.args[0], term.width)
    if term.op == "bvnot":
        inner: Term = term.args[0]
        return inner
    return intern("bvnot", term.width, term)


def _side_by_side(left: Term, right: Term) -> Term | None:
    """Return the concatenation that equals `left | right` (also + and ^) where every bit is 0 in one of them."""
    upper, lower = list(_parts(left)), list(_parts(right))
    if not (any(map(_is_zero, upper)) and any(map(_is_zero, lower))):
        return None
    upper.reverse()
    lower.reverse()
    merged = []
    while upper:
        a, b = upper.pop(), lower.pop()
        width = min(a.width, b.width)
        for rest, part in ((upper, a), (lower, b)):
            if part.width > width:
                rest.append(extract(part, part.width - width - 1, 0))
        if _is_zero(a):
            merged.append(extract(b, b.width - 1, b.width - width))
        elif _is_zero(b):
            merged.append(extract(a, a.width - 1, a.width - width))
        else:
            return None
    return concat(*merged)


def _is_zero(term: Term) -> bool:
    return term.op == "const" and term.args[0] == 0


# Comparisons and truth values.


def eq(left: Term, right: Term) -> Term:
    """Return whether both are equal; also of two truth values."""
    left, right = _commute(left, right)
    if left is right:
        return TRUE
    if left.op == right.op == "const":
        return FALSE
    if left.op == right.op == "zext":
        width = max(left.args[0].width, right.args[0].width)
        if width < left.width:
            return eq(extract(left, width - 1, 0), extract(right, width - 1, 0))
    if right.op == "const":
        simpler = _eq_const(left, right.args[0])
        if simpler is not None:
            return simpler
    return intern("eq", 0, left, right)


def _eq_const(term: Term, value: int) -> Term | None:
    """Return a simpler form of `term == value`, or None."""
    op, args, width = term.op, term.args, term.width
    if width == 0:
        return term if value else not_(term)
    if term.depth > _DEEP:
        return None
    if op == "zext":
        inner = args[0]
        return eq(inner, const(value, inner.width)) if value >> inner.width == 0 else FALSE
    if op == "sext":
        inner = args[0]
        return (
            eq(inner, const(value, inner.width))
            if const(_signed(const(value, inner.width)), width).args[0] == value
            else FALSE
        )
    if op == "add" and args[1].op == "const":
        return eq(args[0], const(value - args[1].args[0], width))
    if op == "xor" and args[1].op == "const":
        return eq(args[0], const(value ^ args[1].args[0], width))
    if op == "bvnot":
        return eq(args[0], const(~value, width))
    if op == "neg":
        return eq(args[0], const(-value, width))
    if op == "sub" and value == 0:
        return eq(args[0], args[1])
    if op == "and" and args[1].op == "const" and value & ~args[1].args[0]:
        return FALSE
    if op == "or" and args[1].op == "const" and args[1].args[0] & ~value:
        return FALSE
    if op == "ite":
        then, otherwise = args[1], args[2]
        if then.op == "const" and otherwise.op == "const":
            return ite(args[0], boolean(then.args[0] == value), boolean(otherwise.args[0] == value))
    if op == "concat" and any(part.op == "const" for part in args):
        conditions, rest = [], value
        for part in reversed(args):
            conditions.append(eq(part, const(rest, part.width)))
            rest >>= part.width
        return all_(*reversed(conditions))
    return None


def ne(left: Term, right: Term) -> Term:
    """Return whether the two differ."""
    return not_(eq(left, right))


def ult(left: Term, right: Term) -> Term:
    """Return whether `left < right`, unsigned."""
    _same_width(left, right)
    if left is right:
        return FALSE
    top = (1 << left.width) - 1
    if right.op == "const":
        bound = right.args[0]
        if left.op == "const":
            return boolean(left.args[0] < bound)
        if bound == 0:
            return FALSE
        if bound == 1:
            return eq(left, const(0, left.width))
        if bound == top:
            return ne(left, right)
        if left.op == "zext":
            inner = left.args[0]
            return TRUE if bound >> inner.width else ult(inner, const(bound, inner.width))
        if (scaled := _scaled(left)) is not None:
            inner, factor, rest = scaled
            least = -((rest - bound) // factor)  # the least inner one that is too large
            return TRUE if least >> inner.width else ult(inner, const(least, inner.width))
    elif left.op == "const":
        bound = left.args[0]
        if bound == top:
            return FALSE
        if bound == 0:
            return ne(right, left)
        if bound == top - 1:
            return eq(right, const(top, right.width))
        if right.op == "zext":
            inner = right.args[0]
            return FALSE if bound >> inner.width else ult(const(bound, inner.width), inner)
        if _scaled(right) is not None:
            return not_(ult(right, const(bound + 1, right.width)))
    elif left.op == right.op == "zext":
        width = max(left.args[0].width, right.args[0].width)
        if width < left.width:
            return ult(extract(left, width - 1, 0), extract(right, width - 1, 0))
    return intern("ult", 0, left, right)


def _scaled(term: Term) -> tuple[Term, int, int] | None:
    """Return an inner term, a factor and a rest if the term is `inner * factor + rest` without overflow."""
    if term.op == "concat" and term.args[-1].op == "const":
        low = term.args[-1]
        return extract(term, term.width - 1, low.width), 1 << low.width, low.args[0]
    if term.op == "mul" and term.args[0].op == "zext" and term.args[1].op == "const":
        inner, factor = term.args[0].args[0], term.args[1].args[0]
        if factor and ((1 << inner.width) - 1) * factor >> term.width == 0:
            return inner, factor, 0
    return None


def ule(left: Term, right: Term) -> Term:
    """Return whether `left <= right`, unsigned."""
    return not_(ult(right, left))


def between(term: Term, low: int, high: int) -> Term:
    """Return whether `low <= term <= high`, unsigned."""
    if low == high:
        return eq(term, const(low, term.width))
    return all_(ule(const(low, term.width), term), ule(term, const(high, term.width)))


def slt(left: Term, right: Term) -> Term:
    """Return whether `left < right` as two's complement numbers."""
    _same_width(left, right)
    if left is right:
        return FALSE
    if left.op == right.op == "const":
        return boolean(_signed(left) < _signed(right))
    if _top_bit_clear(left) and _top_bit_clear(right):
        return ult(left, right)
    if right.op == "const" and left.op == "concat" and left.args[-1].op == "const":
        low = left.args[-1]
        inner = extract(left, left.width - 1, low.width)
        least = -((low.args[0] - _signed(right)) >> low.width)
        return TRUE if least >> (inner.width - 1) == 1 else slt(inner, const(least, inner.width))
    if left.op == "const" and right.op == "concat" and right.args[-1].op == "const":
        above = _signed(left) + 1
        return FALSE if above >> (left.width - 1) == 1 else not_(slt(right, const(above, left.width)))
    return intern("slt", 0, left, right)


def sle(left: Term, right: Term) -> Term:
    """Return whether `left <= right` as two's complement numbers."""
    return not_(slt(right, left))


def _top_bit_clear(term: Term) -> bool:
    return term.op == "zext" or (term.op == "const" and not term.args[0] >> (term.width - 1))


def not_(term: Term) -> Term:
    """Return the negation of a truth value."""
    if term.op == "not":
        inner: Term = term.args[0]
        return inner
    if term.op == "const":
        return FALSE if term is TRUE else TRUE
    if term.width:
        raise ValueError(f"not_ of a term of {term.width} bits; expected a truth value")
    return intern("not", 0, term)


def all_(*terms: Term) -> Term:
    """Return whether all of the truth values hold; TRUE for none."""
    kept: dict[Term, None] = {}
    for term in terms:
        if term.width:
            raise ValueError(f"all_ of a term of {term.width} bits; expected truth values")
        for part in term.args if term.op == "all" else (term,):
            if part is FALSE or (part.args[0] if part.op == "not" else not_(part)) in kept:
                return FALSE
            if part is not TRUE:
                kept[part] = None
    for part in kept:  # `a and b and not (a and b)`
        if part.op == "not" and part.args[0].op == "all" and all(other in kept for other in part.args[0].args):
            return FALSE
    if len(kept) < 2:
        return next(iter(kept), TRUE)
    return intern("all", 0, *kept)


def any_(*terms: Term) -> Term:
    """Return whether one of the truth values holds; FALSE for none."""
    return not_(all_(*map(not_, terms)))


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """Return `then` where the condition holds and `otherwise` where it does not; both may be truth values."""
    _same_width(then, otherwise)
    if condition.width:
        raise ValueError(f"the condition of ite has {condition.width} bits; expected a truth value")
    if condition.op == "const":
        return then if condition is TRUE else otherwise
    if then is otherwise:
        return then
    if condition.op == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    if then.width == 0:
        if then.op == "const":
            return any_(condition, otherwise) if then is TRUE else all_(not_(condition), otherwise)
        if otherwise.op == "const":
            return any_(not_(condition), then) if otherwise is TRUE else all_(condition, then)
    return intern("ite", then.width, condition, then, otherwise)


def _same_width(left: Term, right: Term) -> None:
    if left.width != right.width:
        raise ValueError(f"operands of {left.width} and {right.width} bits; expected equal widths")


def _commute(left: Term, right: Term) -> tuple[Term, Term]:
    """Return both operands in canonical order: a constant second, otherwise by key."""
    _same_width(left, right)
    if left.op == "const" or (right.op != "const" and right.key < left.key):
        return right, left
    return left, right


_BITWISE: Final = {"and": bv_and, "or": bv_or, "xor": bv_xor}
_MODULAR: Final = {"add": add, "sub": sub, "mul": mul}
