"""A scenario: what to check, how to search it, and the report of doing so."""

import hashlib
import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from sdnloom.check.bounds import stated_bounds
from sdnloom.check.coverage import Coverage, FileCoverage
from sdnloom.check.strategies import SameFlow, SearchStrategy
from sdnloom.engine.model import Property, Strategy, System
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.result import Counterexample, Holds, Incomplete, Options, Result, SearchEvent, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Found
from sdnloom.engine.strategy import Composed
from sdnloom.engine.text import stable_text
from sdnloom.engine.trace import Replayed, Trace, code_fingerprint, replay_trace
from sdnloom.network.build import Checkable, build
from sdnloom.network.controller import Program
from sdnloom.network.network import Network

CONTROLLER = "controller"  # the component whose steps run the program


@dataclass(frozen=True)
class Report:
    """What a check found. `bounds` says what the verdict is relative to, one bound per line."""

    scenario: "Scenario"
    result: Result
    bounds: tuple[str, ...]
    coverage: tuple[FileCoverage, ...] | None = None

    @property
    def verdict(self) -> str:
        """`violated`, `holds` or `incomplete`."""
        match self.result.verdict:
            case Violated():
                return "violated"
            case Holds():
                return "holds"
            case Incomplete():
                return "incomplete"

    @property
    def violations(self) -> tuple[Counterexample, ...]:
        """The distinct violations, shortest counterexample first."""
        return tuple(sorted(self.result.violations, key=lambda one: (len(one.path), one.property, one.message)))

    @property
    def handler_runs(self) -> int:
        """How often code of the program ran."""
        return self.result.statistics.evaluations.get(CONTROLLER, 0)


@dataclass(frozen=True)
class Scenario:
    """A program in a network, and what must hold.

    `seed` permutes the order in which equal steps are tried: it can change which shortest counterexample is found and,
    in a search that a limit ends, what is seen; it never changes the counts or the verdict of a whole search.
    """

    network: Network
    program: Program
    properties: tuple[Checkable | Property, ...]
    options: Options = field(default_factory=Options)
    seed: int = 0
    name: str = "scenario"
    file: Path | None = None  # where it was read from
    code: tuple[Path, ...] = ()  # the files of the program
    text: str | None = None  # what it was read from if that was no file
    strategies: tuple[SearchStrategy, ...] = ()  # applied in this order
    same_flow: SameFlow | None = None  # which packets belong together, for a strategy that is chosen later

    def system(self) -> System:
        """The system of the scenario, its parts in the order of the scenario; strategies leave it as it is."""
        return build(self.network, self.program, self.properties)

    def narrowed(self) -> "Scenario":
        """The scenario within the bounds that its strategies set."""
        network = self.network
        for strategy in self.strategies:
            network = strategy.narrowed(network)
        return replace(self, network=network)

    def strategy(self, system: System) -> Strategy | None:
        """What ranks the steps of the system: the scenario's strategies, then the one in its options."""
        ranks = [ranks for one in self.strategies if (ranks := one.ranks(self.network, system)) is not None]
        if self.options.strategy is not None:
            ranks.append(self.options.strategy)
        return None if not ranks else ranks[0] if len(ranks) == 1 else Composed(ranks)

    def check(self, on_event: Callable[[SearchEvent], None] | None = None, coverage: bool = False) -> Report:
        """Search the scenario's system."""
        watched = Coverage(self.code, getattr(self.program, "kind", None)) if coverage else None
        narrow = self.narrowed()
        system = watched.watch(watched.watching(narrow.system), CONTROLLER) if watched else narrow.system()
        options = replace(self.options, strategy=narrow.strategy(system))
        result = search(shuffled(system, self.seed), options, on_event)
        bounds = stated_bounds(narrow.network, options, self.program)
        return Report(self, result, bounds, watched.report() if watched else None)

    def trace(self, path: Steps, found: Found | None, source: dict[str, str]) -> Trace:
        """The path as a trace that `replay` accepts for this scenario."""
        return Trace(path, found, self.fingerprint(), self.code_fingerprint(), source)

    def replay(self, trace: Trace) -> Replayed:
        """Take the steps of a trace again. A trace of another scenario is refused; changed code is a warning."""
        return replay_trace(trace, self.system(), self.fingerprint(), self.code_fingerprint())

    def fingerprint(self) -> str:
        """A hash of all that the scenario declares. The program's code and state are no part of it: they may change."""
        properties = [(one.name, one.needs.value, one.sometimes) for one in self.system().properties]
        return _digest([stable_text(self.network).encode(), stable_text(properties).encode()])

    def code_fingerprint(self) -> str:
        """A hash of the program's code: of its files or, for a scenario made in Python, of the methods of its class."""
        if self.code:
            return _digest([file.read_bytes() for file in self.code])
        kind = getattr(self.program, "kind", type(self.program))
        return code_fingerprint(part for one in kind.__mro__ for part in vars(one).values() if inspect.isfunction(part))


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()[:32]


def shuffled(system: System, seed: int) -> System:
    """The same system with components, actions and channels in another order; seed 0 leaves it as it is."""
    if seed == 0:
        return system
    chance = random.Random(seed)
    components = [
        replace(one, actions=tuple(chance.sample(one.actions, len(one.actions)))) for one in system.components
    ]
    chance.shuffle(components)
    return replace(
        system,
        components=tuple(components),
        channels=tuple(chance.sample(system.channels, len(system.channels))),
    )
