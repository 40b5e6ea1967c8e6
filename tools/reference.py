"""Reference pages of the site, made from the code: commands, library, Python names, exit codes and file formats.

Run: python -m tools.reference FOLDER   (the site's hook writes them when it is built; nothing of it is committed)
"""

import dataclasses
import enum
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import click

import sdnloom
from sdnloom.check.load import HOSTS
from sdnloom.check.scenario_schema import FILE_TYPES
from sdnloom.cli import COMMANDS, cli
from sdnloom.cli.options.exit_codes import EXIT_CODES
from sdnloom.cli.options.option_groups import OTHER, GroupedCommand
from sdnloom.properties import LIBRARY
from sdnloom.report.schemas import json_schema, schema_names
from sdnloom.scenario_file.by_signature import call_schema
from sdnloom.strategies import FlowIR, NoDelay, PktSeq, SearchStrategy, Unusual

MADE = "*This page is made from the code when the site is built.*"
STRATEGIES: tuple[type[SearchStrategy], ...] = (PktSeq, NoDelay, Unusual, FlowIR)
EXIT_MEANINGS = {
    0: "the answer is yes: everything holds, nothing differs, the defect is gone",
    1: "the answer is no: a property is violated, switches differ, races are harmful",
    2: "bad input or bad options; one message on stderr says where, what was found and what was expected",
    3: "no answer: not everything was searched, or too little happened for a result to mean much",
    4: "the real system does something else than the model (confirm, check --confirm)",
    130: "a second Ctrl-C ended the command",
}


# -- Commands ----------------------------------------------------------------------------------------------------


class NamedCommand(NamedTuple):
    """A command, and the words that call it."""

    words: str
    command: click.Command


def all_commands() -> list[NamedCommand]:
    """Every command and subcommand, in the order of `sdnloom --help`."""
    context = click.Context(cli, info_name="sdnloom")
    found = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        found += _with_subcommands(f"sdnloom {name}", command)
    return found


def _with_subcommands(words: str, command: click.Command) -> Iterator[NamedCommand]:
    yield NamedCommand(words, command)
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=words, **cli.context_settings)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _with_subcommands(f"{words} {name}", inner)


def commands_page() -> str:
    """Usage, help and options of every command."""
    rows = [f"| [`{words}`](#{_anchor(words)}) | {_first_line(command.help)} |" for words, command in all_commands()]
    parts = [
        "# Commands",
        MADE,
        "\n".join(["| command | what it does |", "|---|---|", *rows]),
        "Every command has `--help`. [Exit codes](exit-codes.md) mean the same everywhere.",
        *(part for each in all_commands() for part in _command(each)),
    ]
    return _page(parts)


def _command(named: NamedCommand) -> Iterator[str]:
    words, command = named
    # With the settings of the whole program, because click keeps the option --help that it makes here.
    context = click.Context(command, info_name=words, **cli.context_settings)
    yield f"## {words}"
    yield f"```text\n{' '.join([words, *command.collect_usage_pieces(context)])}\n```"
    yield inspect.cleandoc(command.help or "")
    options = [each for each in command.get_params(context) if isinstance(each, click.Option) and not each.hidden]
    groups = command.groups if isinstance(command, GroupedCommand) else {}
    named_options = {name for names in groups.values() for name in names}
    rest = [each for each in options if each.name not in named_options]
    sections = [(heading, [each for each in options if each.name in names]) for heading, names in groups.items()]
    for heading, some in (*sections, (OTHER if groups else "", rest)):
        if some:
            rows = [_option(each, context) for each in some]
            yield "\n".join([*([f"**{heading}**", ""] if heading else []), "| option | meaning |", "|---|---|", *rows])


def _option(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    return f"| `{_cell(names)}` | {_cell(text)} |"


# -- Properties, hosts, strategies -------------------------------------------------------------------------------


def library_page() -> str:
    """Properties, hosts and strategies, each with its arguments."""
    properties: dict[str, Callable[..., Any]] = dict(LIBRARY)
    hosts: dict[str, Callable[..., Any]] = {f'kind = "{name}"': kind for name, kind in HOSTS.items()}
    strategies: dict[str, Callable[..., Any]] = {kind.name: kind for kind in STRATEGIES}
    parts = ["# Properties, hosts and strategies", MADE]
    for heading, text, kinds in (
        ("Properties", "More on the page about [properties](../properties.md).", properties),
        ("Hosts", "More on the page about [scenario files](../scenario.md#hosts).", hosts),
        ("Strategies", "More on the page about [reduction](../reduction.md#strategies).", strategies),
    ):
        parts += [f"## {heading}", text]
        for name, kind in kinds.items():
            parts += [f"### {name}", inspect.getdoc(kind) or "", *_arguments(kind)]
    return _page(parts)


def _arguments(kind: Callable[..., Any]) -> list[str]:
    """A table of the arguments that scenario files can set."""
    keys, required = call_schema(kind, ("name", "host"), FILE_TYPES)
    rows = [
        f"| `{key}` | {_cell(_schema_type(each))} | {'required' if key in required else _default(each)} |"
        for key, each in keys.items()
    ]
    return ["\n".join(["| argument | type | default |", "|---|---|---|", *rows])] if rows else []


def _default(schema: Mapping[str, Any]) -> str:
    return f"`{_cell(json.dumps(schema['default']))}`" if schema.get("default") not in (None, []) else "none"


# -- Python ------------------------------------------------------------------------------------------------------


def python_page() -> str:
    """The public names of `sdnloom` and of its public modules."""
    parts = ["# Python", MADE, "`import sdnloom` has these names; everything else is internal and may change."]
    names = {name: getattr(sdnloom, name) for name in sdnloom.__all__}
    values = {name: value for name, value in names.items() if not isinstance(value, ModuleType)}
    modules = {name: value for name, value in names.items() if isinstance(value, ModuleType)}
    parts += ["## sdnloom", _names_table("sdnloom", values)]
    methods = {name: _methods(value) for name, value in values.items() if inspect.isclass(value)}
    for name, found in methods.items():
        if found:
            parts += [f"### {name}", _names_table(name, found)]
    for name, module in modules.items():
        parts += [f"## sdnloom.{name}", _first_paragraph(inspect.getdoc(module))]
        parts.append(_names_table(f"sdnloom.{name}", public_values(module)))
    return _page(parts)


def public_values(module: ModuleType) -> dict[str, Any]:
    """The public names of a module: those of `__all__`, or what it defines itself."""
    if hasattr(module, "__all__"):
        return {name: getattr(module, name) for name in module.__all__}
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }


