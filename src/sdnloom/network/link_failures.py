"""The component that makes links fail and restores them."""

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
    """The number of failures left of a link, and whether the link works."""

    fails: int
    up: bool = True


def failing_links(network: Network) -> list[tuple[str, tuple[SwitchPort, ...], int]]:
    """Return name, switch ports and budget of every link that can fail, sorted by name."""
    names = link_names(network)
    return sorted((name, names[name], faults.fail) for name, faults in network.link_faults if faults.fail)


def link_failure_component(network: Network) -> Component | None:
    """Return the component with the actions `fail` and `restore` of each link, or None if no link can fail."""
    links = failing_links(network)
    actions = []
    for index, (name, ends, _) in enumerate(links):
        channels = frozenset(f"{end.switch}.carrier" for end in ends)
        cell = frozenset({("link", name)})
        for word, up in (("fail", False), ("restore", True)):
            actions.append(
                Action(f"{word} {name}", _LinkChange(index, name, ends, up), None, channels, cell, cell, Mode.MAY)
            )
    return Component(NAME, tuple(LinkState(budget) for *_, budget in links), tuple(actions)) if links else None


@dataclass(frozen=True)
class _LinkChange:
    index: int
    name: str
    ends: tuple[SwitchPort, ...]
    up: bool

    def __call__(self, core: tuple[LinkState, ...], _: Any) -> list[Outcome]:
        link = core[self.index]
        if link.up == self.up or (not self.up and not link.fails):
            return []
        after = LinkState(link.fails if self.up else link.fails - 1, self.up)
        sends = tuple((f"{end.switch}.carrier", Carrier(end.port, self.up, self.name)) for end in self.ends)
        event = (LinkRestored if self.up else LinkFailed)(self.ends[0], self.ends[-1])
        return [Outcome((*core[: self.index], after, *core[self.index + 1 :]), sends, (event,))]
