"""What a discovery is asking, as events: round, host, port, stack, number of the state, and how much was found."""

from collections.abc import Callable, Hashable
from time import monotonic

from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import Activity, SearchEvent
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.network.openflow import PacketIn
from sdnloom.network.topology.spec import SwitchPort, Topology
from sdnloom.symbolic.path_search import PathRun

PACE = 0.25  # seconds between two events


class DiscoveryProgress:
    """Counts rounds, states asked about and classes found; is told of every run of a handler on symbolic input."""

    def __init__(self, topology: Topology, on_event: Callable[[SearchEvent], None], watch: LimitWatch) -> None:
        self._topology, self._on_event, self._watch = topology, on_event, watch
        self._round = self._classes = self._journeys = 0
        self._states: dict[Hashable, int] = {}  # numbers of states that were asked about
        self._next = 0.0

    def begin_round(self, packets: int) -> None:
        """A search with so many discovered packets begins."""
        self._round += 1
        self._journeys = 0
        self._say(f"{_count(packets, 'packet', 's')} to search with, {self._found}")

    def __call__(self, question: HandlerQuestion, run: PathRun) -> None:
        """A handler ran."""
        self._classes += run.found is not None
        number = self._states.setdefault(question.core, len(self._states) + 1)
        if monotonic() >= self._next:
            asked = f"{self._place(question)} {question.skeleton.stack.name} in state {number}"
            self._say(f"asking {asked}, {_count(run.paths, 'run', 's')}, {self._found}")

    def journey(self, host: str, port: SwitchPort, stack: str) -> None:
        """Packets of a host were followed to one place further."""
        self._journeys += 1
        if monotonic() >= self._next:
            self._say(f"following {host} at {port} {stack}, {_count(self._journeys, 'journey', 's')}, {self._found}")

    @property
    def _found(self) -> str:
        return f"{_count(self._classes, 'class', 'es')} so far"

    def _place(self, question: HandlerQuestion) -> str:
        """Where the input comes from: the host at a port, or a switch that answers."""
        message = question.message
        if not isinstance(message, PacketIn):
            return question.switch
        port = SwitchPort(question.switch, message.in_port)
        host = next((each.name for each in self._topology.hosts if each.switch_port == port), None)
        return f"{host} at {port}" if host else str(port)

    def _say(self, text: str) -> None:
        self._next = monotonic() + PACE
        self._on_event(Activity(f"round {self._round}", text, self._watch.seconds))


def _count(number: int, noun: str, ending: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else ending}"
