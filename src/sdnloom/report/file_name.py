"""Names of agents and tests as parts of file names."""

import re
from collections.abc import Sequence
from typing import Final

_LONGEST: Final = 40  # a name may have several parts, and systems allow 255 characters


def file_name(name: str) -> str:
    """The end of a name, with a hyphen for all but letters, digits, dots and underscores; no path, and not hidden."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", name[-_LONGEST:]).strip("-.") or "unnamed"


def file_names(names: Sequence[str]) -> list[str]:
    """The same for several names; different names that would be the same get a number."""
    found = [file_name(name) for name in names]
    if len(set(found)) == len(set(names)):
        return found
    return [f"{each}-{number}" for number, each in enumerate(found, 1)]
