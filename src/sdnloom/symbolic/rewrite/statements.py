"""Rewriting of statements: functions, assignments to subscripts, augmented assignments, loops, matches."""

import ast
from collections.abc import Sequence
from typing import Any, Final, TypeVar, cast

from sdnloom.symbolic.rewrite.expressions import BINARY, ExpressionRewriter, has_slices, is_constant, slice_bounds

_IN_PLACE: Final = {op: "i" + name.removesuffix("_") for op, name in BINARY.items()}
CALLED_BY_C: Final = frozenset({"__hash__", "__len__", "__int__", "__index__", "__length_hint__"})
_SIMPLE: Final = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Function = TypeVar("_Function", ast.FunctionDef, ast.AsyncFunctionDef)


def _may_be_iterated(node: ast.ClassDef) -> bool:
    """Return whether C may iterate over instances of a class that are arguments: it has bases or `__iter__`."""
    return bool(node.bases) or any(isinstance(each, ast.FunctionDef) and each.name == "__iter__" for each in node.body)


class StatementRewriter(ExpressionRewriter, ast.NodeTransformer):
    """Rewrites statements in functions; an assignment to a subscript becomes a call after its value was computed."""

    def __init__(self, caches: frozenset[str]) -> None:
        super().__init__(caches)
        self._in_class = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: _Function) -> _Function:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        if node.name in CALLED_BY_C and self._in_class:
            node.decorator_list.append(self.operation("called_by_c", node.body[0]).func)
        node.args = self.visit(node.args)
        before = self.in_function, self._in_class
        self.in_function, self._in_class = True, False
        node.body = self._block(node.body)
        self.in_function, self._in_class = before
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before = self.in_function, self._in_class
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self._cannot_bind = bool(getattr(node, "type_params", ()))
        node.bases = [self.visit(each) for each in node.bases]
        node.keywords = [self.visit(each) for each in node.keywords]
        self._cannot_bind = False
        if _may_be_iterated(node):
            node.decorator_list.append(self.operation("new_class", node).func)
        self._in_class = True
        body: list[ast.stmt] = []
        for statement in node.body:
            # The body of a class in a function is part of the function; but a comprehension in it can bind no names.
            self.in_function = before[0] and not any(isinstance(each, _COMPREHENSIONS) for each in ast.walk(statement))
            body += self._block([statement])
        node.body = body
        self.in_function, self._in_class = before
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node  # annotations are not evaluated on inputs

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        return node  # nor are type aliases

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if self.in_function and isinstance(node.target, ast.Subscript) and node.value is not None:
            return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        rewritten: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            rewritten.extend(found if isinstance(found, list) else [found])
        return rewritten

    # Stores.

    def visit_Assign(self, node: ast.Assign) -> Any:
        if not self.in_function:
            return self.generic_visit(node)
        node.value = self.visit(node.value)
        if (
            len(node.targets) == 1
            and isinstance(target := node.targets[0], ast.Subscript)
            and not has_slices(target.slice)
        ):
            return self._store(target, node.value)
        if any(isinstance(each, ast.Tuple | ast.List) for each in node.targets) and not isinstance(
            node.value, ast.Tuple
        ):
            node.value = self.operation("iterate", node.value, node.value)
        stores: list[ast.stmt] = []
        node.targets = [self._target(each, stores) for each in node.targets]
        return [node, *stores]

    def _store(self, target: ast.Subscript, value: ast.expr) -> ast.stmt:
        """Return the statement that stores a value into a subscript."""
        container = self.visit(target.value)
        if isinstance(target.slice, ast.Slice):
            bounds = [self.visit(each) for each in slice_bounds(target.slice)]
            call = self.operation("setslice", target, value, container, *bounds)
        else:
            call = self.operation("setitem", target, value, container, self.visit(target.slice))
        return ast.copy_location(ast.Expr(call), target)

    def _target(self, target: ast.expr, stores: list[ast.stmt]) -> ast.expr:
        """Return a target with temporary names for subscripts; statements added to `stores` store their values."""
        if isinstance(target, ast.Subscript) and not has_slices(target.slice):
            name = self.temporary()
            stores.append(self._store(target, ast.copy_location(ast.Name(name, ast.Load()), target)))
            return ast.copy_location(ast.Name(name, ast.Store()), target)
        if isinstance(target, ast.Tuple | ast.List):
            target.elts = [self._target(each, stores) for each in target.elts]
        elif isinstance(target, ast.Starred):
            target.value = self._target(target.value, stores)
        elif isinstance(target, ast.Attribute):
            target.value = self.visit(target.value)
        return target

    def visit_Delete(self, node: ast.Delete) -> Any:
        if not self.in_function:
            return node
        rewritten: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript) and not has_slices(target.slice):
                container = self.visit(target.value)
                if isinstance(target.slice, ast.Slice):
                    bounds = [self.visit(each) for each in slice_bounds(target.slice)]
                    call = self.operation("delslice", target, container, *bounds)
                else:
                    call = self.operation("delitem", target, container, self.visit(target.slice))
                rewritten.append(ast.copy_location(ast.Expr(call), node))
            else:
                rewritten.append(ast.copy_location(ast.Delete([self.visit(target)]), node))
        return rewritten

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        name = _IN_PLACE.get(type(node.op))
        if not self.in_function or name is None:
            return self.generic_visit(node)
        target, value = node.target, self.visit(node.value)
        if (
            isinstance(target, ast.Subscript)
            and not isinstance(target.slice, ast.Slice)
            and not has_slices(target.slice)
        ):
            return self._augmented_item(node, target, name, value)
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            return self._augmented_slice(node, target, name, value)
        if is_constant(value) or isinstance(target, ast.Subscript):
            node.value = value
            self.generic_visit(target)
            return node
        if isinstance(target, ast.Name):
            read: ast.expr = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        else:
            owner, again = self.evaluate_once(self.visit(target.value))
            read = ast.copy_location(ast.Attribute(owner, target.attr, ast.Load()), target)
            target = ast.copy_location(ast.Attribute(again, target.attr, ast.Store()), target)
        return ast.copy_location(ast.Assign([target], self.operation(name, node, read, value)), node)

    def _augmented_item(self, node: ast.AugAssign, target: ast.Subscript, name: str, value: ast.expr) -> ast.stmt:
        container, key = self.visit(target.value), self.visit(target.slice)
        if all(isinstance(each, _SIMPLE) for each in ast.walk(node.value)):
            function = self.operation(name, node).func
            return ast.copy_location(
                ast.Expr(self.operation("augment_item", node, container, key, function, value)), node
            )
        container, container_again = self.evaluate_once(container)
        key, key_again = self.evaluate_once(key)
        read = self.operation("getitem", target, container, key)
        store = self.operation("setitem", node, self.operation(name, node, read, value), container_again, key_again)
        return ast.copy_location(ast.Expr(store), node)

    def _augmented_slice(self, node: ast.AugAssign, target: ast.Subscript, name: str, value: ast.expr) -> ast.stmt:
        container, container_again = self.evaluate_once(self.visit(target.value))
        bounds = [self.evaluate_once(self.visit(each)) for each in slice_bounds(cast(ast.Slice, target.slice))]
        read = self.operation("getslice", target, container, *(first for first, _ in bounds))
        changed = self.operation(name, node, read, value)
        store = self.operation("setslice", node, changed, container_again, *(again for _, again in bounds))
        return ast.copy_location(ast.Expr(store), node)

    # Blocks that bind a target.

    def visit_For(self, node: ast.For) -> Any:
        return self._loop(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        if not self.in_function:
            return self.generic_visit(node)
        stores: list[ast.stmt] = []
        node.iter = self.iterable(node.iter)
        node.target = self._target(node.target, stores)
        node.body = [*stores, *self._block(node.body)]
        node.orelse = self._block(node.orelse)
        return node

    def visit_With(self, node: ast.With) -> Any:
        return self._with(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> Any:
        return self._with(node)

    def _with(self, node: Any) -> Any:
        if not self.in_function:
            return self.generic_visit(node)
        stores: list[ast.stmt] = []
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars = self._target(item.optional_vars, stores)
        node.body = [*stores, *self._block(node.body)]
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        node.subject = self.visit(node.subject)
        if self.in_function and any(isinstance(each, ast.MatchMapping) for each in ast.walk(node)):
            node.subject = self.operation("match_subject", node.subject, node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            case.body = self._block(case.body)
        return node
