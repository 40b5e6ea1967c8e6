"""The systems of a scenario that a search takes with a reduction which it has chosen itself."""

from collections.abc import Callable
from typing import Any

from sdnloom.check.reduction_choice.noted_program import NotedProgram, RecalledProgram
from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.engine.model import Restart, RestartRequired, System
from sdnloom.network.assumed_independence import AssumeIndependent
from sdnloom.network.program import Program


class ReducedNetwork:
    """A network whose program is assumed to have independent handlers: `ReducedSystems` of the engine.

    Handlers that the search without a reduction has run are not run again, but for their footprints. These are found
    for each system anew.
    """

    def __init__(self, program: NotedProgram, build: Callable[[Program], System]) -> None:
        self._recalled = RecalledProgram(program)
        self._program = AssumeIndependent(self._recalled, deferred=True)
        self._build = build
        self._known: tuple[str, ...] = ()  # what was refuted when the last system was built

    @property
    def refuted(self) -> tuple[str, ...]:
        """Why assumptions were refuted so far."""
        return self._program.refuted

    @property
    def assumed(self) -> Any:
        """What is assumed, and why no more, as plain data of a checkpoint."""
        return self._program.assumed

    def assume(self, saved: Any) -> None:
        """Assume what `assumed` was in another process. Raises CheckpointError for what it cannot have been."""
        apart, near, refuted = saved
        if not all(isinstance(reason, str) for reason in refuted):
            raise CheckpointError(f"the checkpoint has assumptions that were refuted because of {refuted!r}")
        self._program.assume(apart is True, near is True, tuple(refuted))

    def system(self) -> System:
        """A new system under the assumptions that are not refuted."""
        while True:
            left = self._program.assumed
            self._program = AssumeIndependent(self._recalled, deferred=True)
            self._program.assume(*left)
            self._known = self.refuted
            try:
                return self._build(self._program)
            except RestartRequired as required:  # of the start-up, which runs the program
                if not self.concerns(required.restart):
                    raise

    @property
    def footprints(self) -> int:
        """How many handler runs of the last system were taken again to find their footprints."""
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
