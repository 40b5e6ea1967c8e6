"""Published JSON schemas: of scenario files, made from the code that reads them, and of files and reports.

The latter are files of the folder `schemas`, one for each name.
"""

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from sdnloom.check.scenario_schema import Meanings, fragment_schema, scenario_schema
from sdnloom.errors import SdnloomError, did_you_mean

_FOLDER = files("sdnloom") / "schemas"
_MADE: dict[str, Callable[[Meanings], dict[str, Any]]] = {
    "scenario": scenario_schema,
    "scenario-part": fragment_schema,
}


class SchemaError(SdnloomError):
    """A schema that does not exist."""


def schema_names() -> list[str]:
    """The names of all schemas, those of scenario files first."""
    written = [each.name.removesuffix(".json") for each in _FOLDER.iterdir() if each.name.endswith(".json")]
    return [*_MADE, *sorted(written)]


def json_schema(name: str) -> dict[str, Any]:
    """The JSON schema of that name. Raises SchemaError for a name that is not among `schema_names()`."""
    if name in _MADE:
        return _MADE[name](_page_meanings())
    if name not in schema_names():
        known = f"{', '.join(schema_names())}{did_you_mean(name[:80], schema_names())}"
        raise SchemaError(f"schema {name[:80]!r} is unknown; expected one of {known}")
    schema: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return schema


def _page_meanings() -> Meanings:
    """What docs/scenario.md says about each key, by heading: a wheel has a copy of that page, a checkout the page."""
    copies = (_FOLDER / "scenario.md", Path(__file__).parents[3] / "docs" / "scenario.md")
    page = next((each for each in copies if each.is_file()), None)
    return {} if page is None else key_meanings(page.read_text(encoding="utf-8"))


def key_meanings(page: str) -> dict[str, dict[str, str]]:
    """Heading -> key -> meaning, from the tables of a page whose rows are key, type, default and meaning."""
    found: dict[str, dict[str, str]] = {}
    for section in re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        rows = re.findall(r"^\| `(\w+)` \| .*? \| .*? \| (.*) \|$", text, re.MULTILINE)
        found[heading] = {key: re.sub(r"\[(`[^`]*`|[^][]*)\]\([^)]*\)", r"\1", meaning) for key, meaning in rows}
    return found
