"""NoHandlerException: the program's handlers raise no exceptions."""

from dataclasses import dataclass

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HandlerRaised
from sdnloom.properties.base import NetworkProperty


@dataclass(frozen=True)
class NoHandlerException(NetworkProperty):
    """No exception escapes from a handler of the program. Checked at every event."""

    name: str = "NoHandlerException"

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property."""

        def fold(found: str, event: Event) -> str:
            if not isinstance(event, HandlerRaised):
                return found
            library = f" (raised at {event.library})" if event.library else ""
            effect = f"; {event.effect}" if event.effect else ""
            text = f"{event.file}:{event.line}: {event.handler} of {event.program} raised {event.text}{library}{effect}"
            return max(found, text)

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