def _methods(kind: type) -> dict[str, Any]:
    """The public methods and properties that a class defines itself."""
    return {
        name: value
        for name, value in vars(kind).items()
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property | classmethod))
    }


def _names_table(place: str, values: Mapping[str, Any]) -> str:
    rows = [f"| `{name}{_cell(_signature(value))}` | {_cell(_summary(value))} |" for name, value in values.items()]
    return "\n".join(["| name | meaning |", "|---|---|", *rows]) if rows else f"`{place}` has no names."


def _signature(value: Any) -> str:
    """The parameters of a call without their types, which make lines unreadable; empty for constants."""
    if (
        not callable(value)
        or isinstance(value, enum.EnumMeta)
        or (inspect.isclass(value) and issubclass(value, BaseException))
    ):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    parameters = [each for each in parameters if each.name != "self"]
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown = [
        f"{stars.get(each.kind, '')}{each.name}{'' if each.default is each.empty else '=...'}" for each in parameters
    ]
    return f"({', '.join(shown)})"


def _summary(value: Any) -> str:
    """The first paragraph of a docstring; the value of a constant."""
    if inspect.isclass(value) or inspect.isroutine(value) or callable(value) or isinstance(value, property):
        text = _first_paragraph(inspect.getdoc(value))
        made = dataclasses.is_dataclass(value) and text.startswith(f"{getattr(value, '__name__', '')}(")
        return "" if made else text
    text = repr(value)
    return f"`{text if len(text) <= 60 else type(value).__name__}`"


# -- Exit codes and files ----------------------------------------------------------------------------------------


def exit_codes_page() -> str:
    """What exit codes mean, and what each command says about its own."""
    verdicts = "\n".join(
        ["| verdict | exit code |", "|---|---|", *(f"| {name} | {code} |" for name, code in EXIT_CODES.items())]
    )
    meanings = "\n".join(
        ["| exit code | meaning |", "|---|---|", *(f"| {code} | {text} |" for code, text in EXIT_MEANINGS.items())]
    )
    rows = []
    for words, command in all_commands():
        text = " ".join(inspect.cleandoc(command.help or "").split())
        found = re.search(r"Exit codes?: (.*?)(?:\.(?: |$)|$)", text)
        if found:
            rows.append(f"| [`{words}`](commands.md#{_anchor(words)}) | {_cell(found[1])} |")
    own = "\n".join(["| command | exit codes |", "|---|---|", *rows])
    return _page(["# Exit codes", MADE, meanings, "## Verdicts", verdicts, "## Commands", own])


def files_page() -> str:
    """The published schemas, with their keys of the top level."""
    parts = [
        "# Files and schemas",
        MADE,
        "`sdnloom schema NAME` prints a schema; [editor](../editor.md) says how to use that of scenarios.",
    ]
    for name in schema_names():
        schema = json_schema(name)
        parts += [
            f"## {name}",
            f"[{name}.json](../schemas/{name}.json): {schema.get('description') or schema.get('title', '')}",
        ]
        keys = (schema.get("else") or schema).get("properties", {})
        rows = [
            f"| `{key}` | {_cell(_schema_type(each))} | {_cell(each.get('description', ''))} |"
            for key, each in keys.items()
        ]
        if rows:
            parts.append("\n".join(["| key | type | meaning |", "|---|---|---|", *rows]))
    return _page(parts)


_TYPE_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "table",
    "null": "null",
}


def _schema_type(schema: Mapping[str, Any]) -> str:
    """The type of a value in words."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "anyOf" in schema and "type" not in schema:
        return " or ".join(dict.fromkeys(map(_schema_type, schema["anyOf"])))
    kinds = schema.get("type", [])
    names = [_TYPE_WORDS[each] for each in ([kinds] if isinstance(kinds, str) else kinds)]
    if names == ["list"] and schema.get("items"):
        return f"list, each item {_schema_type(schema['items'])}"
    return " or ".join(names) or "any value"


# -- All pages ---------------------------------------------------------------------------------------------------

PAGES: dict[str, Callable[[], str]] = {
    "commands": commands_page,
    "library": library_page,
    "python": python_page,
    "exit-codes": exit_codes_page,
    "files": files_page,
}


def _page(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _anchor(heading: str) -> str:
    return heading.replace(" ", "-")


def _first_line(text: str | None) -> str:
    return _first_paragraph(inspect.cleandoc(text or "")).replace("|", "\\|")


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


def _cell(text: str) -> str:
    """A text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write all pages into a folder."""
    if len(arguments) != 1:
        sys.stderr.write("error: expected one folder: python -m tools.reference FOLDER\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        (folder / f"{name}.md").write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
