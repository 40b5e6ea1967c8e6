"""Fragments: files that scenarios include and that are no scenarios themselves, named `*.part.toml`."""

import tomllib
from pathlib import Path

from sdnloom.scenario_file.document import MOST_BYTES, Entries, ScenarioError

FRAGMENT_SUFFIX = ".part.toml"
_NEEDED = {"program": "[program]", "properties": "properties"}
_MOST = 1_000  # files of a folder that are searched for an include


def refuse_fragment(document: Entries, file: Path) -> None:
    """Raise ScenarioError for a document that lacks a part of a scenario and is included by others."""
    missing = [name for key, name in _NEEDED.items() if key not in document.entries]
    if not missing:
        return
    scenarios = _scenarios_with(file)
    if not scenarios and not file.name.endswith(FRAGMENT_SUFFIX):
        return  # a scenario that is not finished; its reader names the key
    example = f", such as {scenarios[0]}" if scenarios else ""
    lacks = " and no ".join(missing)
    raise ScenarioError(f"{file}: is a fragment: it has no {lacks}; check a scenario that includes it{example}")


def _scenarios_with(file: Path) -> list[str]:
    """The files in the same folder that include this one, fragments last."""
    beside = sorted(file.parent.glob("*.toml"))[:_MOST]
    found = [other.name for other in beside if file.name in _includes(other)]
    return sorted(found, key=lambda name: (name.endswith(FRAGMENT_SUFFIX), name))


def _includes(file: Path) -> list[str]:
    """The names after `include` in a file; none for a file that cannot be read."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return []
        names = tomllib.loads(file.read_text(encoding="utf-8-sig")).get("include", [])
    except (OSError, ValueError, RecursionError):
        return []
    listed = [names] if isinstance(names, str) else names if isinstance(names, list) else []
    return [Path(name).name for name in listed if isinstance(name, str)]
