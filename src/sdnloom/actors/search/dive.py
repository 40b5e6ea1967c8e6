"""A dive into a program of actors, beside its search: on a graph of its own, so that the search learns nothing from it.

What the search learns of tasks and of symmetry decides which states it counts. The dive treats no actors alike and
leaves out no order; what its tasks print was or will be printed by the search.
"""

from collections.abc import Callable

from sdnloom.actors.program import PLAIN, Program
from sdnloom.actors.runtime.step_output import WATCH, StepWatch
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.options import ActorOptions
from sdnloom.engine.dives.dive import DiveSearch
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding

ACTOR_WIDTH = 20  # a transition of actors takes as long as one of a network with so many components


class ActorDive:
    """A dive of a number of transitions at most, and the violation that it found."""

    def __init__(self, program: Program, seed: int, most: int, options: ActorOptions, watch: LimitWatch) -> None:
        self.graph, self.only = ActorGraph(program, PLAIN), options.only
        self.found: tuple[Finding, int] | None = None  # and the number of its state
        self.search: DiveSearch[int] = DiveSearch(
            seed,
            self.graph,
            limits=Limits(depth=options.limits.depth),
            watch=watch,
            hand_over=lambda transitions: transitions >= most,
            on_finding=self._on_finding,
        )

    def run(self, pause: Callable[[], None]) -> bool:
        """Whether a violation was found; `pause` is called between steps."""
        self.graph.pause = pause
        unheard = WATCH.set(StepWatch(lambda line: None))
        try:
            self.search.run()
        finally:
            WATCH.reset(unheard)
        return self.found is not None

    def _on_finding(self, found: Finding, number: int) -> bool:
        if self.only not in (None, found.property):
            return False
        self.found = self.found or (found, number)
        return True
