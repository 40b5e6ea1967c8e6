"""What to try after a limit has ended a search: the limit itself, and options that make the search smaller or deeper.

Each hint is there because of what the search knows: nothing is proposed that is in use already, that cannot help, or
that this check refuses.
"""

import shlex
from collections.abc import Iterable, Sequence
from typing import Final

from sdnloom.actors.report import ActorReport
from sdnloom.check.report import CheckpointReport, Report
from sdnloom.engine.model import Needs
from sdnloom.network.hosts import Client, Host
from sdnloom.network.hosts.mobile import inner_host
from sdnloom.report.describe import counted
from sdnloom.strategies import PktSeq

# Start of the reason of an incomplete search -> the option that raises that limit.
_LIMIT_OPTIONS: Final = {
    "the limit of": "--max-states",
    "the depth limit of": "--max-depth",
    "the time limit of": "--time-limit",
    "the memory limit of": "--memory-limit",
}
# Those that a search which is kept may have another one of, with their values.
_RESUME_OPTIONS: Final = {
    "--max-states": "--max-states N",
    "--time-limit": "--time-limit SECONDS",
    "--memory-limit": "--memory-limit MIB",
}
_DEEPER: Final = "to see more, another check with another --max-depth: a search that is kept has its own"
_REDUCE: Final = "--reduce: of several orders that lead to the same result one is taken"
_WALK: Final = "sdnloom walk: random paths, many in a short time; they find deep violations and prove nothing"
_SWARM: Final = "sdnloom walk --swarm: deep searches in little memory, with an estimate of what they have seen"


def limit_options(reason: str) -> list[str]:
    """The options that raise the limits which ended a search."""
    return [option for limit, option in _LIMIT_OPTIONS.items() if limit in reason]


def limit_hints(report: Report | ActorReport) -> list[str]:
    """Lines that follow an incomplete verdict; none if no limit ended the search."""
    reason = report.result.incomplete or ""
    raised = limit_options(reason)
    if not raised and not reason.startswith("interrupted"):
        return []
    kept = report.checkpoint if isinstance(report, Report) else None
    deep = "the depth limit of" in reason
    if kept is not None and kept.goes_on:
        if deep:
            return [_DEEPER]
        lines = [_how_to_go_on(kept, raised)]
    else:
        lines = [f"to see more, raise {option}" for option in raised]
        if deep:
            return lines
    if kept is not None and kept.resumed:
        first = "or another check:"
    else:
        first = "or search less, or deeper:" if lines else "to see more, search less, or deeper:"
    hints = _actor_hints(report) if isinstance(report, ActorReport) else _scenario_hints(report)
    return [*lines, first, *(f"  {hint}" for hint in hints)]


def _how_to_go_on(kept: CheckpointReport, raised: Sequence[str]) -> str:
    """The command that goes on with a search that is kept."""
    options = [_RESUME_OPTIONS[each] for each in raised]
    return " ".join(["to go on: sdnloom resume", shlex.quote(str(kept.file)), *options])


def _scenario_hints(report: Report) -> list[str]:
    options, scenario = report.scenario.options, report.scenario
    hints = []
    if "the memory limit of" in (report.result.incomplete or "") and _may_use_disk(report):
        hints.append("--disk FOLDER: the search goes on with its states in files; the same results")
    if _may_reduce(report):
        hints.append(_REDUCE)
    hints += _fewer_packets(scenario.narrowed().network.hosts)
    if options.strategy is None and all(isinstance(each, PktSeq) for each in scenario.strategies):
        hints.append("--strategy no-delay: switches obey at once; finds much with few orders, never says HOLDS")
    return [*hints, *_order_hints(report), _WALK, _SWARM]


def _may_use_disk(report: Report) -> bool:
    """Whether the check could have a folder for its states and has none."""
    options = report.scenario.options
    kernel = options.order != "dfs" and options.engine != "loop" and not options.checked
    return kernel and options.disk is None and options.cluster is None and report.checkpoint is None


def _may_reduce(report: Report) -> bool:
    """Whether the check could have a reduction and has none."""
    options = report.scenario.options
    if report.result.reduction or options.reduce is True:
        return False
    refused = {Needs.STATE} if options.cluster is None else {Needs.STATE, Needs.EVENT, Needs.ORDER}
    unknown = any(prop.needs is Needs.ORDER and not prop.watches for prop in report.properties)
    return not unknown and not any(prop.needs in refused for prop in report.properties)


def _order_hints(report: Report) -> list[str]:
    """What another order can find. A cluster knows one order only."""
    options = report.scenario.options
    if options.find_all:
        dives = ", and dives into the depth" if options.order == "auto" and options.cluster is None else ""
        return [f"without --all: the search ends at the first violation{dives}"]
    if options.cluster is not None:
        return []
    if options.order == "bfs":
        return ["--order auto: dives into the depth, for violations that are many steps away"]
    if options.order == "dfs":
        return ["--order auto: breadth first, for violations that are few steps away, with dives into the depth"]
    if options.engine == "kernel" or options.disk is not None or report.checkpoint is not None:
        return []
    return ["--order dfs: depth first at once, for violations that are many steps away"]


def _fewer_packets(hosts: Iterable[Host]) -> list[str]:
    """The bound on packets, if some client sends several."""
    clients = [each for each in map(inner_host, hosts) if isinstance(each, Client)]
    busiest = max(clients, key=lambda each: each.sends, default=None)
    if busiest is None or busiest.sends < 2:
        return []
    fewer = busiest.sends // 2
    return [f"--pkt-seq {fewer}: each client sends {counted(fewer, 'packet')} at most ({busiest.name} {busiest.sends})"]


def _actor_hints(report: ActorReport) -> list[str]:
    hints = [] if report.reduction != "none" or report.program.always else [_REDUCE]
    if report.program.always:
        hints.append("checks of final states or monitors instead of `always`, which needs every state")
    if len(report.program.start) > 1:
        hints.append(f"fewer messages at the start (now {len(report.program.start):,})")
    return [*hints, _WALK]
