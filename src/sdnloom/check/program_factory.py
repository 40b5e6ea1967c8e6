"""Fresh programs for the runs of a scenario."""

from collections.abc import Callable
from typing import TypeAlias

from sdnloom.network.program import Program, Reloadable, capability


class ProgramFactory:
    """Makes programs from one description. Law: they react alike, and no two runs share one.

    `unused` is a program that was made in order to read the scenario; the first run takes it instead of a new one.
    """

    def __init__(self, make: Callable[[], Program], unused: Program | None = None) -> None:
        self._make, self._unused = make, unused

    def __call__(self) -> Program:
        """The unused program if there is one, otherwise a new one."""
        unused, self._unused = self._unused, None
        return self.make() if unused is None else unused

    def make(self) -> Program:
        """A new program."""
        return self._make()

    def give_back(self, program: Program) -> None:
        """Keep a program for the next run. No step of a search may have run it."""
        self._unused = program


ProgramSource: TypeAlias = Program | Callable[[], Program]


def make_program(source: ProgramSource, new: bool = False) -> Program:
    """A program that no other run has: of a factory, or the given program loaded again if its platform can do that.

    With `new` the program is made now, so that the code that makes it can be observed.
    """
    if isinstance(source, ProgramFactory):
        return source.make() if new else source()
    if not isinstance(source, Program):
        return source()
    reloadable = capability(source, Reloadable)
    return source if reloadable is None else reloadable.reloaded()
