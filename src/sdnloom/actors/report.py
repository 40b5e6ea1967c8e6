"""The report of a check of a program of actors: everything that text, JSON and trace files show."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sdnloom.actors.executions.count import ExecutionCount
from sdnloom.actors.program import Program
from sdnloom.engine.result import Counterexample, Result, Vacuous, VerdictName, verdict_name
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import Fingerprints, Trace
from sdnloom.network.program import OutputLine
from sdnloom.platforms.code_runs import CodeRun


@dataclass(frozen=True)
class ActorReport:
    """The result of a check with the bounds that its verdict is relative to, one bound per line."""

    program: Program
    result: Result
    bounds: tuple[str, ...]
    checked: tuple[str, ...]  # the names of the properties
    fingerprints: Fingerprints
    notes: tuple[str, ...] = ()  # what a reader of the verdict should know
    reduction: str = "none"  # the level of independence that was used
    symmetry: str = ""  # which actors were treated alike, or why none were
    final_states: int | None = None  # distinct, up to renaming; None if the search did not see all
    executions: ExecutionCount | None = None  # None if they were not counted
    output: tuple[OutputLine, ...] = ()  # of the program, whether or not it is shown
    shows_output: bool = False
    # The code that each step ran, for the first violations. Not compared: it has paths.
    code: Mapping[Counterexample, tuple[tuple[CodeRun, ...], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def verdict(self) -> VerdictName:
        """`violated`, `holds`, `vacuous` or `incomplete`."""
        return verdict_name(self.result.verdict)

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Why the result means little, if the verdict is `vacuous`."""
        return self.result.verdict.reasons if isinstance(self.result.verdict, Vacuous) else ()

    @property
    def violations(self) -> tuple[Counterexample, ...]:
        """The distinct violations, shortest counterexample first."""
        return tuple(sorted(self.result.violations, key=lambda one: (len(one.path), one.property, one.message)))

    def step_code(self, shown: Counterexample) -> tuple[tuple[CodeRun, ...], ...]:
        """The functions that each step of a counterexample ran; none if that is not known."""
        return self.code.get(shown, ())

    @property
    def task_runs(self) -> int:
        """How often code of the program ran."""
        return sum(self.result.statistics.evaluations.values())

    def trace(self, shown: Counterexample, source: Mapping[str, str] | None = None) -> Trace:
        """A counterexample as a trace. `source` says where the program is found again."""
        found = Finding(shown.property, shown.message)
        return Trace(shown.path, found, *self.fingerprints, dict(source or {}))
