"""What the source of a program says: the statements of its functions, and the attributes that its methods write.

An attribute counts as written if a statement outside of `__init__` assigns to it, to a part of it, or calls a method
that changes it, also by way of a local name for it or for a part of it. Functions are followed by their names: all that
a function mentions belong to it.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from sdnloom.platforms.line_trace import Line

_CHANGES = frozenset(
    (
        *("append", "appendleft", "add", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem"),
        *("popleft", "remove", "setdefault", "sort", "reverse", "rotate", "update", "move_to_end"),
        *("difference_update", "intersection_update", "symmetric_difference_update"),
    )
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_NOT_RUN = (ast.Global, ast.Nonlocal)  # statements that no line event shows


@dataclass(frozen=True)
class SourceFunction:
    """A function: its name, the lines of its statements, and the names that it mentions."""

    name: str
    owner: str  # the class that it is a method of, or ""
    lines: frozenset[Line]
    mentions: frozenset[str]


@dataclass(frozen=True)
class SourceFacts:
    """The functions of some files, the attributes that are written outside of `__init__`, and literals."""

    functions: tuple[SourceFunction, ...]
    bases: tuple[tuple[str, frozenset[str]], ...]  # each class with the names of its bases
    own: frozenset[str]  # attributes that some statement assigns to; others belong to a framework
    written: frozenset[str]
    assigned: frozenset[tuple[str, object]]  # (attribute, text or None that is assigned to it)
    numbers: tuple[int, ...]  # whole numbers that occur anywhere

    @cached_property
    def lines(self) -> frozenset[Line]:
        """The lines of all functions."""
        return frozenset(line for each in self.functions for line in each.lines)

    def lines_of_handlers(self, run: Iterable[Line], classes: frozenset[str]) -> frozenset[Line]:
        """All lines of the functions that were entered, and of those that they mention.

        `classes` are those of the objects that hold the state and their bases. Methods count if their class is one of
        these or is mentioned by what counts. Classes that are derived from these are other programs.
        """
        entered, others = frozenset(run), self._derived(classes)
        made = frozenset().union(*(each.mentions for each in self.functions if each.owner in classes))
        found = [each for each in self.functions if each.lines & entered]
        names, owners = frozenset[str](), frozenset({"", *classes, *made, *(each.owner for each in found)})
        while True:
            names = names.union(*(each.mentions for each in found))
            owners |= names
            more = [
                each
                for each in self.functions
                if each not in found and self._counts(each, names, owners - others, classes)
            ]
            if not more:
                return frozenset(line for each in found for line in each.lines)
            found += more

    @staticmethod
    def _counts(each: SourceFunction, names: frozenset[str], owners: frozenset[str], classes: frozenset[str]) -> bool:
        """Whether functions that mention these names may call a function, if objects have these classes."""
        if each.name == "__init__":
            return each.owner in names and each.owner in owners and each.owner not in classes  # those ran before
        return each.name in names and each.owner in owners

    def _derived(self, classes: frozenset[str]) -> set[str]:
        """The classes that are derived from some of these and are none of them."""
        found: set[str] = set()
        while True:
            more = {name for name, bases in self.bases if bases & (classes | found)} - classes - found
            if not more:
                return found
            found |= more


def source_facts(files: Iterable[Path]) -> SourceFacts:
    """The facts about some files."""
    parts = [_facts(file.resolve()) for file in files]
    return SourceFacts(
        tuple(each for part in parts for each in part.functions),
        tuple(each for part in parts for each in part.bases),
        frozenset().union(*(part.own for part in parts)),
        frozenset().union(*(part.written for part in parts)),
        frozenset().union(*(part.assigned for part in parts)),
        tuple(sorted({each for part in parts for each in part.numbers})),
    )


@lru_cache(maxsize=64)
def _facts(file: Path) -> SourceFacts:
    tree = ast.parse(file.read_bytes())
    numbers = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is int}
    own = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    functions, written, assigned = [], set[str](), set[tuple[str, object]]()
    for owner, node in _functions(tree, ""):
        lines = frozenset(Line(file.name, number) for number in _lines(node.body))
        inside = [each for statement in node.body for each in ast.walk(statement)]  # decorators ran before
        mentions = {each.id for each in inside if isinstance(each, ast.Name)}
        mentions |= {each.attr for each in inside if isinstance(each, ast.Attribute)}
        functions.append(SourceFunction(node.name, owner, lines, frozenset(mentions)))
        assigned |= set(_assigned(node))
        if node.name != "__init__":
            written |= _written(node)
    bases = tuple(
        (node.name, frozenset(_last_name(base) for base in node.bases))
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    return SourceFacts(
        tuple(functions), bases, frozenset(own), frozenset(written), frozenset(assigned), tuple(sorted(numbers))
    )


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def source_text(files: Iterable[Path], line: Line) -> str:
    """A line of a file as its source has it; "" if there is none."""
    for file in files:
        if file.name == line.file:
            rows = file.read_text(errors="replace").splitlines()
            return rows[line.number - 1].strip() if line.number <= len(rows) else ""
    return ""


def _functions(tree: ast.AST, owner: str) -> Iterator[tuple[str, _Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            yield owner, node
            yield from _functions(node, "")
        else:
            yield from _functions(node, node.name if isinstance(node, ast.ClassDef) else owner)


def _lines(block: Iterable[ast.stmt]) -> Iterator[int]:
    """The first lines of the statements of a block, without those of functions and classes inside."""
    for node in block:
        constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        declared = isinstance(node, ast.AnnAssign) and node.value is None
        if not (constant or declared or isinstance(node, _NOT_RUN)):
            yield node.lineno
        if isinstance(node, _Function | ast.ClassDef):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _lines(getattr(node, name, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _lines(part.body)


def _chain(node: ast.expr) -> tuple[set[str], str]:
    """The attributes on the way to the root of `a.b[c].d(...)`, without methods, and the name of the root."""
    attributes: set[str] = set()
    while True:
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript | ast.Starred):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        else:
            return attributes, node.id if isinstance(node, ast.Name) else ""


def _written(function: _Function) -> set[str]:
    """The attributes that a function changes, as a whole or in part."""
    aliases: dict[str, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            attributes, root = _chain(node.value)
            for target in targets:
                if isinstance(target, ast.Name) and (attributes or root in aliases):
                    aliases.setdefault(target.id, set()).update(attributes | aliases.get(root, set()))
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name | ast.Tuple):
            attributes, root = _chain(node.iter)
            for each in ast.walk(node.target):
                if isinstance(each, ast.Name):
                    aliases.setdefault(each.id, set()).update(attributes | aliases.get(root, set()))
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            attributes, root = _chain(node)
            found |= attributes | aliases.get(root, set())
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
            attributes, root = _chain(node.func.value)
            found |= attributes | aliases.get(root, set())
    return found


def _assigned(function: _Function) -> Iterator[tuple[str, object]]:
    """The attributes to which a function assigns a text or None, with the value."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            value = node.value.value
            if value is None or type(value) is str:
                yield from ((target.attr, value) for target in node.targets if isinstance(target, ast.Attribute))
