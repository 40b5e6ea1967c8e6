"""The options of `sdnloom check` that a program of actors has."""

import click

OPTIONS_OF_ACTORS = ("level", "symmetry", "count", "tree")  # that only a program of actors has
# All that it has.
KNOWN_TO_ACTORS = {
    *("find_all", "order", "reduce", "max_states", "max_depth", "time_limit", "memory_limit"),
    *(
        "form",
        "long",
        "color",
        "show_output",
        "exports",
        "trace_dir",
        "no_trace",
        "jobs",
        "baseline",
        "update_baseline",
        *OPTIONS_OF_ACTORS,
    ),
}


def reduction_level(reduce: bool | None, level: str | None) -> str | None:
    """The level of independence that the options ask for; None if they ask for none in particular."""
    if reduce is not None and level is not None and reduce == (level == "none"):
        flag = "--reduce" if reduce else "--no-reduce"
        raise click.UsageError(f"{flag} and --reduction {level} are given; expected one or the other")
    return "none" if reduce is False else level
