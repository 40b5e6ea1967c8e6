"""Why a result without a violation may mean little: what never happened, and what would change that."""

from sdnloom.engine.model import System
from sdnloom.engine.result import Result
from sdnloom.inputs.clients import silent_clients
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.network import Network
from sdnloom.network.program import HasClock, capability
from sdnloom.network.switch_component import SwitchState


def vacuous_reasons(
    result: Result, system: System, network: Network, program: object, from_options: bool
) -> tuple[str, ...]:
    """What never happened in an exhaustive search without a violation; nothing if enough did.

    Each reason names what would change it: options of the command line if the scenario was made of them, else keys of
    the scenario file. A program that only configured the switches before the search has done something, and a property
    without a memory, such as Reachable, says something about a state in which nothing happens.
    """
    silent = _silent(network, from_options)
    send = "--ping and --topology" if from_options else "[[hosts]] and [topology]"
    if not result.statistics.transitions:
        if any(not prop.has_memory and not prop.sometimes for prop in system.properties):
            return (*_unseen(result), *silent)
        two = "" if len(network.topology.hosts) > 1 else "; --topology" if from_options else "; [topology]"
        who = f"{two} with at least two hosts, and" if two else ";"
        how = "--ping A,B" if from_options else "`sends` of a client in [[hosts]]"
        return (*_unseen(result), *silent, f"nothing ever happens{who} {how} lets a host send")
    more = [f"{send} decide which packets are sent", "--discover finds others"]
    clock = capability(program, HasClock)
    if clock is not None and clock.timers_seen and not network.ticks:
        ticks = "--ticks 1" if from_options else "ticks = 1"
        more.append(f"{ticks} lets timers fire that are set: {', '.join(clock.timers_seen)}")
    reasons = [f"{reason}; {'; '.join(more)}" for reason in _unseen(result)]
    if CONTROLLER not in result.statistics.active and not _configured(system):
        reasons.append(
            "no handler of the program ran after start-up, and it left all flow tables empty; "
            f"{send} decide which packets are sent, and a switch sends those to the program that its entries say"
        )
    return (*reasons, *silent)


def _silent(network: Network, from_options: bool) -> list[str]:
    """Clients for which nothing was discovered, if they are told nothing either."""
    told = "--discover instead of --discover-only" if from_options else "`to` or `packets` in [[hosts]]"
    return [
        f"{one.spec.name} sends nothing: it is told nothing, and no packet was discovered for it in any state; "
        f"{'`burst` of at least 1' if one.client.burst == 0 else told} lets it send"
        for one in silent_clients(network)
    ]


def _unseen(result: Result) -> list[str]:
    return [f"{name} was never seen" for name in result.never]


def _configured(system: System) -> bool:
    """Whether some switch has flow entries or groups when the search starts."""
    switches = [each.initial for each in system.components if isinstance(each.initial, SwitchState)]
    return any(each.core.flows or each.core.groups for each in switches)
