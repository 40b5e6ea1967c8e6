"""The findings of one engine: the first state of each, and what LATE actions make of those at rest."""

from collections.abc import Callable

from sdnloom.engine.late import LateActions
from sdnloom.engine.model import Property, System
from sdnloom.engine.path import Path
from sdnloom.engine.semantics import AT_REST, Finding, State

NO_STEPS = Path()


class FindingLog:
    """Is told every finding of a search, and says whether the search ends with it.

    `system` has the LATE actions, `late` takes them, None if there are none to take. `value` gives the state of a
    number; it is set when there is an engine.
    """

    def __init__(self, system: System, late: LateActions | None, find_all: bool) -> None:
        self.late, self.find_all = late, find_all
        self.sometimes = {prop.name for prop in system.properties if prop.sometimes}
        self._at_rest: dict[str, Property] = {
            prop.name: prop for prop in system.properties if prop.needs in AT_REST and not prop.sometimes
        }
        self.findings: dict[Finding, tuple[int, Path]] = {}  # the state that was found, and the LATE course after it
        self.outlived = False  # whether a violation at rest ended with LATE actions
        self.restless: str | None = None  # why a LATE course could not be judged
        self.value: Callable[[int], State] | None = None
        self.outlasting: set[Finding] = set()  # findings at rest that outlasted the LATE actions

    @property
    def has_violation(self) -> bool:
        """Whether one of the findings is a violation."""
        return any(found.property not in self.sometimes for found in self.findings)

    def note(self, found: Finding, number: int) -> bool:
        """Keep the first state of each finding, for a `sometimes` property only the first; True to stop."""
        if self.late is not None and found.property in self._at_rest:
            return self._outlasts(self.late, found, number)
        return self._keep(found, number)

    def _keep(self, found: Finding, number: int, course: Path = NO_STEPS) -> bool:
        witness = found.property in self.sometimes
        if witness and any(known.property == found.property for known in self.findings):
            return False
        self.findings.setdefault(found, (number, course))
        return not witness and not self.find_all

    def _outlasts(self, late: LateActions, found: Finding, number: int) -> bool:
        """Keep what is found when LATE actions follow a violation at rest; True to stop."""
        if found in self.outlasting:
            return False
        assert self.value is not None
        course = late.course(self.value(number), self._at_rest[found.property])
        steps = tuple(transition.step for transition in course.transitions)
        for witness, count in course.witnesses:
            self._keep(witness, number, Path(steps[:count]))
        self.restless = self.restless or course.stopped
        if course.found is None:
            self.outlived |= course.stopped is None
            return False
        if course.found.property == found.property:
            self.outlasting.add(found)
        return self._keep(course.found, number, Path(steps))
