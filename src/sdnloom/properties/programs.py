"""What must be true of the program itself."""

from dataclasses import dataclass

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import NetworkView
from sdnloom.network.events import HandlerRaised
from sdnloom.properties.base import NetworkProperty


@dataclass(frozen=True)
class NoHandlerException(NetworkProperty):
    """No exception escapes from a handler of the program. Asked at every event."""

    name: str = "NoHandlerException"

    def bind(self, world: NetworkView) -> tuple[Property, ...]:
        """One property."""

        def fold(found: str, event: Event) -> str:
            if not isinstance(event, HandlerRaised):
                return found
            library = f" (raised at {event.library})" if event.library else ""
            effect = f"; {event.effect}" if event.effect else ""
            said = f"{event.file}:{event.line}: {event.handler} of {event.program} raised {event.text}{library}{effect}"
            return max(found, said)

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
