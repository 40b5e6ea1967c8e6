"""`import sdnloom` offers the public names lazily, and pages and examples import from nowhere else."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sdnloom

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
# Public modules that are also imported from directly: `from sdnloom.engine import System`.
MODULES = {"sdnloom", *(module for name, module in sdnloom._MODULES.items() if module == f"sdnloom.{name}")}


def declared_names() -> dict[str, str]:
    """Public names as type checkers see them, with the module that each is imported from."""
    tree = ast.parse(Path(sdnloom.__file__).read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    return {
        alias.asname: f"{node.module}.{alias.name}" if module_is_package(node.module, alias.name) else node.module
        for node in block.body
        for alias in node.names
    }


def module_is_package(module: str, name: str) -> bool:
    return f"{module}.{name}" in sdnloom._MODULES.values()


def python_code(page: Path) -> list[str]:
    """The Python of a page: fenced blocks and doctest lines."""
    text = page.read_text()
    doctests = re.findall(r"^ *(?:>>>|\.\.\.) ?(.*)$", text, re.MULTILINE)
    indented = re.findall(r"^    ((?:from|import) .*)$", text, re.MULTILINE)
    return [*re.findall(r"```python\n(.*?)```", text, re.DOTALL), "\n".join([*doctests, *indented])]


def imported_modules(code: str) -> set[str]:
    return set(re.findall(r"^\s*(?:from|import) (sdnloom[\w.]*)", code, re.MULTILINE))


def test_type_checkers_see_the_names_that_there_are() -> None:
    assert declared_names() == sdnloom._MODULE_OF | sdnloom._MODULES


@pytest.mark.parametrize("name", sdnloom.__all__)
def test_each_name_can_be_imported(name: str) -> None:
    value = getattr(sdnloom, name)
    if name in sdnloom._MODULES:
        assert value is importlib.import_module(sdnloom._MODULES[name])
    else:
        assert value is getattr(importlib.import_module(sdnloom._MODULE_OF[name]), name)
    assert name in dir(sdnloom)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'sdnloom' has no attribute 'Scenary'"):
        sdnloom.Scenary  # noqa: B018


@pytest.mark.parametrize("arguments", [["-c", "import sdnloom"], ["-m", "sdnloom", "--help"]], ids=["import", "help"])
def test_nothing_heavy_is_imported_before_it_is_used(arguments: list[str]) -> None:
    ran = subprocess.run([sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "sdnloom" in imported
    assert not {"numba", "numpy", "os_ken", "rich", "bitwuzla", "z3", "sdnloom.engine", "sdnloom.network"} & imported


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_import_public_modules_only(page: Path) -> None:
    for code in python_code(page):
        assert imported_modules(code) <= MODULES


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: str(file.relative_to(ROOT)))
def test_examples_import_public_modules_only(file: Path) -> None:
    assert imported_modules(file.read_text()) <= MODULES
