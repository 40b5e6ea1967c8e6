"""Sometimes: an event that should be possible, so that a verdict is not vacuous."""

from dataclasses import dataclass, fields, replace
from typing import Any

from sdnloom.engine.model import Event, Needs, Property
from sdnloom.network import events
from sdnloom.network.build import NetworkView
from sdnloom.network.network import NetworkError
from sdnloom.properties.base import NetworkProperty

_EVENTS = {kind.__name__: kind for kind in events.NetworkEvent.__args__}


@dataclass(frozen=True)
class Sometimes(NetworkProperty):
    """An event of this kind can happen, at the host, switch or port `at` if given; reported if it never does."""

    name: str = ""
    event: str = "Received"
    at: str | None = None

    def bind(self, view: NetworkView) -> tuple[Property, ...]:
        """Return one property with a witness instead of a violation."""
        kind = _EVENTS.get(self.event)
        if kind is None:
            raise NetworkError(f"event is {self.event!r}; expected one of {', '.join(sorted(_EVENTS))}")

        first = fields(kind)[0].name
        if self.at is not None and first in ("host", "switch"):
            known = view.hosts if first == "host" else view.switches
            if self.at not in known:
                raise NetworkError(f"{self.event} at {self.at!r}; expected a {first}: {', '.join(known[:12])}")

        def fold(seen: bool, event: Event) -> bool:
            return seen or (isinstance(event, kind) and self.at in (None, str(getattr(event, first))))

        def witness(seen: bool, _: Any) -> str | None:
            return f"{self.event}{f' at {self.at}' if self.at else ''} happened" if seen else None

        name = self.name or f"sometimes {self.event}{f' at {self.at}' if self.at else ''}"
        return (Property(name, Needs.EVENT, witness, fold=fold, initial=False, sometimes=True),)


def sometimes(prop: Property) -> Property:
    """Return the property with its meaning inverted: a report of it is a witness, not a violation."""
    return replace(prop, sometimes=True)
