"""A document with its includes as one table, in which names of files are as seen from one folder.

Such a table can be printed, kept in a trace and read again without the files that it was made of.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sdnloom.scenario_file.document import Entries, Entry
from sdnloom.scenario_file.program import names_file


def plain_document(document: Entries, file: Path, folder: Path) -> dict[str, Any]:
    """The document of a scenario file as a plain table for a file in the folder.

    Law: a scenario that is read from the result equals one that is read from the document. The name of the scenario
    is the file's, if it has no other; the folder in which modules of an app were found is added to `program.path`.
    """
    table = {key: _plain(entry, (key,), folder) for key, entry in document.entries.items()}
    program = document.entries.get("program")
    if program is not None and isinstance(program.value, Entries):
        _add_folder(table["program"], program.value, folder)
    return {"name": file.stem, **table}


def seen_from(folder: Path, name: str, beside: Path) -> str:
    """The name of a file, given relative to the folder of another file, relative to this folder."""
    if os.path.isabs(name) or os.path.abspath(beside.parent) == os.path.abspath(folder):
        return name
    return Path(os.path.relpath(beside.parent / name, folder)).as_posix()


def _plain(entry: Entry, path: tuple[str, ...], folder: Path) -> Any:
    if isinstance(entry.value, Entries):
        return {key: _plain(inner, (*path, key), folder) for key, inner in entry.value.entries.items()}
    change = _environment if path[:2] == ("program", "environment") else _FILES.get(path)
    return entry.value if change is None else change(entry.value, folder, entry.file)


def _add_folder(program: dict[str, Any], entries: Entries, folder: Path) -> None:
    """Let apps find modules where they found them: beside the file that names the apps."""
    named = entries.entries.get("apps") or entries.entries.get("app")
    if named is None or os.path.abspath(named.file.parent) == os.path.abspath(folder):
        return
    own, listed = seen_from(folder, ".", named.file), program.get("path", [])
    if isinstance(listed, list) and own not in listed:
        program["path"] = [*listed, own]


def _file(name: Any, folder: Path, beside: Path) -> Any:
    return seen_from(folder, name, beside) if isinstance(name, str) else name


def _files(names: Any, folder: Path, beside: Path) -> Any:
    return [_file(name, folder, beside) for name in names] if isinstance(names, list) else _file(names, folder, beside)


def _apps(names: Any, folder: Path, beside: Path) -> Any:
    if isinstance(names, list):
        return [_apps(name, folder, beside) for name in names]
    return _file(names, folder, beside) if isinstance(names, str) and names_file(names) else names


def _environment(value: Any, folder: Path, beside: Path) -> Any:
    """A value that names a file beside the scenario is that file; any other is a text."""
    is_file = isinstance(value, str) and value != "" and "\0" not in value and (beside.parent / value).is_file()
    return _file(value, folder, beside) if is_file else value


def _object(text: Any, folder: Path, beside: Path) -> Any:
    """Something in a Python file: `file.py:name`."""
    file, colon, name = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    return f"{seen_from(folder, file, beside)}:{name}" if colon else text


def _in_tables(key: str, change: Callable[[Any, Path, Path], Any]) -> Callable[[Any, Path, Path], Any]:
    def changed(tables: Any, folder: Path, beside: Path) -> Any:
        if not isinstance(tables, list):
            return tables
        return [
            {**table, key: change(table[key], folder, beside)} if isinstance(table, dict) and key in table else table
            for table in tables
        ]

    return changed


# Keys whose values name files, and how. `Table.beside` is what reads such names.
_FILES: dict[tuple[str, ...], Callable[[Any, Path, Path], Any]] = {
    ("program", "file"): _file,
    ("program", "app"): _apps,
    ("program", "apps"): _apps,
    ("program", "nox"): _files,
    ("program", "path"): _files,
    ("topology", "file"): _file,
    ("hosts",): _in_tables("kind", _object),
    ("properties",): _in_tables("file", _file),
    ("search", "same_flow"): _object,
    ("search", "disk"): _file,
}
