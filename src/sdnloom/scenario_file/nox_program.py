"""The `[program]` table of apps for NOX: `nox = "app.py"`, or a list of files."""

from collections.abc import Callable
from typing import Any

from sdnloom.platforms.nox import NoxProgram
from sdnloom.scenario_file.table import Table

EXPECTED = "the file of an app for NOX, or a list of files, those that others resolve first"


def read_nox(table: Table, version: str | None) -> Callable[[], NoxProgram]:
    """A function that loads and starts the program. `version` is the version that the switches are set to."""
    found = table.get("nox", EXPECTED, _are_files)
    arguments = table.plain("arguments", {})
    if not isinstance(arguments, dict) or not all(map(_are_texts, arguments.values())):
        table.fail("arguments", arguments, 'for each app a list of texts: { my_switch = ["slow"] }')
    seed = table.whole("seed", 0, default=0)
    draws = table.whole("draws", 0, 100, 0)
    per_switch = table.flag("per_switch", None)
    table.close()
    if version not in (None, NoxProgram.version):
        table.fail("nox", found, f"switches that speak OpenFlow {NoxProgram.version}, for NOX does, not {version}")
    files = [table.beside("nox", name) for name in ([found] if isinstance(found, str) else found)]
    options: dict[str, Any] = {"seed": seed, "draws": draws, "per_switch": per_switch}
    return lambda: table.calling("nox", lambda: NoxProgram(files, arguments, **options))


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _are_files(value: Any) -> bool:
    names = [value] if isinstance(value, str) else value
    return _are_texts(names) and bool(names) and all(name and "\0" not in name for name in names)
