"""What to try after a limit has ended a search."""

from typing import Final

# Start of the reason of an incomplete search -> the option that raises that limit.
_LIMIT_OPTIONS: Final = {
    "the limit of": "--max-states",
    "the depth limit of": "--max-depth",
    "the time limit of": "--time-limit",
    "the memory limit of": "--memory-limit",
}


def limit_options(reason: str) -> list[str]:
    """The options that raise the limits which ended a search."""
    return [option for limit, option in _LIMIT_OPTIONS.items() if limit in reason]
