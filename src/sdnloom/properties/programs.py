"""NoHandlerException: the program's handlers raise no exceptions, and it does not end its own process."""

from dataclasses import dataclass

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HandlerRaised, ProgramEnded, exception_text
from sdnloom.properties.base import NetworkProperty


@dataclass(frozen=True)
class NoHandlerException(NetworkProperty):
    """No exception escapes from a handler, and the program does not end its own process. Checked at every event."""

    name: str = "NoHandlerException"

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property."""

        def fold(found: str, event: Event) -> str:
            if isinstance(event, ProgramEnded):
                return max(found, exception_text(event))
            if not isinstance(event, HandlerRaised):
                return found
            library = f" (raised at {event.library})" if event.library else ""
            effect = f"; {event.effect}" if event.effect else ""
            return max(found, f"{exception_text(event)}{library}{effect}")

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
