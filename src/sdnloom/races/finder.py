"""The one way in: the races of a model under properties."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import ForwardingProperty, RaceType
from sdnloom.races.result import Race, RaceMode, RaceResult
from sdnloom.races.search.abstraction import Abstraction, Signature
from sdnloom.races.search.definitions import comparison, race_type
from sdnloom.races.search.harm import Harm
from sdnloom.races.search.limits import NO_LIMITS, LimitReachedError, Limits, Progress, Watch
from sdnloom.races.search.search import HarmfulEdges, RaceSearch
from sdnloom.races.search.table_sets import EMPTY, NodeId, TableSets
from sdnloom.races.search.witness import witnesses


@dataclass(frozen=True)
class RaceOptions:
    """How to search. `depth` bounds the length of traces, None is no bound; at most `max_races` are listed."""

    mode: RaceMode = RaceMode.COMPLETE
    depth: int | None = None
    harmless: bool = False
    max_races: int = 1000
    limits: Limits = NO_LIMITS


DEFAULTS: Final = RaceOptions()


def find_races(
    model: RaceModel,
    properties: Sequence[ForwardingProperty] = (),
    options: RaceOptions = DEFAULTS,
    progress: Callable[[Progress], None] | None = None,
) -> RaceResult:
    """Return the races of the model that some property calls harmful; if asked, the others too.

    Without properties, those of the model are used. Races are listed for each property, shortest traces first, and each
    is confirmed by the literal definitions before it is listed. Counts are exact whatever is listed.
    """
    judged = tuple(properties) or model.properties
    if not judged:
        raise DyNetkatError(model.source, "found no property to judge races by, expected one or more")
    if options.depth is not None and options.depth < 0:
        raise DyNetkatError(model.source, f"the depth is {options.depth}, expected 0 or more")
    run = _Run(model, judged, options, Watch(options.limits, progress))
    with _room_for(len(run.sets.sizes)):
        run.search()
        return run.result()


class _Run:
    """In complete mode one search serves all properties; a trace's first harmful race depends on the property."""

    def __init__(
        self, model: RaceModel, properties: tuple[ForwardingProperty, ...], options: RaceOptions, watch: Watch
    ) -> None:
        self._model = model
        self._properties = properties
        self._options = options
        first_only = options.mode is RaceMode.RACELOOM
        abstraction = Abstraction(model, first_race_only=first_only, remember_updates=first_only)
        cells = abstraction.cells
        self.sets = TableSets([len(cell.policies) for cell in cells], [cell.writable for cell in cells])
        self._harms = [Harm(abstraction, one, self.sets, watch) for one in properties]
        self._searches = [
            RaceSearch(abstraction, group, self.sets, options.depth, first_only, options.harmless, watch)
            for group in ([[harm] for harm in self._harms] if first_only else [self._harms])
        ]
        self._stopped: str | None = None
        self._quiet = False

    def search(self) -> None:
        """Search, unless no property can change its value at all."""
        try:
            self._quiet = not self._options.harmless and all(harm.never() for harm in self._harms)
        except LimitReachedError as stop:
            self._stopped = str(stop)
        except KeyboardInterrupt:
            self._stopped = "interrupted"
        for search in self._searches:
            if not self._quiet and self._stopped is None:
                search.run()
                self._stopped = search.stopped

    def result(self) -> RaceResult:
        evaluations = sum(harm.evaluations for harm in self._harms)
        found = [(search, findings) for search in self._searches for findings in search.harmful]
        harmful = self._united([findings for _, findings in found])
        races: list[Race] = []
        calm: dict[RaceType, int] | None = None
        try:
            for one, harm, (search, findings) in zip(self._properties, self._harms, found, strict=True):
                races.extend(islice(self._races(search, findings, {}, one.name, harm), self._options.max_races))
            if self._options.harmless:
                met = self._united([search.met for search in self._searches])
                calm = self._counts(_without(self.sets, met, harmful))
                races.extend(islice(self._harmless_races(harmful), self._options.max_races))
        except KeyboardInterrupt:
            self._stopped = "interrupted"
        return RaceResult(
            model=self._model,
            properties=self._properties,
            mode=self._options.mode,
            depth=self._options.depth,
            races=tuple(races),
            counts=self._counts(harmful),
            harmless=calm,
            states=sum(search.states for search in self._searches),
            stored=sum(search.stored for search in self._searches),
            levels=max(search.reached for search in self._searches),
            evaluations=evaluations,
            proved=self._stopped is None and (self._quiet or all(search.proved for search in self._searches)),
            stopped=self._stopped,
        )

    def _united(self, many: Sequence[HarmfulEdges]) -> dict[Signature, NodeId]:
        united: dict[Signature, NodeId] = {}
        for findings in many:
            for signature, vectors in findings.covered.items():
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
            for race in self._races(search, search.met, harmful, None, None):
                key = (race.kind, race.first, race.second)
                if key not in listed:
                    listed.add(key)
                    yield race

    def _races(
        self,
        search: RaceSearch,
        findings: HarmfulEdges,
        but: Mapping[Signature, NodeId],
        name: str | None,
        harm: Harm | None,
    ) -> Iterator[Race]:
        """Yield the races found except those covered by `but`, each confirmed on its trace."""
        for finding in sorted(findings.order, key=lambda one: one.length):
            signature = finding.check.signature
            remaining = _without(self.sets, {signature: finding.vectors}, but).get(signature, EMPTY)
            for trace, i, j in witnesses(search, finding, remaining):
                kind = race_type(self._model, trace, i, j)
                assert kind is signature.kind, f"{kind} on the trace of a {signature.kind}"
                switch, before, after = comparison(self._model, trace, i, j, kind)
                assert harm is None or harm.confirms(kind, switch, before, after), "the race is not harmful"
                yield Race(kind, name, trace.events[i].label, signature.second, (i + 1, j + 1), trace)


def _without(
    sets: TableSets, covered: Mapping[Signature, NodeId], but: Mapping[Signature, NodeId]
) -> dict[Signature, NodeId]:
    """Return what is covered and not in `but`; only labels of forwarding tell vectors apart."""
    left: dict[Signature, NodeId] = {}
    for signature, vectors in covered.items():
        if signature not in but:
            left[signature] = vectors
        elif signature.first is None and (rest := sets.difference(vectors, but[signature])) != EMPTY:
            left[signature] = rest
    return left


@contextmanager
def _room_for(cells: int) -> Iterator[None]:
    """Let diagrams be as deep as there are cells: operations on them use a few Python frames for each."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 1000 + 10 * cells))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
