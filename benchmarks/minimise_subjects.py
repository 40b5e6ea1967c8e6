"""Systems whose random walks are long, to be minimised.

Each has a race that is rare, and much that has nothing to do with it. A program in plain Python and an os-ken app
handle sixty packets, of which the violation needs one; it is seen only when everything has come to rest. In a program
of actors two writers go on until one of them writes what it has read too long ago.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdnloom import Client, Network, PythonProgram, Scenario, SwitchOptions, linear, load_scenario, openflow, packet
from sdnloom.actors import Actor, Monitor, Program
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.path import RecordedSemantics
from sdnloom.actors.search.search import search_program
from sdnloom.check.run import Run
from sdnloom.engine.memo import Memo, MemoSemantics
from sdnloom.engine.result import Result, SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.properties import NoForgottenPackets

EXAMPLES = Path(__file__).parents[1] / "examples"
SENDS = 60  # of the client of a network
ROUNDS = 40  # of each writer of the program of actors

LINE = linear(2, hosts=3)
BEHIND = {host.mac: host.switch_port.port for host in LINE.hosts if host.switch_port.switch == "s2"}
UPLINK = 4  # the port of s1 that leads to s2


@dataclass(frozen=True)
class Subject:
    """A system to walk through, and the number of steps of a shortest counterexample to each property."""

    name: str
    semantics: Semantics
    shortest: dict[str, int]


class LateRules:
    """Installs a path for the first packet of a flow; forgets a packet that comes to the second switch too early."""

    def packet_in(self, net: Any, switch: str, message: Any) -> None:
        frame = packet.decode(message.data).headers[0]
        if switch == "s1" and frame.dst in BEHIND:
            match = openflow.Match.of(eth_src=frame.src, eth_dst=frame.dst)
            net.install("s2", match, openflow.Output(BEHIND[frame.dst]))
            net.install("s1", match, openflow.Output(UPLINK), release=message)


class Register(Actor):
    """A number that is written only by who has read it since; a defect only compares whether it is even."""

    writes: int = 0

    async def read(self) -> int:
        """The number of writes so far."""
        return self.writes

    async def write(self, seen: int) -> None:
        """Write, unless somebody else seems to have written."""
        if seen % 2 == self.writes % 2:
            if seen != self.writes:
                self.emit("lost")
            self.writes += 1


class Writer(Actor):
    """Reads and writes, again and again."""

    register: Register

    async def run(self, rounds: int) -> None:
        """Read and write so many times."""
        seen = await self.register.read()
        await self.register.write(seen)
        if rounds > 1:
            self.later.run(rounds - 1)


class NoLostUpdate(Monitor):
    """No write is based on a number that was read too long ago."""

    def on_event(self, event: object) -> None:
        """Report what the register has noticed."""
        self.report("an update was lost")


def plain_python(sends: int = SENDS) -> Subject:
    """Rules that come too late, in plain Python."""
    first, *_ = LINE.hosts
    others = tuple(host.name for host in LINE.hosts if host.mac in BEHIND)
    network = Network(LINE, (Client(first.name, to=others, sends=sends),), SwitchOptions(profile="reference"))
    return _of_scenario("plain Python: rules too late", Scenario(network, PythonProgram(LateRules), _PROPERTIES))


def os_ken_app(sends: int = SENDS) -> Subject:
    """BUG-XI, an os-ken app, with many packets."""
    scenario = load_scenario(EXAMPLES / "traffic_engineering/bug11.toml")
    hosts = tuple(replace(each, sends=sends) if isinstance(each, Client) else each for each in scenario.network.hosts)
    return _of_scenario("os-ken: BUG-XI", replace(scenario, network=replace(scenario.network, hosts=hosts)))


def actors(rounds: int = ROUNDS) -> Subject:
    """Two writers of one register."""
    register = Register("register")
    writers = [Writer(name, register=register) for name in ("ann", "bob")]
    program = Program([register, *writers], [each.run(rounds) for each in writers], monitors=[NoLostUpdate()])
    found = search_program(program, ActorOptions(reduction="none", symmetry=False, order="bfs"))
    return Subject("actors: lost updates", RecordedSemantics(program), _shortest(found.result))


SUBJECTS: tuple[Callable[[], Subject], ...] = (plain_python, os_ken_app, actors)

_PROPERTIES = (NoForgottenPackets(),)


def _of_scenario(name: str, scenario: Scenario) -> Subject:
    system = Run(scenario, ordered=True).system
    return Subject(
        name, MemoSemantics(Memo(system)), _shortest(search(system, SearchOptions(order="bfs", reduce=False)))
    )


def _shortest(result: Result) -> dict[str, int]:
    return {one.property: len(one.path) for one in result.violations if one.shortest}
