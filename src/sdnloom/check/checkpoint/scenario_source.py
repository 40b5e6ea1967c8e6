"""Where a scenario is found again, as traces and checkpoints say it: its file, or its document and a folder for it."""

import os
from pathlib import Path

from sdnloom.check.scenario import Scenario

# The entry `clients` of what was made with --discover or --discover-only.
DISCOVER, DISCOVER_ONLY = "discover", "discover-only"


def scenario_source(scenario: Scenario, folder: Path) -> dict[str, str]:
    """Where a scenario is, as a file in the folder says it; nothing for one that was made in Python."""
    source: dict[str, str] = {}
    if scenario.text is not None:
        source.update(document=scenario.text, folder=seen_from_folder(folder, Path()))
    elif scenario.file is not None:
        source["scenario"] = seen_from_folder(folder, scenario.file)
    if scenario.discovers:
        source["clients"] = DISCOVER_ONLY if scenario.discovers == "only" else DISCOVER
    return source


def seen_from_folder(folder: Path, target: Path) -> str:
    """The name of a file for one in the folder, so that both can be moved together."""
    return Path(os.path.relpath(target.resolve(), folder.resolve())).as_posix()
