"""Every host and every fault states its bounds; a host that does not is visible in the report."""

from dataclasses import dataclass, fields, replace

import pytest

from sdnloom.check.bounds import stated_bounds
from sdnloom.check.load import HOSTS
from sdnloom.engine.result import SearchOptions
from sdnloom.network import hosts as library
from sdnloom.network.hosts import Client, Host, HostAction, MobileHost
from sdnloom.network.network import LinkFaults, Network, SwitchFaults, Timeouts
from sdnloom.network.topology import SwitchPort, linear

KINDS = [kind for kind in vars(library).values() if isinstance(kind, type) and issubclass(kind, Host)]


@dataclass(frozen=True)
class Beacon(Host):
    """A user's host that acts and says nothing about how often."""

    def acts(self, view):
        return (HostAction("shine", lambda view, state: ()),)


class Calm(Beacon):
    """A user's host that states its bounds."""

    def bounds(self):
        return ("3 beacons",)


class Louder(Client):
    """Acts in its own way, so that the bounds of a client are not its own."""

    def acts(self, view):
        return (*super().acts(view), HostAction("shout", lambda view, state: ()))


def test_every_host_of_the_library_is_looked_at():
    assert set(HOSTS.values()) < set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_host_of_the_library_that_acts_states_its_bounds(kind):
    assert ("bounds" in vars(kind)) == ("acts" in vars(kind))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Beacon("h1"), ("h1: at most an unknown number of actions (class Beacon states no bounds)",)),
        (Calm("h1"), ("h1: at most 3 beacons",)),
        (
            Louder("h1", to=("h2",)),
            ("h1: at most an unknown number of actions (class Louder states no bounds)",),
        ),
        (
            MobileHost("h1", host=Beacon("h1"), to=(SwitchPort("s1", 3),)),
            ("h1: at most an unknown number of actions (class Beacon states no bounds), 1 move",),
        ),
        (type("Heir", (Client,), {})("h1", to=("h2",)), ("h1: at most 1 packet",)),
        (type("Sink", (Host,), {})("h1"), ()),
    ],
    ids=["none", "own", "inherited in vain", "inside", "inherited", "nothing to bound"],
)
def test_a_host_of_the_users_states_its_bounds_or_that_it_states_none(host, expected):
    assert stated_bounds(Network(linear(2), (host,)), SearchOptions()) == expected


@pytest.mark.parametrize("kind", [LinkFaults, SwitchFaults, Timeouts])
def test_every_budget_of_a_fault_is_stated(kind):
    assert kind().bounds() == ()
    for field in fields(kind):
        (one,) = replace(kind(), **{field.name: 1}).bounds()
        (two,) = replace(kind(), **{field.name: 2}).bounds()
        assert (one == two) == (field.type in (bool, "bool"))
