"""The `[program]` of a scenario: a class in plain Python, apps of os-ken and Ryu, or apps for NOX."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdnloom.network.program import Program
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.scenario_file.code_files import CodeFiles
from sdnloom.scenario_file.nox_program import read_nox
from sdnloom.scenario_file.table import Table


@dataclass(frozen=True)
class ReadProgram:
    """A program that has started, a function that makes others like it, and the files of its code.

    `version` is the OpenFlow version that the program speaks; None if it speaks any.
    """

    program: Program
    make: Callable[[], Program]
    files: tuple[Path, ...]
    version: str | None = None


def read_program(reader: Table, code: CodeFiles, version: str | None) -> ReadProgram:
    """The program of a `[program]` table, started once. `version` is the version that the switches are set to."""
    if "app" in reader or "apps" in reader:
        return _osken(reader, version)
    if "nox" in reader:
        make = read_nox(reader, version)
        program = make()
        return ReadProgram(program, make, program.files, program.version)
    return _python(reader, code)


def _python(reader: Table, code: CodeFiles) -> ReadProgram:
    expected = 'the Python file of the controller program (or `app`: an os-ken or Ryu app such as "my_switch.py")'
    file = reader.beside("file", reader.text("file", expected=expected))
    name = reader.text("class", None, "the name of a class in the file")
    arguments = reader.plain("arguments", {})
    if not isinstance(arguments, dict):
        reader.fail("arguments", arguments, "a table of the constructor's arguments")
    per_switch = reader.flag("per_switch", None)
    reader.close()
    found = reader.calling("file" if name is None else "class", lambda: code.only_class(file, name))

    def make() -> PythonProgram:
        return reader.calling("class", lambda: PythonProgram(found, arguments, per_switch))

    program = make()
    program.initial()
    return ReadProgram(program, make, code.files)


def _osken(reader: Table, version: str | None) -> ReadProgram:
    key = "apps" if "apps" in reader else "app"
    names: Sequence[str] = reader.texts("apps") if key == "apps" else [reader.text("app")]
    if "app" in reader and "apps" in reader:
        reader.fail("apps", names, "either `app` or `apps`")
    if not names or not all(names):
        reader.fail(key, names, "at least one module or file of an app")
    for name in names:
        if not _is_app(name) or (not is_file(name) and reader.beside(key, name).is_file()):
            reader.fail(key, name, 'a Python file such as "switch.py", or a module such as "ryu.app.simple_switch_13"')
    for needed in ("os_ken", "greenlet"):
        if importlib.util.find_spec(needed) is None:
            reader.fail(key, names, f"{needed} to be installed: pip install 'sdnloom[osken]'")
    from sdnloom.platforms.osken.program import OskenProgram  # here, because it needs what is an extra

    folders = [reader.beside("path", folder).resolve() for folder in reader.texts("path", [])]
    for folder in folders:
        if not folder.is_dir():
            reader.fail("path", str(folder), "folders that exist")
    options = {
        "version": version,
        "hub": reader.choice("hub", ("native", "eventlet"), "native"),
        "threads": reader.choice("threads", ("settle", "explore"), "settle"),
        "seed": reader.whole("seed", 0, default=0),
        "draws": reader.whole("draws", 0, 100, 0),
        "config": reader.plain("config", {}),
        "per_switch": reader.flag("per_switch", None),
        "path": [*folders, reader.file_of(key).parent.resolve()],
    }
    if not isinstance(options["config"], dict):
        reader.fail("config", options["config"], "a table of options of os-ken and the apps")
    reader.close()
    apps = [reader.beside(key, name) if is_file(name) else name for name in names]

    def make() -> OskenProgram:
        return reader.calling(key, lambda: OskenProgram(apps, **options))

    program = make()
    return ReadProgram(program, make, program.files, program.version)


def _is_app(name: str) -> bool:
    """Whether a file or a module can be named so; a folder's "." is none."""
    parts = [Path(name).name.strip(".")] if is_file(name) else name.split(".")
    return all(part.strip() for part in parts)


def is_file(app: str) -> bool:
    """Whether an app is named by its file; otherwise it is a module."""
    return app.endswith(".py") or "/" in app
