"""Notes of a program's reactions, for a second search of the same network that need not run its handlers again."""

from collections.abc import Hashable, Sequence
from typing import Any

from sdnloom.engine.model import Restart
from sdnloom.network.program import Input, Program, Reaction, WrappedProgram, keep_order


class NotedProgram(WrappedProgram):
    """A program whose reactions are noted. Law: it reacts as the program does, whose code runs each time."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._notes: dict[tuple[Hashable, Input], Sequence[Reaction]] = {}

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """The program's reactions."""
        found = self.wrapped.handle(core, given)
        if isinstance(found, Restart):
            self._notes.clear()  # the program has other cores now
        else:
            self._notes[core, given] = found
        return found

    def noted(self, core: Any, given: Input) -> Sequence[Reaction] | None:
        """The reactions, if they are known already."""
        return self._notes.get((core, given))

    def keep_order(self) -> None:
        """Make insertion order part of the cores; reactions that are noted have other cores."""
        self._notes.clear()
        keep_order(self.wrapped)


class RecalledProgram(WrappedProgram):
    """A program whose code runs only where there is no note. Law: it reacts as the program does."""

    def __init__(self, program: NotedProgram) -> None:
        super().__init__(program)
        self._program = program

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """The program's reactions."""
        found = self._program.noted(core, given)
        return self._program.handle(core, given) if found is None else found
