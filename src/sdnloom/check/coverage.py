"""Which lines and branches of a program a search reached.

Steps are memoised, so the program runs once per distinct situation and tracing it costs little. A branch is one way out
of one conditional jump of the compiled code: `if a and b` has four. Lines that run when the file is imported (class
bodies, `def` lines) are not counted: every search reaches them.
"""

import dis
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from sdnloom.engine.model import Action, System

_Key = tuple[str, int]  # qualified name and first line of a function
_GENERIC = "<generic parameters of "  # what `def f[T]` runs when it defines `f`
_ENTRY = ("RESUME", "RETURN_GENERATOR", "COPY_FREE_VARS", "MAKE_CELL", "POP_TOP", "CACHE", "EXTENDED_ARG")


@dataclass(frozen=True)
class Branch:
    """One way out of a conditional jump."""

    line: int
    to: int  # the line it leads to
    offset: int
    jumps: bool


@dataclass(frozen=True)
class FileCoverage:
    """What was reached of one file. Lines are in order; a missed branch is (line, line it would lead to)."""

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
    """Watches the code of some files while it runs inside `watching`."""

    def __init__(self, files: tuple[Path, ...], kind: type | None = None, branches: bool = True) -> None:
        """With `kind`, methods of classes that it does not inherit from are left out: they are other programs.

        Code that was rewritten has the lines of the file, but other branches: then `branches` is to be false.
        """
        self._counts_branches = branches
        self.only(kind)
        self._files = tuple(dict.fromkeys(file.resolve() for file in files))
        self._known: dict[str, Path | None] = {}
        self._lines: dict[Path, set[int]] = {file: set() for file in self._files}
        self._ways: dict[Path, set[tuple[_Key, int, bool]]] = {file: set() for file in self._files}
        self._places: dict[CodeType, tuple[dict[int, int], dict[int, int]]] = {}  # what `_jumps` and `_wide` return

    def only(self, kind: type | None) -> None:
        """Leave out methods of classes that the class does not inherit from."""
        self._own = None if kind is None else {base.__name__ for base in kind.__mro__}

    def watch(self, system: System, component: str) -> System:
        """The system in which every step of the component is watched."""

        def watched(action: Action) -> Action:
            step = action.step
            return replace(action, step=lambda core, message: self.watching(lambda: step(core, message)))

        components = tuple(
            replace(one, actions=tuple(map(watched, one.actions))) if one.name == component else one
            for one in system.components
        )
        return replace(system, components=components)

    def watching(self, call: Callable[[], Any]) -> Any:
        """What the call returns; the lines and branches it runs are noted."""
        before = sys.gettrace()
        sys._getframe().f_trace_opcodes = True  # Python 3.12 sends these events only if some frame asked before
        sys.settrace(self._called)
        try:
            return call()
        finally:
            sys.settrace(before)

    def report(self) -> tuple[FileCoverage, ...]:
        """What was reached so far, file by file."""
        return tuple(self._of_file(file) for file in self._files)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in self._known:
            file = Path(code.co_filename).resolve()
            self._known[code.co_filename] = file if file in self._lines else None
        found = self._known[code.co_filename]
        if found is None:
            return None
        lines, ways = self._lines[found], self._ways[found]
        if code not in self._places:
            self._places[code] = _jumps(code), _wide(code)
        jumps, wide = self._places[code]
        key = (code.co_qualname, code.co_firstlineno)
        last = -1

        def inside(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "line":
                lines.add(frame.f_lineno)
            elif event == "opcode":
                place = wide.get(frame.f_lasti, frame.f_lasti)
                if last in jumps and place != last:  # from Python 3.12 on a wide instruction has two events
                    ways.add((key, last, place != jumps[last]))
                last = place
            elif event == "exception":
                last = -1  # what raised went neither way
            return inside

        frame.f_trace = inside  # Python 3.13 ignores the wish below of a frame without it
        frame.f_trace_opcodes = True
        return inside

    def _of_file(self, file: Path) -> FileCoverage:
        functions = list(_functions(compile(file.read_bytes(), str(file), "exec"), self._own))
        lines: set[int] = set()
        missed: list[tuple[int, int]] = []
        total = 0
        for code in functions:
            lines |= _lines(code)
            key = (code.co_qualname, code.co_firstlineno)
            for branch in _branches(code) if self._counts_branches else ():
                total += 1
                if (key, branch.offset, branch.jumps) not in self._ways[file]:
                    missed.append((branch.line, branch.to))
        missed_lines = tuple(sorted(lines - self._lines[file]))
        return FileCoverage(file, tuple(sorted(lines)), missed_lines, total, tuple(sorted(missed)))


def _functions(code: CodeType, classes: set[str] | None) -> Iterator[CodeType]:
    """Every function inside the code, without module and class bodies and without methods of other classes."""
    if code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith(_GENERIC):
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            is_class = not constant.co_flags & inspect.CO_OPTIMIZED
            if not is_class or classes is None or constant.co_name in classes:
                yield from _functions(constant, classes)


def _lines(code: CodeType) -> set[int]:
    return {line for one, line in _instructions(code) if one.opname not in _ENTRY}


def _branches(code: CodeType) -> Iterator[Branch]:
    instructions = list(_instructions(code))
    line_at = {one.offset: line for one, line in instructions}
    following = _jumps(code)
    for one, line in instructions:
        if one.offset in following:
            yield Branch(line, line_at.get(one.argval, line), one.offset, True)
            yield Branch(line, line_at.get(following[one.offset], line), one.offset, False)


def _jumps(code: CodeType) -> dict[int, int]:
    """For each conditional jump the offset of the instruction after it."""
    instructions = [one for one, _ in _instructions(code) if one.opcode != dis.EXTENDED_ARG]
    return {one.offset: after.offset for one, after in itertools.pairwise(instructions) if one.opcode in _CONDITIONAL}


def _wide(code: CodeType) -> dict[int, int]:
    """For each prefix of an instruction with a large argument, such as a jump over a long body, its offset."""
    found: dict[int, int] = {}
    prefixes: list[int] = []
    for one in dis.get_instructions(code):
        if one.opcode == dis.EXTENDED_ARG:
            prefixes.append(one.offset)
        else:
            found |= dict.fromkeys(prefixes, one.offset)
            prefixes.clear()
    return found


def _instructions(code: CodeType) -> Iterator[tuple[dis.Instruction, int]]:
    line = code.co_firstlineno
    starts = dict(dis.findlinestarts(code))
    for one in dis.get_instructions(code):
        line = starts.get(one.offset) or line
        yield one, line


# JUMP_IF_..., POP_JUMP_..._IF_... and FOR_ITER; the exception machinery's jumps are no branches of the program.
_CONDITIONAL = frozenset(
    opcode
    for name, opcode in dis.opmap.items()
    if (opcode in dis.hasjrel or opcode in dis.hasjabs) and ("IF" in name or name == "FOR_ITER") and "EXC" not in name
)
