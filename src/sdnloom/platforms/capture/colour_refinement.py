"""Colour refinement: tells objects apart by the objects they refer to and by those that refer to them.

The first colour of an object depends on its type and value. In each round it gets a new one from its own, those of the
objects that it holds and those of its holders, until no round tells more objects apart. Colours are digests of texts,
so they do not depend on addresses. Only needed for a set whose elements look alike.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from sdnloom.platforms.capture.save_restore import ATOMS, Form
from sdnloom.platforms.capture.snapshot import Scope
from sdnloom.platforms.capture.stable_labels import atom_text, label
from sdnloom.platforms.capture.type_rules import ways


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


VALUES = (tuple, frozenset)  # no nodes, for they have no identity


class _Node:
    """An object with its colour and the objects that each of its aspects holds."""

    __slots__ = ("aspects", "colour", "holders", "target")

    def __init__(self, target: Any, colour: str) -> None:
        self.target, self.colour = target, colour
        self.aspects: list[tuple[Form, Any]] = []
        self.holders: list[tuple[str, _Node]] = []


class ColourRefinement:
    """The colours of all reachable objects; `numbers` are those that a walk has already distinguished."""

    def __init__(
        self,
        roots: Iterable[Any],
        scope: Scope,
        masked: frozenset[str],
        opaque: Callable[[Any], Any],
        numbers: Mapping[int, int],
    ) -> None:
        self._scope, self._masked, self._opaque = scope, masked, opaque
        self._nodes: dict[int, _Node] = {}
        self._picked = 0
        self._collect(list(roots), numbers)
        self._refine()

    def key(self, target: Any) -> str:
        """Return the text by which this object is sorted: equal for objects with the same colour."""
        if type(target) in ATOMS:
            return f"{type(target).__name__}{atom_text(target)}"
        if type(target) is tuple:
            return f"({','.join(map(self.key, target))})"
        if type(target) is frozenset:
            return f"<{','.join(sorted(map(self.key, target)))}>"
        return self._nodes[id(target)].colour

    def single_out(self, target: Any) -> bool:
        """Give one object (of a tuple, one in it) its own colour and refine; False if that changes nothing."""
        if type(target) in ATOMS:
            return False
        if type(target) in VALUES:
            return any(self.single_out(each) for each in sorted(target, key=self.key))
        node = self._nodes[id(target)]
        if sum(each.colour == node.colour for each in self._nodes.values()) == 1:
            return False
        self._picked += 1
        node.colour = f"picked {self._picked}"
        self._refine()
        return True

    def _collect(self, todo: list[Any], numbers: Mapping[int, int]) -> None:
        while todo:
            target = todo.pop()
            if type(target) in ATOMS or id(target) in self._nodes:
                continue
            if type(target) in VALUES:
                todo += target
                continue
            named = self._named(target)
            node = self._nodes[id(target)] = _Node(target, named or label(target))
            how = ways(target)
            if named is not None:
                continue
            if isinstance(how, str):
                view = [self._opaque(target)]
                node.aspects.append((Form.SEQUENCE, view))
                todo += view
                continue
            if id(target) in numbers:
                node.colour += f" #{numbers[id(target)]}"
            for aspect in how:
                saved = aspect.save(target)
                if aspect.form is Form.TEXT:
                    node.colour = _hash(f"{node.colour}({saved})")
                    continue
                if aspect.form is Form.MAP:
                    rows = [row for row in saved.items() if not self._is_masked(target, row[0])]
                    todo += [each for row in rows for each in row]
                else:
                    rows = list(saved)
                    todo += rows
                node.aspects.append((aspect.form, rows))
        for node in self._nodes.values():
            self._note_holders(node)

    def _named(self, target: Any) -> str | None:
        name = self._scope.names.get(id(target))
        if name is not None:
            return "@" + name
        if isinstance(target, type | ModuleType | FunctionType) and self._scope.is_foreign(target):
            return "&" + label(target)
        return None

    def _is_masked(self, holder: Any, key: Any) -> bool:
        return type(key) is str and (key in self._masked or f"{type(holder).__qualname__}.{key}" in self._masked)

    def _note_holders(self, holder: _Node) -> None:
        for turn, (form, rows) in enumerate(holder.aspects):
            for place, row in enumerate(rows):
                if form is Form.MAP:
                    key = f"={atom_text(row[0])}" if type(row[0]) in ATOMS else ""
                    self._note(row[0], f"{turn}key", holder)
                    self._note(row[1], f"{turn}value{key}", holder)
                else:
                    self._note(row, f"{turn}[{place if form is Form.SEQUENCE else ''}]", holder)

    def _note(self, target: Any, role: str, holder: _Node) -> None:
        if type(target) in VALUES:
            for place, each in enumerate(target):
                self._note(each, f"{role}{place if type(target) is tuple else '<'}", holder)
        elif type(target) not in ATOMS:
            self._nodes[id(target)].holders.append((role, holder))

    def _refine(self) -> None:
        nodes = list(self._nodes.values())
        classes = 0
        while (now := len({node.colour for node in nodes})) > classes:
            classes = now
            following = [_hash(self._signature(node)) for node in nodes]
            for node, colour in zip(nodes, following, strict=True):
                node.colour = colour

    def _signature(self, node: _Node) -> str:
        lines = [node.colour]
        for form, rows in node.aspects:
            if form is Form.MAP:
                lines.append("|".join(sorted(f"{self.key(key)}:{self.key(each)}" for key, each in rows)))
            elif form is Form.SET:
                lines.append("|".join(sorted(map(self.key, rows))))
            else:
                lines.append("|".join(map(self.key, rows)))
        lines.append("|".join(sorted(f"{role}{holder.colour}" for role, holder in node.holders)))
        return "\n".join(lines)
