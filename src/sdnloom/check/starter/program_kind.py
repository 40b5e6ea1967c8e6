"""What kind of controller program a Python file holds, told by its imports and classes without running it."""

import ast
from pathlib import Path
from typing import Literal, NamedTuple

from sdnloom.platforms.python.handlers import HANDLERS

PlatformName = Literal["os-ken", "NOX", "plain Python", "actors"]
_FRAMEWORKS = {"os_ken", "ryu", "faucet"}


_TIMERS = {"sleep", "spawn_after", "spawn_after_local", "call_later", "Timer", "Timeout"}
_MOST_FILES = 50  # that are read beside the program


class ProgramKind(NamedTuple):
    """The platform of a program, the classes with handlers of one in plain Python, and what its files mention.

    `asks_for_links` is about os-ken's discovery of links; `timers` are lines that wait for a time; `handles_expiry`
    says that it handles FlowRemoved messages.
    """

    platform: PlatformName
    classes: tuple[str, ...] = ()
    asks_for_links: bool = False
    timers: tuple[str, ...] = ()
    handles_expiry: bool = False


def program_kind(file: Path) -> ProgramKind:
    """The kind of the program. A file that tells nothing is taken for an os-ken app: its loader says what is wrong."""
    trees = _trees(file)
    if file not in trees:
        return ProgramKind("os-ken")
    imported = {name for tree in trees.values() for name in _imported(tree)}
    roots = {name.partition(".")[0] for name in imported}
    if "sdnloom.actors" in _imported(trees[file]):
        return ProgramKind("actors")
    if "nox" in roots:
        return ProgramKind("NOX")
    classes = _handler_classes(trees[file])
    if classes and not roots & _FRAMEWORKS:
        return ProgramKind("plain Python", classes)
    links = any(name.split(".")[:2] in (["os_ken", "topology"], ["ryu", "topology"]) for name in imported)
    timers = tuple(line for each, tree in trees.items() for line in _timers(each, tree))
    named = {node.attr for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return ProgramKind("os-ken", (), links, timers, "EventOFPFlowRemoved" in named)


def _trees(file: Path) -> dict[Path, ast.Module]:
    """The syntax trees of a file and of the files of its folder that it imports, and so on."""
    found: dict[Path, ast.Module] = {}
    waiting = [file]
    while waiting and len(found) < _MOST_FILES:
        each = waiting.pop()
        try:
            tree = found[each] = ast.parse(each.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        beside = {each.parent / f"{name.partition('.')[0]}.py" for name in _imported(tree)}
        waiting += sorted(other for other in beside if other not in found and other.is_file())
    return found


def _imported(tree: ast.Module) -> set[str]:
    """The modules that a file imports, and the names after `from`, which may be modules."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def _handler_classes(tree: ast.Module) -> tuple[str, ...]:
    """The classes of a file that have a handler, or inherit one from a class above them."""
    found: list[str] = []
    for each in tree.body:
        if isinstance(each, ast.ClassDef):
            own = any(isinstance(part, ast.FunctionDef) and part.name in HANDLERS for part in each.body)
            if own or any(isinstance(base, ast.Name) and base.id in found for base in each.bases):
                found.append(each.name)
    return tuple(found)


def _timers(file: Path, tree: ast.Module) -> list[str]:
    """The calls that wait for a time: "monitor.py:35: hub.sleep(10)"."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TIMERS
    ]
    return [f"{file.name}:{call.lineno}: {ast.unparse(call)[:80]}" for call in calls]
