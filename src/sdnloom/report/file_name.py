"""Names of agents and tests as parts of file names."""

import re


def file_name(name: str) -> str:
    """The name with a hyphen for everything but letters, digits, dots and underscores; never hidden, never a path."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", name[-60:]).strip("-.") or "unnamed"
