"""Rewriting of a module: constructs that CPython evaluates without calling a symbolic value become calls of hooks.

`rewrite` turns source into code, `rewrite_tree` changes an AST. Laws: with plain values the rewritten code does
what the original does; every line keeps its number, so traces and tracebacks name the same lines. Only bodies of
functions are rewritten: code that runs at import does not depend on inputs.
"""

import ast
from functools import lru_cache
from types import CodeType
from typing import Final

from sdnloom.errors import SdnloomError
from sdnloom.symbolic.operations.calls import HOOKS_ALIAS
from sdnloom.symbolic.rewrite.expressions import ExpressionRewriter
from sdnloom.symbolic.rewrite.statements import StatementRewriter
from sdnloom.symbolic.rewrite.trail import add_trail

_FUTURE: Final = "__future__"
IMPORTED: Final[set[str]] = set()  # top-level names that programs of this process import anywhere


class RewriteError(SdnloomError):
    """Source that cannot be rewritten."""


class _Rewriter(StatementRewriter, ExpressionRewriter):
    """Rewrites statements and expressions."""


def rewrite(source: str | bytes, filename: str, watched: bool = False) -> CodeType:
    """Return the rewritten code of a module; raises SyntaxError like `compile`.

    If `watched`, its functions leave a trail, and what it imports is noted. Code is rewritten once in a process.
    """
    code, imported = _rewritten(source, filename, watched)
    IMPORTED.update(imported)
    return code


@lru_cache(maxsize=1_024)
def _rewritten(source: str | bytes, filename: str, watched: bool) -> tuple[CodeType, frozenset[str]]:
    try:
        tree = rewrite_tree(ast.parse(source, filename))
        imported = frozenset(imported_names(tree) if watched else ())
        if watched:
            add_trail(tree, filename)
        return compile(tree, filename, "exec", dont_inherit=True), imported
    except (RecursionError, MemoryError):  # the parser raises either
        raise RewriteError(f"{filename}: the code is nested too deeply to be rewritten") from None


def rewrite_tree(tree: ast.Module) -> ast.Module:
    """Return the module, rewritten in place; it imports the hooks under one name."""
    rewriter = _Rewriter(cache_names(tree))
    rewriter.visit(tree)
    position = _after_header(tree.body)
    line = tree.body[min(position, len(tree.body) - 1)] if tree.body else None
    used = ast.ImportFrom("sdnloom.symbolic.operations", [ast.alias("hooks", HOOKS_ALIAS)], 0)
    used.lineno = used.end_lineno = _first_line(line) if line is not None else 1
    used.col_offset = used.end_col_offset = 0
    tree.body.insert(position, used)
    return ast.fix_missing_locations(tree)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _after_header(body: list[ast.stmt]) -> int:
    """Return the index after the docstring and the imports from `__future__`."""
    position = 0
    if (
        body
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        position = 1
    while position < len(body) and isinstance(found := body[position], ast.ImportFrom) and found.module == _FUTURE:
        position += 1
    return position


def imported_names(tree: ast.Module) -> set[str]:
    """Return the top-level names of the modules that a module imports, in functions too, and names in modules."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
            names.update(f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{node.value.id}.{node.attr}")
    return names


def cache_names(tree: ast.Module) -> frozenset[str]:
    """Return the expressions that name caches of functools in a module, as they are written there."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {
                f"{each.asname or each.name}.{cache}"
                for each in node.names
                if each.name == "functools"
                for cache in _CACHES
            }
        elif isinstance(node, ast.ImportFrom) and node.module == "functools" and not node.level:
            names |= {each.asname or each.name for each in node.names if each.name in _CACHES}
    return frozenset(names)


_CACHES: Final = ("lru_cache", "cache")
