"""Names: one public name for each idea, no participles as module names, no crowded folders."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import sdnloom

SOURCE = Path(sdnloom.__file__).parent
GLOSSARY = Path(__file__).parents[1] / "docs" / "glossary.md"
FILES = sorted(SOURCE.rglob("*.py"))
FOLDERS = sorted({file.parent for file in FILES})
NOUNS = {"ping", "ring", "seed", "string", "threading"}  # that end as participles do; `threading` is a module of Python


def module_name(file: Path) -> str:
    return ".".join(["sdnloom", *file.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


def public_names(file: Path) -> Iterator[str]:
    """Classes, functions and constants that the module defines at top level; imports define nothing."""
    for node in ast.parse(file.read_text()).body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar"))):
                pass
            case ast.Assign():
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def modules_by_name() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for file in FILES:
        for name in public_names(file):
            if not name.startswith("_"):
                found[name].add(module_name(file))
    return found


def listed_names() -> set[str]:
    """The names in the first column of the glossary's last section."""
    section = GLOSSARY.read_text().split("## Names that occur in more than one module\n")[1]
    return {name for row in re.findall(r"^\| (.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def test_each_public_name_occurs_in_one_module_or_is_listed_in_the_glossary() -> None:
    repeated = {name: sorted(modules) for name, modules in modules_by_name().items() if len(modules) > 1}
    assert {name: modules for name, modules in repeated.items() if name not in listed_names()} == {}


def test_the_glossary_lists_no_name_that_occurs_once() -> None:
    repeated = {name for name, modules in modules_by_name().items() if len(modules) > 1}
    assert listed_names() - repeated == set()


def test_no_module_name_is_a_participle_or_gerund() -> None:
    last = {file: file.stem.split("_")[-1] for file in (*FILES, *FOLDERS)}
    assert [file for file, word in last.items() if word not in NOUNS and re.search(r"(ing|ed)$", word)] == []


def test_no_folder_has_more_than_twenty_files() -> None:
    assert [folder for folder in FOLDERS if len(list(folder.glob("*.py"))) > 20] == []
