"""What must be true of the program itself."""

from dataclasses import dataclass

from sdnloom.check.properties.base import Rule
from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network.build import World
from sdnloom.network.events import HandlerRaised


@dataclass(frozen=True)
class NoHandlerException(Rule):
    """No exception escapes from a handler of the program. Asked at every event."""

    name: str = "NoHandlerException"

    def bind(self, world: World) -> tuple[Property, ...]:
        """One property."""

        def fold(found: str, event: Event) -> str:
            if not isinstance(event, HandlerRaised):
                return found
            library = f" (raised at {event.library})" if event.library else ""
            effect = f"; {event.effect}" if event.effect else ""
            said = f"{event.file}:{event.line}: {event.handler} of {event.program} raised {event.text}{library}{effect}"
            return max(found, said)

        return (Property(self.name, Needs.EVENT, lambda found, _: found or None, fold=fold, initial=""),)
