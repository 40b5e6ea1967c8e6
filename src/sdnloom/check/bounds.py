"""The bounds of a verdict: every budget and limit of a check, one per line."""

from sdnloom.engine.result import SearchOptions
from sdnloom.engine.strategy import strategy_parts
from sdnloom.network.network import Network, at_most
from sdnloom.network.program import DescribesRun, HasClock, capability


def stated_bounds(
    network: Network,
    options: SearchOptions,
    program: object = None,
    start: tuple[str, ...] = (),
    settling: bool = False,
) -> tuple[str, ...]:
    """The bounds in words.

    `start` are notes on the events before the search; `settling` says that settle ticks were explored. What has no
    budget does not happen in the search, and is not mentioned.
    """
    lines = [f"{host.name}: at most {', '.join(bounds)}" for host in network.hosts if (bounds := host.bounds())]
    lines += [f"link {name} {', '.join(bounds)}" for name, faults in network.link_faults if (bounds := faults.bounds())]
    lines += [
        f"switch {name} {', '.join(bounds)}" for name, faults in network.switch_faults if (bounds := faults.bounds())
    ]
    lines += network.timeouts.bounds()
    lines += [f"timer {timer.name} fires {at_most(timer.budget)}" for timer in network.timers]
    lines += [f"{external.name} is called {at_most(external.budget)}" for external in network.externals]
    lines += [
        f"statistics: {each.counter} of {each.port} is {' or '.join(map(str, each.values))}"
        for each in network.statistics
    ]
    if isinstance(network.warmup, int):
        lines.append(
            f"warm-up before the search, in one order: switches join, and time passes {at_most(network.warmup)}"
        )
    if network.setup:
        done = "; ".join(f"({number}) {step.label}" for number, step in enumerate(network.setup, 1))
        lines.append(f"set-up before the search, in one order: {done}")
    lines += start
    lines += _time(network, capability(program, HasClock), settling)
    if (described := capability(program, DescribesRun)) is not None:
        lines += described.notes
    lines += options.limits.bounds()
    lines += [f"without {part.skips} ({part.name})" for part in strategy_parts(options.strategy)]
    return tuple(lines)


def key_bound(states: int) -> str:
    """What a search in a cluster is bounded by: states are told apart by keys."""
    return f"states are told apart by 128-bit keys: a chance of {states * states / 2 / 2.0**128:.0e} that one was lost"


def _time(network: Network, clock: HasClock | None, settling: bool) -> list[str]:
    """When timers of the program fire."""
    lines = [f"time passes to the program's next timer {at_most(network.ticks)}"] if network.ticks else []
    seen = () if clock is None else clock.timers_seen
    if not seen:
        return lines
    if not network.settle_ticks:
        return lines or [f"ticks = 0, so these timers never fire: {', '.join(seen)}"]
    often = "once" if network.settle_ticks == 1 else f"{network.settle_ticks} times in a row"
    if settling:
        since = "since it last received or sent a packet of a host"
        return [*lines, f"when nothing else happens, time passes to the program's next timer, {often} at most {since}"]
    before = f"before a violation at rest is reported, time passes {often}, in one order"
    return [*lines, before] if lines else [f"ticks = 0, so these timers do not fire: {', '.join(seen)}; but {before}"]
