"""The hub that apps run on if none is named: eventlet for apps that import Ryu, else os-ken's own default."""

import re
from collections.abc import Sequence
from pathlib import Path

from sdnloom.platforms.sandbox.threads import Flavour

_IMPORTS_RYU = re.compile(rb"^[ \t]*(?:from|import)[ \t]+ryu\b", re.MULTILINE)


def default_hub(apps: Sequence[str], path: Sequence[Path] = ()) -> Flavour:
    """Return the hub of the framework that the apps are written for. Ryu has no other hub than eventlet.

    Only the files of the apps are looked at, as text: they are not loaded yet, and may be in Python 2.
    """
    return Flavour.EVENTLET if any(_imports_ryu(app, path) for app in apps) else Flavour.NATIVE


def _imports_ryu(app: str, path: Sequence[Path]) -> bool:
    if app.startswith("ryu."):
        return True
    parts = app.split(".")
    below = [folder.joinpath(*parts) for folder in path]
    files = [Path(app), *(base.with_suffix(".py") for base in below), *(base / "__init__.py" for base in below)]
    for file in files:
        try:
            return _IMPORTS_RYU.search(file.read_bytes()) is not None
        except (OSError, ValueError):  # no such file, or no name of a file
            continue
    return False
