"""Options of a search that do not go together."""

from collections.abc import Sequence

from sdnloom.engine.model import Observer
from sdnloom.engine.result import SearchOptions
from sdnloom.errors import SdnloomError

MOST_THREADS = 1024


def refuse_bad_mixes(options: SearchOptions, observers: Sequence[Observer]) -> None:
    """Raise SdnloomError for options that do not go together."""
    if options.cluster is not None:
        refused = {
            "order 'dfs'": (options.order == "dfs", "which searches breadth first"),
            f"the {options.engine} engine": (options.engine != "auto", "whose workers have an engine of their own"),
            "a checked run": (options.checked, "which evaluates each step once in each process"),
            "a folder for the disk": (options.disk is not None, "whose workers keep visited states in memory"),
            "an observer, as the discovery of inputs needs it": (bool(observers), "where no process has all states"),
        }
        for what, (given, reason) in refused.items():
            if given:
                raise SdnloomError(f"{what} is not possible in a cluster, {reason}")
    if options.engine == "kernel" and options.order == "dfs":
        raise SdnloomError("the kernel engine searches breadth first; use the loop engine for order 'dfs'")
    if options.engine == "kernel" and options.checked:
        raise SdnloomError("checked runs evaluate every step in Python; use the loop engine")
    if options.disk is not None:
        mixes: tuple[tuple[str, object], ...] = (("engine", "loop"), ("order", "dfs"), ("checked", True))
        for option, bad in mixes:
            if getattr(options, option) == bad:
                what = f"option {option} is {bad!r}" if option != "checked" else "the run is checked"
                raise SdnloomError(f"{what}; a search on disk needs the kernel engine, which searches breadth first")
        if options.disk == "":
            raise SdnloomError("option disk is ''; expected a folder to write in")
    if options.threads is not None and (type(options.threads) is not int or not 1 <= options.threads <= MOST_THREADS):
        raise SdnloomError(f"option threads is {options.threads!r}; expected a whole number from 1 to {MOST_THREADS:,}")
    for name, value, known in (
        ("engine", options.engine, ("auto", "loop", "kernel")),
        ("order", options.order, ("auto", "bfs", "dfs")),
    ):
        if value not in known:
            raise SdnloomError(f"option {name} is {value!r}; expected one of {', '.join(known)}")
