"""The systems of a scenario that a search takes with a reduction which it has chosen itself."""

from collections.abc import Callable

from sdnloom.check.reduction_choice.noted_program import NotedProgram, RecalledProgram
from sdnloom.engine.model import Restart, RestartRequired, System
from sdnloom.network.assumed_independence import AssumeIndependent
from sdnloom.network.program import Program


class ReducedNetwork:
    """A network whose program is assumed to have independent handlers: `ReducedSystems` of the engine.

    Handlers that the search without a reduction has run are not run again, but for their footprints.
    """

    def __init__(self, program: NotedProgram, build: Callable[[Program], System]) -> None:
        self._program = AssumeIndependent(RecalledProgram(program), deferred=True)
        self._build = build
        self._known: tuple[str, ...] = ()  # what was refuted when the last system was built

    @property
    def refuted(self) -> tuple[str, ...]:
        """Why assumptions were refuted so far."""
        return self._program.refuted

    def system(self) -> System:
        """The system under the assumptions that are not refuted."""
        while True:
            self._known = self.refuted
            try:
                return self._build(self._program)
            except RestartRequired as required:  # of the start-up, which runs the program
                if not self.concerns(required.restart):
                    raise

    @property
    def footprints(self) -> int:
        """How many handler runs were taken again to find their footprints."""
        return self._program.footprints

    @property
    def unsettled(self) -> int:
        """How many of them `settle` will take."""
        return self._program.unsettled

    def settle(self) -> Restart | None:
        """Find the footprints that were put off, and put off no more; a Restart if they refute an assumption."""
        return self._program.settle()

    def concerns(self, restart: Restart) -> bool:
        """Whether this restart refuted an assumption of the last system."""
        return self.refuted != self._known
