"""Policies to text, the inverse of the parser: `parse_policy(to_text(p)) is p`."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sdnloom.netkat.syntax import WORD, Assign, Drop, FieldValue, Not, Policy, Product, Skip, Star, Sum, Test

_SUM, _PRODUCT, _STAR, _NOT, _ATOM = range(5)
_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
_IPV4 = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")


@dataclass(frozen=True)
class _Signs:
    drop: str
    skip: str
    test: str
    differs: str
    assign: str
    negation: str
    product: str
    sum: str
    star: str


_ASCII = _Signs("zero", "one", " = ", " != ", " <- ", "~", " . ", " + ", "*")
_SYMBOLS = _Signs("∅", "ε", "=", "≠", "←", "¬", "·", " + ", "∗")


def to_text(policy: Policy, symbols: bool = False, limit: int | None = None) -> str:
    """Return the policy as text, with the papers' symbols if asked; as few parentheses as precedence allows.

    A shared part is written out wherever it occurs, so the text may be far larger than the policy: with `limit`,
    writing stops soon after that many characters.
    """
    signs = _SYMBOLS if symbols else _ASCII
    pieces: list[str] = []
    written = 0
    # Pending work, last first: text to write, or a policy with the lowest precedence that needs no parentheses here.
    pending: list[str | tuple[Policy, int]] = [(policy, _SUM)]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            written += len(item)
            if limit is not None and written > limit:
                break
            continue
        node, least = item
        level, parts = _layout(node, signs)
        if level < least:
            parts = ["(", *parts, ")"]
        pending.extend(reversed(parts))
    return "".join(pieces)


def literal_text(value: FieldValue) -> str:
    """Return the value as the parser reads it back; quoted unless it is a number, a plain word or an address."""
    if isinstance(value, int):
        return str(value)
    if WORD.fullmatch(value) or _MAC.fullmatch(value):
        return value
    if _IPV4.fullmatch(value) and max(map(int, value.split("."))) <= 255:
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())


def packet_text(packet: Mapping[str, FieldValue]) -> str:
    """Return the packet as one line, fields sorted."""
    return "  ".join(f"{field}={literal_text(packet[field])}" for field in sorted(packet))


def _layout(node: Policy, signs: _Signs) -> tuple[int, list[str | tuple[Policy, int]]]:
    match node:
        case Drop():
            return _ATOM, [signs.drop]
        case Skip():
            return _ATOM, [signs.skip]
        case Test(field, value):
            return _ATOM, [field + signs.test + literal_text(value)]
        case Assign(field, value):
            return _ATOM, [field + signs.assign + literal_text(value)]
        case Not(Test(field, value)):
            return _ATOM, [field + signs.differs + literal_text(value)]
        case Not(predicate):
            return _NOT, [signs.negation, *_tight(predicate, _NOT)]
        case Star(body):
            return _STAR, [*_tight(body, _STAR), signs.star]
        case Product(parts):
            return _PRODUCT, _joined(parts, signs.product, _STAR)
        case Sum(parts):
            return _SUM, _joined(parts, signs.sum, _PRODUCT)


def _tight(node: Policy, least: int) -> list[str | tuple[Policy, int]]:
    # `pt = 1*` would parse correctly, but people may misread it.
    if isinstance(node, Test | Assign) or (isinstance(node, Not) and isinstance(node.predicate, Test)):
        return ["(", (node, _SUM), ")"]
    return [(node, least)]


def _joined(parts: tuple[Policy, ...], sign: str, least: int) -> list[str | tuple[Policy, int]]:
    items: list[str | tuple[Policy, int]] = []
    for part in parts:
        items += [sign, (part, least)]
    return items[1:]
