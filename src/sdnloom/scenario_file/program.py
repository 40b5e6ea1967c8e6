"""The `[program]` table: a class in plain Python, apps of os-ken and Ryu, or apps for NOX."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdnloom.network.program import Program
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.scenario_file.code_files import CodeFiles
from sdnloom.scenario_file.nox_program import read_nox
from sdnloom.scenario_file.table import Table


@dataclass(frozen=True)
class ScenarioProgram:
    """A program that has started, a function that makes others like it, and the files of its code.

    `version` is the OpenFlow version that the program speaks; None if it speaks any.
    """

    program: Program
    make: Callable[[], Program]
    files: tuple[Path, ...]
    version: str | None = None


def read_program(table: Table, code: CodeFiles, version: str | None) -> ScenarioProgram:
    """The program of a `[program]` table, started once. `version` is the version that the switches are set to."""
    if "app" in table or "apps" in table:
        return _osken(table, version)
    if "nox" in table:
        make = read_nox(table, version)
        program = make()
        return ScenarioProgram(program, make, program.files, program.version)
    return _python(table, code)


def _python(table: Table, code: CodeFiles) -> ScenarioProgram:
    expected = 'the Python file of the controller program (or `app`: an os-ken or Ryu app such as "my_switch.py")'
    file = table.beside("file", table.text("file", expected=expected))
    name = table.text("class", None, "the name of a class in the file")
    arguments = table.plain("arguments", {})
    if not isinstance(arguments, dict):
        table.fail("arguments", arguments, "a table of the constructor's arguments")
    per_switch = table.flag("per_switch", None)
    table.close()
    found = table.calling("file" if name is None else "class", lambda: code.get_class(file, name))

    def make() -> PythonProgram:
        return table.calling("class", lambda: PythonProgram(found, arguments, per_switch))

    program = make()
    program.initial()
    return ScenarioProgram(program, make, code.files)


def _osken(table: Table, version: str | None) -> ScenarioProgram:
    key = "apps" if "apps" in table else "app"
    names: Sequence[str] = table.texts("apps") if key == "apps" else [table.text("app")]
    if "app" in table and "apps" in table:
        table.fail("apps", names, "either `app` or `apps`")
    if not names or not all(names):
        table.fail(key, names, "at least one module or file of an app")
    for name in names:
        if not _is_app(name) or (not names_file(name) and table.beside(key, name).is_file()):
            table.fail(key, name, 'a Python file such as "switch.py", or a module such as "ryu.app.simple_switch_13"')
    for needed in ("os_ken", "greenlet"):
        if importlib.util.find_spec(needed) is None:
            table.fail(key, names, f"{needed} to be installed: pip install 'sdnloom[osken]'")
    from sdnloom.platforms.osken.program import OskenProgram  # here, because os-ken is an optional dependency

    environment, data = _environment(table)
    folders = [table.beside("path", folder).resolve() for folder in table.texts("path", [])]
    for folder in folders:
        if not folder.is_dir():
            table.fail("path", str(folder), "folders that exist")
    options = {
        "version": version,
        "hub": table.choice("hub", ("auto", "native", "eventlet"), "auto"),
        "threads": table.choice("threads", ("settle", "explore"), "settle"),
        "seed": table.whole("seed", 0, default=0),
        "draws": table.whole("draws", 0, 100, 0),
        "config": table.plain("config", {}),
        "environment": environment,
        "per_switch": table.flag("per_switch", None),
        "path": [*folders, table.file_of(key).parent.resolve()],
    }
    if not isinstance(options["config"], dict):
        table.fail("config", options["config"], "a table of options of os-ken and the apps")
    table.close()
    apps = [table.beside(key, name) if names_file(name) else name for name in names]

    def make() -> OskenProgram:
        return table.calling(key, lambda: OskenProgram(apps, **options))

    program = make()
    return ScenarioProgram(program, make, (*program.files, *data), program.version)


def _environment(table: Table) -> tuple[dict[str, str], list[Path]]:
    """The environment variables of a program, and the files that they name.

    A value that names a file beside the scenario becomes its full path.
    """
    variables = table.table("environment")
    environment: dict[str, str] = {}
    data = []
    for name in variables.keys():  # noqa: SIM118 (a table is no dict)
        if not name or "=" in name or "\0" in name:
            table.fail("environment", name, "names of environment variables")
        value = str(variables.get(name, "a string or a whole number", _is_variable))
        file = variables.beside(name, value)
        if value and not Path(value).is_absolute() and file.is_file():
            data.append(file.resolve())
            value = str(file.resolve())
        environment[name] = value
    return environment, data


def _is_variable(value: Any) -> bool:
    return type(value) in (str, int) and "\0" not in str(value)


def _is_app(name: str) -> bool:
    """Whether this can be the name of a file or a module; "." is a folder."""
    parts = [Path(name).name.strip(".")] if names_file(name) else name.split(".")
    return all(part.strip() for part in parts)


def names_file(app: str) -> bool:
    """Whether an app is named by its file; otherwise it is a module."""
    return app.endswith(".py") or "/" in app
