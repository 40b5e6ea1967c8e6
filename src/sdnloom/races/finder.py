"""Entry point: the races of a model under properties."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import STOPPING, Limits, SearchEvent
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import ForwardingProperty, RaceType
from sdnloom.races.result import Race, RaceMode, RaceResult
from sdnloom.races.search.abstraction import Abstraction, Signature
from sdnloom.races.search.definitions import compared_tables, race_type
from sdnloom.races.search.harm import Harm
from sdnloom.races.search.limit_checks import LimitChecks, StopSearch
from sdnloom.races.search.search import RaceEdges, RaceSearch
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets
from sdnloom.races.search.witness import witnesses


@dataclass(frozen=True)
class RaceOptions:
    """How to search. `depth` bounds the length of traces, None is no bound; at most `max_races` are listed.

    The states that `limits` counts are stored ones, each of which stands for a set of table vectors.
    """

    mode: RaceMode = RaceMode.COMPLETE
    depth: int | None = None
    harmless: bool = False
    max_races: int = 1000
    limits: Limits = field(default_factory=Limits)


DEFAULTS: Final = RaceOptions()


def find_races(
    model: RaceModel,
    properties: Sequence[ForwardingProperty] = (),
    options: RaceOptions = DEFAULTS,
    on_event: Callable[[SearchEvent], None] | None = None,
) -> RaceResult:
    """Return the harmful races of the model; with the option `harmless`, all races.

    Without properties, those of the model are used. Races are listed for each property, shortest traces first; each is
    confirmed on its trace by the definitions before it is listed. `on_event` gets progress and notices. The first
    Ctrl-C ends the search with what was found, a second one interrupts as usual.
    """
    properties = tuple(properties) or model.properties
    if not properties:
        raise DyNetkatError(
            model.source, "found no property, expected one or more: a race is harmful if it changes the value of one"
        )
    if options.depth is not None and options.depth < 0:
        raise DyNetkatError(model.source, f"the depth is {options.depth}, expected 0 or more")
    if options.limits.depth is not None:
        raise DyNetkatError(model.source, "the limits have a depth, expected the option `depth`, which bounds traces")
    run = _Run(model, properties, options, on_event or (lambda event: None))
    with run.catching_interrupts(), _recursion_limit_for(len(run.sets.sizes)):
        run.search()
        return run.result()


class _Run:
    """One search for all properties, or in RaceLoom's mode one for each: there a trace ends at its first harmful race,
    which depends on the property.
    """

    def __init__(
        self,
        model: RaceModel,
        properties: tuple[ForwardingProperty, ...],
        options: RaceOptions,
        on_event: Callable[[SearchEvent], None],
    ) -> None:
        self._model = model
        self._properties = properties
        self._options = options
        self._on_event = on_event
        self._watch = LimitWatch(options.limits)
        first_only = options.mode is RaceMode.RACELOOM
        abstraction = Abstraction(model, first_race_only=first_only, remember_updates=first_only)
        cells = abstraction.cells
        limits = LimitChecks(self._watch, on_event)
        self.sets = TableSets([len(cell.policies) for cell in cells], [cell.writable for cell in cells])
        self._harms = [Harm(abstraction, prop, self.sets, limits) for prop in properties]
        self._searches = [
            RaceSearch(abstraction, group, self.sets, options.depth, first_only, options.harmless, limits)
            for group in ([[harm] for harm in self._harms] if first_only else [self._harms])
        ]
        self._stopped: str | None = None
        self._no_harm = False  # known without a search

    @contextmanager
    def catching_interrupts(self) -> Iterator[None]:
        """Note the first Ctrl-C, which ends the search or the listing of races."""
        with self._watch.catching_interrupts(lambda: self._on_event(STOPPING)):
            yield

    def search(self) -> None:
        """Search, unless no table that can be installed changes the value of a property."""
        try:
            self._no_harm = not self._options.harmless and all(harm.never_harmful() for harm in self._harms)
        except StopSearch as stop:
            self._stopped = str(stop)
        for search in self._searches:
            if not self._no_harm and self._stopped is None:
                search.run()
                self._stopped = search.stopped

    def result(self) -> RaceResult:
        """Return the result, with races listed until Ctrl-C is pressed."""
        evaluations = sum(harm.evaluations for harm in self._harms)
        found = [(search, edges) for search in self._searches for edges in search.harmful]
        harmful = self._united([edges for _, edges in found])
        interrupted = self._watch.interrupted  # before the first race is listed
        races: list[Race] = []
        harmless: dict[RaceType, int] | None = None
        for prop, harm, (search, edges) in zip(self._properties, self._harms, found, strict=True):
            races += self._listed(self._races(search, edges, {}, prop.name, harm), interrupted)
        if self._options.harmless:
            all_races = self._united([search.all_races for search in self._searches])
            harmless = self._counts(_without(self.sets, all_races, harmful))
            races += self._listed(self._harmless_races(harmful), interrupted)
        if self._watch.interrupted and not interrupted:
            self._stopped = "interrupted"
        return RaceResult(
            model=self._model,
            properties=self._properties,
            mode=self._options.mode,
            depth=self._options.depth,
            races=tuple(races),
            counts=self._counts(harmful),
            harmless=harmless,
            states=sum(search.states for search in self._searches),
            stored=sum(search.stored for search in self._searches),
            levels=max(search.reached for search in self._searches),
            evaluations=evaluations,
            proved=self._stopped is None and (self._no_harm or all(search.proved for search in self._searches)),
            stopped=self._stopped,
        )

    def _listed(self, races: Iterator[Race], interrupted: bool) -> list[Race]:
        """Return as many races as may be listed; an interrupt that is new ends the list."""
        listed: list[Race] = []
        for race in islice(races, self._options.max_races):
            listed.append(race)
            if self._watch.interrupted and not interrupted:
                break
        return listed

    def _united(self, many: Sequence[RaceEdges]) -> dict[Signature, NodeId]:
        united: dict[Signature, NodeId] = {}
        for edges in many:
            for signature, vectors in edges.covered.items():
                united[signature] = self.sets.union(united.get(signature, EMPTY), vectors)
        return united

    def _counts(self, covered: Mapping[Signature, NodeId]) -> dict[RaceType, int]:
        counts = dict.fromkeys(RaceType, 0)
        for signature, vectors in covered.items():
            counts[signature.kind] += self._searches[0].count(signature, vectors)
        return counts

    def _harmless_races(self, harmful: Mapping[Signature, NodeId]) -> Iterator[Race]:
        listed: set[tuple[object, ...]] = set()
        for search in self._searches:
            for race in self._races(search, search.all_races, harmful, None, None):
                key = (race.kind, race.first, race.second)
                if key not in listed:
                    listed.add(key)
                    yield race

    def _races(
        self,
        search: RaceSearch,
        edges: RaceEdges,
        but: Mapping[Signature, NodeId],
        name: str | None,
        harm: Harm | None,
    ) -> Iterator[Race]:
        """Yield the races found except those covered by `but`, each confirmed on its trace."""
        for edge in sorted(edges.order, key=lambda edge: edge.length):
            signature = edge.check.signature
            remaining = _without(self.sets, {signature: edge.vectors}, but).get(signature, EMPTY)
            for trace, i, j in witnesses(search, edge, remaining):
                kind = race_type(self._model, trace, i, j)
                assert kind is signature.kind, f"{kind} on the trace of a {signature.kind}"
                switch, before, after = compared_tables(self._model, trace, i, j, kind)
                assert harm is None or harm.confirms(kind, switch, before, after), "the race is not harmful"
                yield Race(kind, name, trace.events[i].label, signature.second, (i + 1, j + 1), trace)


def _without(
    sets: TableSets, covered: Mapping[Signature, NodeId], but: Mapping[Signature, NodeId]
) -> dict[Signature, NodeId]:
    """Return what is covered and not in `but`; vectors matter only for signatures whose first label is forwarding."""
    left: dict[Signature, NodeId] = {}
    for signature, vectors in covered.items():
        if signature not in but:
            left[signature] = vectors
        elif signature.first is None and (rest := sets.difference(vectors, but[signature])) != EMPTY:
            left[signature] = rest
    return left


@contextmanager
def _recursion_limit_for(cells: int) -> Iterator[None]:
    """Raise the recursion limit for diagrams as deep as there are cells: an operation takes a few frames for each."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 1000 + 10 * cells))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
