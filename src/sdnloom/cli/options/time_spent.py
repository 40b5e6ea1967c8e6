"""The time that a command has used before it watches its limits, which counts: most of it goes to imports."""

from time import monotonic

import click


def time_spent() -> float:
    """Seconds since the command line was entered."""
    began = click.get_current_context().find_root().obj
    return monotonic() - began if isinstance(began, float) else 0.0
