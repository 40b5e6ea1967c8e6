"""Notes of a program's reactions, for a second search of the same network that need not run its handlers again."""

from collections.abc import Hashable, Sequence
from typing import Any

from sdnloom.engine.model import Restart
from sdnloom.network.program import Input, Program, Reaction, keep_order


class NotedProgram:
    """A program whose reactions are noted. Law: it reacts as the program does, whose code runs each time."""

    def __init__(self, program: Program) -> None:
        self.wrapped = program
        self._notes: dict[tuple[Hashable, Input], Sequence[Reaction]] = {}

    @property
    def name(self) -> str:
        """The program's name."""
        return self.wrapped.name

    def initial(self) -> Hashable:
        """The program's first core."""
        return self.wrapped.initial()

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


class RecalledProgram:
    """A program whose code runs only where there is no note. Law: it reacts as the program does."""

    def __init__(self, program: NotedProgram) -> None:
        self.wrapped = program

    @property
    def name(self) -> str:
        """The program's name."""
        return self.wrapped.name

    def initial(self) -> Hashable:
        """The program's first core."""
        return self.wrapped.initial()

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """The program's reactions."""
        found = self.wrapped.noted(core, given)
        return self.wrapped.handle(core, given) if found is None else found
