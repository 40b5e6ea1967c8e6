"""What a verdict is relative to: every budget and limit of a check, one per line."""

from sdnloom.engine.result import SearchOptions
from sdnloom.engine.strategy import parts_of
from sdnloom.network.hosts import ArpHost, Client, Host, MobileHost, TcpClient
from sdnloom.network.network import Network
from sdnloom.network.program import DescribesRun, HasClock, capability


def stated_bounds(network: Network, options: SearchOptions, program: object = None) -> tuple[str, ...]:
    """The bounds in words. What has no budget does not happen in the search, so it is left out."""
    lines = [line for host in network.hosts if (line := host_bounds(host))]
    for name, faults in network.link_faults:
        parts = [
            f"{what} {times(count)}{where}"
            for what, count, where in (
                ("drops a packet", faults.drop, " in each direction"),
                ("duplicates one", faults.duplicate, " in each direction"),
                ("reorders one", faults.reorder, " in each direction"),
                ("fails", faults.fail, ""),
            )
            if count
        ]
        if parts:
            lines.append(f"link {name} {', '.join(parts)}")
    for switch, lost in network.switch_faults:
        parts = [
            f"{name} {times(n)}" for name, n in (("fails", lost.fail), ("loses its connection", lost.disconnect)) if n
        ]
        if parts:
            lines.append(f"switch {switch} {', '.join(parts)}")
    if network.timeouts.expiries:
        lines.append(f"timeouts run out at any moment {times(network.timeouts.expiries)} in each switch")
    if network.timeouts.settle:
        lines.append("hard timeouts run out when nothing else happens")
    lines += [f"timer {timer.name} fires {times(timer.budget)}" for timer in network.timers]
    lines += [f"{external.name} is called {times(external.budget)}" for external in network.externals]
    lines += [
        f"statistics: {each.counter} of {each.port} is {' or '.join(map(str, each.values))}"
        for each in network.statistics
    ]
    if network.warmup is not None:
        lines.append(f"before the search, in one order: the switches join, and time passes {times(network.warmup)}")
    if network.ticks:
        lines.append(f"time passes to the program's next timer {times(network.ticks)}")
    elif (clock := capability(program, HasClock)) is not None and clock.timers_seen:
        lines.append(f"ticks = 0, so these timers never fire: {', '.join(clock.timers_seen)}")
    if (described := capability(program, DescribesRun)) is not None:
        lines += described.notes
    limits = options.limits
    for text, limit in (
        ("at most {:,} state{}", limits.states),
        ("at most {:,} step{} deep", limits.depth),
        ("at most {:g} second{}", limits.seconds),
        ("at most {:,} byte{} of memory", limits.memory),
    ):
        if limit is not None:
            lines.append(text.format(limit, "" if limit == 1 else "s"))
    lines += [f"without {part.skips} ({part.name})" for part in parts_of(options.strategy)]
    return tuple(lines)


def host_bounds(host: Host) -> str | None:
    """What a host does of its own accord; None if nothing."""
    moving = host if isinstance(host, MobileHost) else None
    inner = host.host if isinstance(host, MobileHost) else host
    parts = []
    if isinstance(inner, Client):
        parts.append(f"{inner.sends} packet{'' if inner.sends == 1 else 's'}")
        if inner.burst is not None:
            parts[-1] += f" ({inner.burst} unanswered)"
    if isinstance(inner, ArpHost) and inner.to and inner.asks:
        parts.append(f"{inner.asks} ARP request{'' if inner.asks == 1 else 's'}")
    if isinstance(inner, TcpClient):
        parts.append("one TCP connection")
    if moving is not None and moving.moves and moving.to:
        parts.append(f"{moving.moves} move{'' if moving.moves == 1 else 's'}")
    return f"{host.name}: at most {', '.join(parts)}" if parts else None


def times(count: int) -> str:
    """A number of times in words, as an upper bound."""
    return "at most once" if count == 1 else f"at most {count} times"
