"""Start-up: before a search, the switches join in the order of their names, and their messages are handled.

Messages are delivered first come first served: this is one course of events, not all of them. A program that sends
packets by itself cannot start this way, unless the network has a `warmup`: then packets travel from switch to switch,
and after that time passes to the program's next timer that many times, each time until nothing is left to deliver.
Hosts are connected afterwards, so packets that leave by a host's port are lost.
"""

from collections import deque
from collections.abc import Collection, Hashable, Mapping, Sequence

from sdnloom.engine.model import Event, Restart, RestartRequired
from sdnloom.network.events import HandlerRaised
from sdnloom.network.network import Network, NetworkError
from sdnloom.network.packet import Packet
from sdnloom.network.program import (
    ClockTick,
    FirstReaction,
    HasThreads,
    Input,
    MessageIn,
    Program,
    Reaction,
    SwitchUp,
    ThreadTurn,
    capability,
)
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    SwitchOutcome,
    initial_switch_core,
    receive_message,
    receive_packet,
)
from sdnloom.network.topology.spec import SwitchPort

MAX_START = 10_000  # messages and packets before the search starts


def refuse_unknown(program: Program, switch: str, names: Collection[str]) -> None:
    """Raise NetworkError for a message to a switch that is not there."""
    if switch not in names:
        raise NetworkError(
            f"program {program.name!r} sends a message to the switch {switch!r}; expected one of {', '.join(names)}"
        )


class Startup:
    """One course of events that leads to the state in which the search starts."""

    def __init__(self, network: Network, program: Program, configs: Mapping[str, Switch]) -> None:
        self.network, self.program, self.configs = network, program, configs
        self.names = sorted(configs)
        self._quick = capability(program, FirstReaction)
        threads = capability(program, HasThreads)
        self._explores_threads = network.warmup is not None and threads is not None and threads.explores_threads

    def run(self) -> tuple[Hashable, dict[str, SwitchCore]]:
        """Return the cores of the program and of the switches. With `joining` nothing has happened yet."""
        while True:
            try:
                return self._run()
            except RestartRequired:
                continue  # the program has dropped the refuted assumption

    def _run(self) -> tuple[Hashable, dict[str, SwitchCore]]:
        self.core: Hashable = self.program.initial()
        self.cores = {name: initial_switch_core(self.configs[name]) for name in self.names}
        self._inputs: deque[Input] = deque()
        self._packets: deque[tuple[SwitchPort, Packet]] = deque()
        if self.network.joining:
            return self.core, self.cores
        self._inputs += [
            SwitchUp(name, self.configs[name].datapath_id, self.configs[name].ports) for name in self.names
        ]
        self._settle()
        for _ in range(self.network.warmup or 0):
            if not self._give(ClockTick()):
                break
            self._settle()
        return self.core, self.cores

    def _settle(self) -> None:
        for _ in range(MAX_START):
            if self._inputs:
                self._give(self._inputs.popleft())
            elif self._packets:
                self._arrive(*self._packets.popleft())
            elif not self._explores_threads or not self._give(ThreadTurn()):
                return
        raise NetworkError(
            f"program {self.program.name!r} and the switches exchange more than {MAX_START} messages when they join; "
            "let the switches join during the search (joining)"
        )

    def _give(self, given: Input) -> bool:
        """Give the program an input; False if it has no reaction."""
        reaction = self._first(given)
        if reaction is None:
            return False
        self.core = reaction.core
        self._refuse_exception(reaction.events)
        for switch, message in reaction.messages:
            refuse_unknown(self.program, switch, self.names)
            self._become(switch, receive_message(self.configs[switch], self.cores[switch], message)[0])
        return True

    def _first(self, given: Input) -> Reaction | None:
        """Return the first of the program's reactions, computed without the others where the program can."""
        if self._quick is not None:
            reaction = self._quick.first(self.core, given)
        else:
            reactions = self.program.handle(self.core, given)
            reaction = reactions if isinstance(reactions, Restart) else next(iter(reactions), None)
        if isinstance(reaction, Restart):
            raise RestartRequired(reaction)
        return reaction

    def _arrive(self, to: SwitchPort, packet: Packet) -> None:
        switch, port = to
        self._become(switch, receive_packet(self.configs[switch], self.cores[switch], port, packet)[0])

    def _become(self, switch: str, outcome: SwitchOutcome) -> None:
        self.cores[switch] = outcome.core
        self._inputs += [MessageIn(switch, answer) for answer in outcome.messages]
        if outcome.outputs and self.network.warmup is None:
            raise NetworkError(
                f"program {self.program.name!r} sends packets out of {switch!r} as soon as it joins; "
                "let the switches join during the search (joining), or let it all come to rest before (warmup)"
            )
        peers = self.network.topology.peers
        for port, packet in outcome.outputs:
            there = peers.get(SwitchPort(switch, port))
            if there is not None:
                self._packets.append((there, packet))

    def _refuse_exception(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, HandlerRaised):
                raise NetworkError(
                    f"{event.file}:{event.line}: {event.handler} of program {event.program!r} raised {event.text} "
                    "before the search started"
                )
