"""Lines and branches of a program that a search reached, measured with coverage.py.

Steps are memoised, so the program runs once per distinct situation and measuring it costs little. A line is a statement
and a branch one way out of a line with several, as coverage.py counts them. Statements outside of functions are left
out: they run when a file is imported, so every search reaches them.
"""

import ast
import importlib.util
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sdnloom.engine.model import Action, System
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    import coverage

_T = TypeVar("_T")
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class CoverageError(SdnloomError):
    """Coverage cannot be measured here; the message says why."""


@dataclass(frozen=True)
class FileCoverage:
    """Coverage of one file. Lines are in order; a missed branch is (line, line that it leads to).

    A branch that leaves the function leads to a negative line.
    """

    file: Path
    lines: tuple[int, ...]
    missed_lines: tuple[int, ...]
    branches: int
    missed_branches: tuple[tuple[int, int], ...]

    @property
    def reached_lines(self) -> int:
        """How many lines were reached."""
        return len(self.lines) - len(self.missed_lines)

    @property
    def reached_branches(self) -> int:
        """How many branches were reached."""
        return self.branches - len(self.missed_branches)


class Coverage:
    """Measures the code of some files while it runs inside `watching`.

    A measurement that goes on around it, such as that of `pytest --cov`, is paused meanwhile and then resumed.
    """

    def __init__(self, files: tuple[Path, ...], kind: type | None = None, branches: bool = True) -> None:
        """With `kind`, methods of classes that it does not inherit from are left out: they are other programs.

        Rewritten code has the lines of the file but other branches: then `branches` is to be false.
        """
        self._files = tuple(dict.fromkeys(file.resolve() for file in files))
        self._branches = branches
        self._measured = _measurement(self._files, branches)
        self.only(kind)

    def only(self, kind: type | None) -> None:
        """Leave out methods of classes that the class does not inherit from."""
        self._classes = None if kind is None else {base.__name__ for base in kind.__mro__}

    def watch(self, system: System, component: str) -> System:
        """The system with every step of the component measured."""

        def watched(action: Action) -> Action:
            step = action.step
            return replace(action, step=lambda core, message: self.watching(lambda: step(core, message)))

        components = tuple(
            replace(each, actions=tuple(map(watched, each.actions))) if each.name == component else each
            for each in system.components
        )
        return replace(system, components=components)

    def watching(self, call: Callable[[], _T]) -> _T:
        """The result of the call; the lines and branches that it runs are recorded."""
        self._measured.start()
        try:
            return call()
        finally:
            self._measured.stop()

    def report(self) -> tuple[FileCoverage, ...]:
        """The coverage so far, file by file."""
        if not self._files:
            return ()
        if self._branches:  # branches of files in which nothing ran are missed ones too
            self._measured.get_data().add_arcs({str(file): [] for file in self._files})
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "coverage.json")
            self._measured.json_report(morfs=[str(each) for each in self._files], outfile=str(file))
            found = json.loads(file.read_bytes())["files"]
        by_file = {Path(name).resolve(): measured for name, measured in found.items()}
        return tuple(self._of_file(each, by_file[each]) for each in self._files)

    def _of_file(self, file: Path, measured: dict[str, Any]) -> FileCoverage:
        counted = set(_function_lines(ast.parse(file.read_bytes()), self._classes))
        reached, missed = (
            [line for line in measured[key] if line in counted] for key in ("executed_lines", "missing_lines")
        )
        taken, left = (
            [(line, to) for line, to in measured.get(key, ()) if line in counted]
            for key in ("executed_branches", "missing_branches")
        )
        lines = tuple(sorted({*reached, *missed}))
        return FileCoverage(file, lines, tuple(sorted(missed)), len(taken) + len(left), tuple(sorted(left)))


def _measurement(files: tuple[Path, ...], branches: bool) -> "coverage.Coverage":
    """A measurement of these files that reads no configuration and writes no data."""
    if importlib.util.find_spec("coverage") is None:
        raise CoverageError("coverage.py is not installed; expected it for --coverage: pip install 'coverage>=7,<8'")
    import coverage  # here, because only `--coverage` needs it

    measured = coverage.Coverage(
        data_file=None,
        branch=branches,
        config_file=False,
        include=[str(file) for file in files],
        concurrency=["thread", "greenlet"] if importlib.util.find_spec("greenlet") else ["thread"],
        check_preimported=False,
        messages=False,
    )
    measured.set_option("run:disable_warnings", ["no-data-collected", "couldnt-parse", "already-imported"])
    return measured


def _function_lines(tree: ast.AST, classes: set[str] | None) -> Iterator[int]:
    """The lines inside of functions, without methods of classes that are not among the given ones."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            body = node.body if isinstance(node.body, list) else [node.body]
            yield from range(body[0].lineno, (node.end_lineno or node.lineno) + 1)
        elif not isinstance(node, ast.ClassDef) or classes is None or node.name in classes:
            yield from _function_lines(node, classes)
