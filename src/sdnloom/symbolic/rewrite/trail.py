"""Trail of rewritten code: each statement of a function reports to the execution that it runs.

Two runs have the same trail exactly if they take the same branches, also on plain values, which a path condition does
not show. A trail is equivalent to a trace of lines, but costs only one call for each statement of the watched files.
Expressions with a frame of their own leave a mark too: a lambda and a generator each time they run, a comprehension
once.
"""

import ast

from sdnloom.symbolic.operations.calls import HOOKS_ALIAS

_BLOCKS = ("body", "orelse", "finalbody")


def add_trail(tree: ast.Module, filename: str) -> None:
    """Add marks to all functions of a rewritten module; every line keeps its number."""
    _TrailMarker(filename).visit(tree)


class _TrailMarker(ast.NodeVisitor):
    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._in_function = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        before, self._in_function = self._in_function, True
        self.generic_visit(node)
        self._in_function = before

    def generic_visit(self, node: ast.AST) -> None:
        super().generic_visit(node)
        if self._in_function:
            for name in _BLOCKS:
                block = getattr(node, name, None)
                if isinstance(block, list):
                    setattr(node, name, self._with_marks(block))

    def _with_marks(self, block: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in block:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # a docstring stays
                found.append(ast.copy_location(ast.Expr(self._mark_call(statement)), statement))
            found.append(statement)
        return found

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.generic_visit(node)
        node.body = self._after_mark(node.body)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.generic_visit(node)
        if self._in_function:
            node.elt = self._after_mark(node.elt)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> None:
        self.generic_visit(node)
        if self._in_function:
            node.generators[0].iter = self._after_mark(node.generators[0].iter)

    def _after_mark(self, node: ast.expr) -> ast.expr:
        """Return an expression with the same value that leaves a mark first: `mark(...) or it`; mark returns None."""
        return ast.copy_location(ast.BoolOp(ast.Or(), [self._mark_call(node), node]), node)

    def _mark_call(self, marked: ast.stmt | ast.expr) -> ast.Call:
        function = ast.Attribute(ast.Name(HOOKS_ALIAS, ast.Load()), "mark", ast.Load())
        call = ast.Call(function, [ast.Constant(self._filename), ast.Constant(marked.lineno)], [])
        for node in ast.walk(call):
            ast.copy_location(node, marked)
            if isinstance(node, ast.expr):  # a mark is on the first line of its statement
                node.end_lineno, node.end_col_offset = marked.lineno, marked.col_offset
        return call
