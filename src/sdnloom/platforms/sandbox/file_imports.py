"""What a file of a program imports, and the package that it is in."""

import ast
import warnings
from pathlib import Path
from typing import NamedTuple

INIT = "__init__.py"


class FileImports(NamedTuple):
    """The imports of a file: top-level names, and how many folders up its relative imports reach (0: it has none)."""

    names: frozenset[str]
    level: int


def imports_of(file: Path) -> FileImports:
    """Return what a file imports, anywhere in it; nothing if it is not Python, which is reported when it is loaded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return FileImports(frozenset(), 0)
    names: set[str] = set()
    level = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            level = max(level, node.level)
            if not node.level:
                names.add(str(node.module).partition(".")[0])
    return FileImports(frozenset(names), level)


def package_folder(file: Path, level: int) -> Path:
    """Return the folder of the outermost package that a file is in, at least so many levels up."""
    folder = file.parents[min(max(level, 1), len(file.parents)) - 1]
    while (folder / INIT).is_file() and (folder.parent / INIT).is_file():
        folder = folder.parent
    return folder
