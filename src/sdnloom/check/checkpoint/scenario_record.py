"""What a checkpoint says of its scenario: where it is found again, its options, and the digests of its files.

Files are named relative to the checkpoint, so that all of it can be moved together. They are compared before any of
them is read as code.
"""

import difflib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from sdnloom.check.checkpoint.scenario_source import scenario_source, seen_from_folder
from sdnloom.check.load import load_scenario, read_scenario
from sdnloom.check.options.app_options import COMMAND_LINE
from sdnloom.check.options.search_options import CheckOptions
from sdnloom.check.scenario import Scenario
from sdnloom.engine.checkpoint.file import CheckpointError
from sdnloom.scenario_file.document import Entries, ScenarioError, read_document
from sdnloom.scenario_file.plain_document import plain_document
from sdnloom.scenario_file.toml_text import toml_text

_LIMITS = ("max_states", "max_depth", "time_limit", "memory_limit")


def scenario_record(scenario: Scenario, options: CheckOptions, checkpoint: Path) -> dict[str, Any]:
    """The part of a manifest that says what is checked; the options are already in the scenario."""
    folder = checkpoint.absolute().parent
    files = {seen_from_folder(folder, file): _digest(file) for file in _files(scenario)}
    given = asdict(options)
    if options.same_flow is not None:  # FILE:FUNCTION
        file, colon, name = options.same_flow.rpartition(":")
        given["same_flow"] = f"{seen_from_folder(folder, Path(file))}{colon}{name}" if colon else options.same_flow
    return {
        "name": scenario.name,
        "source": scenario_source(scenario, folder),
        "text": _text(scenario),
        "options": given,
        "files": files,
    }


def changed_files(record: Mapping[str, Any], checkpoint: Path) -> list[str]:
    """What has become of the files of a scenario, one text for each that is not as it was."""
    folder, found = checkpoint.absolute().parent, []
    for name, digest in record["files"].items():
        file = Path(os.path.normpath(folder / name))
        if not file.is_file():
            found.append(f"the file {str(file)!r} is not there any more")
        elif _digest(file) != digest:
            found.append(f"the file {str(file)!r} has changed")
    return found


def with_limits(record: Mapping[str, Any], limits: CheckOptions) -> dict[str, Any]:
    """The record of the same scenario with other limits, where they are given."""
    return {**record, "options": {**record["options"], **_given_limits(limits)}}


def _given_limits(limits: CheckOptions) -> dict[str, Any]:
    return {name: value for name in _LIMITS if (value := getattr(limits, name)) is not None}


def recorded_scenario(
    record: Mapping[str, Any], checkpoint: Path, limits: CheckOptions, given: Scenario | None = None
) -> Scenario:
    """The scenario of a checkpoint, with the options of its check and these limits over them. Its files are as before.

    Raises CheckpointError if its text is another one now. One that is `given` is taken as it is instead.
    """
    folder, source = checkpoint.absolute().parent, record["source"]
    try:
        if given is not None:
            return _options(record, folder, limits).over(given)
        if "document" in source:
            base = Path(os.path.normpath(folder / source["folder"]))
            scenario = read_scenario(source["document"], base / COMMAND_LINE, build=False)
        elif "scenario" in source:
            scenario = load_scenario(Path(os.path.normpath(folder / source["scenario"])), build=False)
        else:
            raise CheckpointError(f"{checkpoint}: names no scenario: it was made in Python; resume it there")
        if (change := _first_change(record["text"], _text(scenario))) is not None:
            raise CheckpointError(f"{checkpoint}: cannot be resumed: the scenario has changed: {change}")
        return _options(record, folder, limits).over(scenario)
    except ScenarioError as error:
        raise CheckpointError(f"{checkpoint}: its scenario: {error}") from error


def _options(record: Mapping[str, Any], folder: Path, limits: CheckOptions) -> CheckOptions:
    known = {each.name for each in fields(CheckOptions)}
    options = {name: value for name, value in record["options"].items() if name in known}
    if options.get("same_flow"):
        file, colon, name = options["same_flow"].rpartition(":")
        options["same_flow"] = f"{os.path.normpath(folder / file)}{colon}{name}" if colon else name
    return replace(CheckOptions(**options), **_given_limits(limits))


def _text(scenario: Scenario) -> str:
    """The scenario as one document, without the options over it; "" for one that was made in Python."""
    if scenario.text is not None:
        return scenario.text
    if scenario.file is None:
        return ""
    return toml_text(plain_document(read_document(scenario.file), scenario.file, scenario.file.parent))


def _first_change(before: str, now: str) -> str | None:
    """The first line that differs, in words."""
    lines = [line for line in difflib.ndiff(before.splitlines(), now.splitlines()) if line[:2] in ("- ", "+ ")]
    if not lines:
        return None
    what = {"- ": "without", "+ ": "with"}[lines[0][:2]]
    return f"it is {what} the line {lines[0][2:]!r}"


def _files(scenario: Scenario) -> list[Path]:
    """The files of a scenario: its own, those it includes, its code, and what its document names."""
    found = dict.fromkeys(file.absolute() for file in scenario.code)
    if scenario.file is not None:
        document = read_document(scenario.file)
        found.update(dict.fromkeys(file.absolute() for file in (scenario.file, *_written_in(document))))
        named = plain_document(document, scenario.file, Path())
        found.update(dict.fromkeys(_named(named, Path())))
    if scenario.document is not None:
        found.update(dict.fromkeys(_named(scenario.document, Path())))
    return [file for file in found if file.is_file()]


def _written_in(document: Entries) -> Iterator[Path]:
    for entry in document.entries.values():
        yield entry.file
        if isinstance(entry.value, Entries):
            yield from _written_in(entry.value)


def _named(value: Any, folder: Path) -> Iterator[Path]:
    """The files that texts of a document name: FILE, FILE:NAME, or NAME=FILE."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _named(each, folder)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _named(each, folder)
    elif isinstance(value, str) and value and len(value) < 1000 and "\0" not in value and "\n" not in value:
        for text in (value, value.rpartition(":")[0]):
            if text and os.path.isfile(folder / text):
                yield (folder / text).absolute()


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be read: {error.strerror}") from error
