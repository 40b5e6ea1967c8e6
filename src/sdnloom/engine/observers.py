"""Calls of observers during a search: each once per distinct combination of the values that it asks for.

Both engines pass the states in the order of the search; a run keeps one `Observation` per observer, so that an engine
which begins again repeats no call.
"""

from collections.abc import Hashable

from sdnloom.engine import user_code
from sdnloom.engine.model import ModelError, Observer, System
from sdnloom.engine.semantics import Semantics, State


class Observation:
    """An observer during one run, with the combinations of values that it has seen."""

    def __init__(self, semantics: Semantics, observer: Observer) -> None:
        self.observer = observer
        self._semantics = semantics
        self._seen: set[tuple[Hashable, ...]] = set()

    def observe(self, state: State) -> None:
        """Call the observer, unless it has seen these values."""
        values = tuple(self._semantics.column(name, state) for name in self.observer.columns)
        if values not in self._seen:
            self._seen.add(values)
            user_code.observe(self.observer, dict(zip(self.observer.columns, values, strict=True)))


def check_columns(system: System, observer: Observer) -> None:
    """Raise ModelError if an observer asks for a column that the system does not have."""
    known = {component.name for component in system.components} | {channel.name for channel in system.channels}
    for column in observer.columns:
        if column not in known:
            raise ModelError(f"observer {observer.name!r} reads the column {column!r}, no component or channel")
