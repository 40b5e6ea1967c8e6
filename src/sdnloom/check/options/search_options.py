"""Options of a search and of discovery, over those of a scenario, and as the tables that a scenario file would hold."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from sdnloom.check.discovery_table import (
    check_discover_options,
    flat_fields,
    override_options,
    read_field_options,
)
from sdnloom.check.load import MEBIBYTE
from sdnloom.check.options.strategy_options import pkt_seq_numbers, strategy_names, with_strategies
from sdnloom.check.options.worker_folder import load_in
from sdnloom.check.scenario import Scenario
from sdnloom.engine.options.option_mixes import MOST_THREADS
from sdnloom.engine.result import DISK_OPTION, ClusterOptions, Limits, ReduceOption, SearchOrder
from sdnloom.scenario_file.document import ScenarioError, shown

_Engine: TypeAlias = Literal["auto", "loop", "kernel"]


@dataclass(frozen=True)
class CheckOptions:
    """What a command line says about the search; None and () say nothing, so that the scenario's own options count."""

    find_all: bool | None = None
    engine: _Engine | None = None
    order: str | None = None
    reduce: ReduceOption | None = None
    explain: bool = False
    strategy: str | None = None
    same_flow: str | None = None
    pkt_seq: str | None = None
    seed: int | None = None
    max_states: int | None = None
    max_depth: int | None = None
    time_limit: float | None = None
    memory_limit: int | None = None  # MiB
    threads: int | None = None
    disk: str | None = None  # a folder
    discover: bool | Literal["only"] = False
    stacks: Sequence[str] = ()
    fields: Sequence[str] = ()
    cluster: str | None = None  # "local", or an address
    workers: int | None = None

    def __post_init__(self) -> None:
        for name, known in (("engine", get_args(_Engine)), ("order", get_args(SearchOrder))):
            value = getattr(self, name)
            if value is not None and value not in known:
                raise ScenarioError(f"{name} is {shown(value)}; expected one of {', '.join(known)}")
        if self.reduce not in (None, True, False, "auto") or type(self.reduce) is int:
            raise ScenarioError(f'reduce is {shown(self.reduce)}; expected true, false or "auto"')
        if self.discover not in (True, False, "only"):
            raise ScenarioError(f'discover is {shown(self.discover)}; expected true, false or "only"')
        for name, least in (("seed", 0), ("memory_limit", 1), ("threads", 1), ("workers", 1)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise ScenarioError(f"{name} is {shown(value)}; expected a whole number of at least {least}")
        if self.threads is not None and self.threads > MOST_THREADS:
            raise ScenarioError(f"threads is {self.threads}; expected at most {MOST_THREADS:,}")
        if self.workers is not None and self.cluster is None:
            raise ScenarioError(f"workers is {shown(self.workers)} without a cluster; expected --cluster as well")
        for name in ("strategy", "same_flow", "pkt_seq", "disk", "cluster"):
            if not isinstance(getattr(self, name), str | None):
                raise ScenarioError(f"{name} is {shown(getattr(self, name))}; expected a text")
        for name, expected in (("disk", "a folder to write in"), ("cluster", "local or the address of a Ray cluster")):
            if getattr(self, name) == "":
                raise ScenarioError(f"{name} is ''; expected {expected}")
        for name in ("stacks", "fields"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(each, str) for each in value):
                raise ScenarioError(f"{name} is {shown(value)}; expected a list of texts")

    @property
    def limits(self) -> Limits:
        """The limits that are given."""
        memory = None if self.memory_limit is None else self.memory_limit * MEBIBYTE
        return Limits(self.max_states, self.max_depth, self.time_limit, memory)

    def over(self, scenario: Scenario) -> Scenario:
        """The scenario with these options over its own."""
        if self.explain and self.reduce in (False, "auto"):
            flag = "--reduce-auto" if self.reduce else "--no-reduce"
            raise ScenarioError(f"--explain-reduction and {flag} are given; expected one or the other")
        scenario = self._with_discovery(scenario)
        given: dict[str, Any] = {
            "engine": self.engine,
            "order": self.order,
            "reduce": True if self.explain else self.reduce,
            "explain": self.explain or None,
            "find_all": self.find_all,
            "threads": self.threads,
            "disk": self.disk,
            "disk_place": None if self.disk is None else DISK_OPTION,
            "cluster": None if self.cluster is None else ClusterOptions(self.cluster, self.workers),
        }
        limits: dict[str, Any] = {name: limit for name, limit in vars(self.limits).items() if limit is not None}
        options = replace(
            scenario.options,
            **{name: value for name, value in given.items() if value is not None},
            limits=replace(scenario.options.limits, **limits),
        )
        scenario = replace(scenario, options=options, seed=scenario.seed if self.seed is None else self.seed)
        return with_strategies(scenario, self.strategy, self.same_flow, self.pkt_seq)

    def loaded(self, load: Callable[[], Scenario]) -> Scenario:
        """The scenario that `load` gives, with these options over its own. Workers of a cluster load it, too.

        They do that in the folder that is the current one now: those of a cluster that runs already begin elsewhere.
        """
        scenario = self.over(load())
        if (cluster := scenario.options.cluster) is None:
            return scenario
        for_worker = partial(replace(self, cluster=None, workers=None).loaded, load)
        cluster = replace(cluster, scenario=partial(load_in, os.getcwd(), for_worker))
        return replace(scenario, options=replace(scenario.options, cluster=cluster))

    def _with_discovery(self, scenario: Scenario) -> Scenario:
        if self.stacks or self.fields:
            if not self.discover and not scenario.needs_discovery:
                option = "--stack" if self.stacks else "--field"
                raise ScenarioError(f"{option} is given, but nothing is discovered; expected --discover as well")
            options = override_options(scenario.discovery, tuple(self.stacks), read_field_options(self.fields))
            check_discover_options(options, scenario.network.topology)
            scenario = replace(scenario, discovery=options)
        return scenario.discovering(self.discover == "only") if self.discover else scenario

    def in_document(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """A scenario's document with these options in it, for a file in the current folder."""
        search = {**document.get("search", {}), **self._search_keys()}
        if self.pkt_seq is not None:
            search["pkt_seq"] = dict(zip(("length", "burst"), pkt_seq_numbers(self.pkt_seq), strict=False))
        discover = self._discover_keys(document.get("discover", {}))
        tables = {"search": search, "discover": discover}
        return {**document, **{key: table for key, table in tables.items() if table}}

    def _search_keys(self) -> dict[str, Any]:
        given = {
            "engine": self.engine,
            "order": self.order,
            "reduce": True if self.explain else self.reduce,
            "all": self.find_all,
            "max_states": self.max_states,
            "max_depth": self.max_depth,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "disk": self.disk,
            "seed": self.seed,
            "strategies": None if self.strategy is None else strategy_names(self.strategy),
            "same_flow": self.same_flow,
        }
        return {key: value for key, value in given.items() if value is not None}

    def _discover_keys(self, table: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(table)
        if self.discover:
            found.update(clients="only" if self.discover == "only" else True, statistics=True)
        if self.stacks:
            found["stacks"] = list(self.stacks)
        if self.fields:
            found["fields"] = {**flat_fields(found.get("fields", {})), **read_field_options(self.fields)}
        return found
