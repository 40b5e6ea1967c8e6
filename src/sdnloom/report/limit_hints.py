"""What to try after a limit has ended a search: the limit itself, and options that make the search smaller or deeper.

Each hint is there because of what the search knows: nothing is proposed that is in use already, or that cannot help.
"""

from collections.abc import Iterable
from typing import Final

from sdnloom.actors.report import ActorReport
from sdnloom.check.report import Report
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
    lines = [f"to see more, raise {option}" for option in raised]
    if "the depth limit of" in reason:
        return lines
    hints = _actor_hints(report) if isinstance(report, ActorReport) else _scenario_hints(report)
    first = "or search less, or deeper:" if lines else "to see more, search less, or deeper:"
    return [*lines, first, *(f"  {hint}" for hint in hints)]


def _scenario_hints(report: Report) -> list[str]:
    options, scenario = report.scenario.options, report.scenario
    hints = []
    if "the memory limit of" in (report.result.incomplete or "") and options.disk is None and options.order != "dfs":
        hints.append("--disk FOLDER: the search goes on with its states in files; the same results")
    if (
        not report.result.reduction
        and options.reduce is not True
        and not any(prop.needs is Needs.STATE for prop in report.properties)
    ):
        hints.append(_REDUCE)
    hints += _fewer_packets(scenario.narrowed().network.hosts)
    if options.strategy is None and all(isinstance(each, PktSeq) for each in scenario.strategies):
        hints.append("--strategy no-delay: switches obey at once; finds much with few orders, never says HOLDS")
    if options.find_all:
        hints.append("without --all: the search ends at the first violation, and dives into the depth")
    elif options.order == "bfs":
        hints.append("--order auto: dives into the depth, for violations that are many steps away")
    elif options.order == "dfs":
        hints.append("--order auto: breadth first, for violations that are few steps away, with dives into the depth")
    else:
        hints.append("--order dfs: depth first at once, for violations that are many steps away")
    return [*hints, _WALK, _SWARM]


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
