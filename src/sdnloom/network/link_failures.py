"""The world around the network: links fail and come back."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sdnloom.engine.model import Action, Component, Mode, Outcome
from sdnloom.network.events import LinkFailed, LinkRestored
from sdnloom.network.links import link_names
from sdnloom.network.network import Network
from sdnloom.network.switch_component import Carrier
from sdnloom.network.topology.spec import SwitchPort

NAME = "environment"


class LinkState(NamedTuple):
    """How often a link may still fail, and whether it works."""

    fails: int
    up: bool = True


def failing_links(network: Network) -> list[tuple[str, tuple[SwitchPort, ...], int]]:
    """Return name, switch ports and budget of every link that can fail, by name."""
    names = link_names(network)
    return sorted((name, names[name], faults.fail) for name, faults in network.link_faults if faults.fail)


def link_failure_component(network: Network) -> Component | None:
    """Return the component that breaks and mends links, or None when none can fail."""
    links = failing_links(network)
    actions = []
    for place, (name, ends, _) in enumerate(links):
        channels = frozenset(f"{end.switch}.carrier" for end in ends)
        cell = frozenset({("link", name)})
        for word, up in (("fail", False), ("restore", True)):
            actions.append(
                Action(f"{word} {name}", _Change(place, name, ends, up), None, channels, cell, cell, Mode.MAY)
            )
    return Component(NAME, tuple(LinkState(budget) for *_, budget in links), tuple(actions)) if links else None


@dataclass(frozen=True)
class _Change:
    place: int
    name: str
    ends: tuple[SwitchPort, ...]
    up: bool

    def __call__(self, core: tuple[LinkState, ...], _: Any) -> list[Outcome]:
        cable = core[self.place]
        if cable.up == self.up or (not self.up and not cable.fails):
            return []
        after = LinkState(cable.fails if self.up else cable.fails - 1, self.up)
        sends = tuple((f"{end.switch}.carrier", Carrier(end.port, self.up, self.name)) for end in self.ends)
        event = (LinkRestored if self.up else LinkFailed)(self.ends[0], self.ends[-1])
        return [Outcome((*core[: self.place], after, *core[self.place + 1 :]), sends, (event,))]
