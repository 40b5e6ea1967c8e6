"""Rewriting of expressions: subscripts, comparisons, operators, calls, f-strings, displays."""

import ast
from typing import Any, Final

from sdnloom.symbolic.operations.calls import HOOKS_ALIAS

_COMPARE: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.In: "in_",
    ast.NotIn: "not_in", ast.Is: "is_", ast.IsNot: "is_not",
}  # fmt: skip
BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Div: "truediv", ast.Mod: "mod",
    ast.Pow: "pow_", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_",
    ast.BitXor: "xor",
}  # fmt: skip
# Functions that accept symbolic arguments, and functions that read the frame of their caller.
_NOT_REWRITTEN: Final = frozenset(
    {"super", "isinstance", "issubclass", "len", "callable", "id", "locals", "globals", "vars", "dir", "eval", "exec",
     "__import__", "abs"}
)  # fmt: skip
_CODE: Final = frozenset({"eval", "exec", "__import__"})
_ORDERED: Final = (ast.List, ast.Tuple, ast.Constant, ast.ListComp, ast.GeneratorExp, ast.DictComp)
_NUMBERS: Final = frozenset({"int", "hex", "oct", "bin"})  # they accept any object that converts to int
_FRAME_METHODS: Final = frozenset({"_getframe", "warn"})
_BY_COUNT: Final = {1: "call1", 2: "call2", 3: "call3"}


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites expressions in functions. `in_function` is true while the body of a function is visited."""

    def __init__(self, caches: frozenset[str]) -> None:
        self.caches = caches
        self.in_function = False
        self._cannot_bind = False  # true in a comprehension's iterable and a generic's bases
        self._temporaries = 0

    def operation(self, name: str, at: ast.AST, *args: ast.expr) -> ast.Call:
        """Return a call of a hook, with the location of the original."""
        function = ast.Attribute(ast.Name(HOOKS_ALIAS, ast.Load()), name, ast.Load())
        call = ast.Call(function, list(args), [])
        ast.copy_location(call, at)
        first = args[0] if args and hasattr(args[0], "lineno") else at  # evaluated first in the original
        for node in (function.value, function):
            ast.copy_location(node, first)
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
        return call

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        before, self.in_function = self.in_function, True
        node.body = self.visit(node.body)
        self.in_function = before
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.without_cache(node) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return self.without_cache(node) if isinstance(node.ctx, ast.Load) else node

    def without_cache(self, node: ast.Name | ast.Attribute) -> ast.expr:
        """Return the expression, or `no_cache` if it names a cache of functools."""
        if not self.caches or ast.unparse(node) not in self.caches:
            return node
        return self.operation("no_cache", node).func

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function or not isinstance(node.ctx, ast.Load):
            return node
        if isinstance(node.slice, ast.Slice):
            bounds = slice_bounds(node.slice)
            return node if all(map(is_constant, bounds)) else self.operation("getslice", node, node.value, *bounds)
        if has_slices(node.slice):
            return node
        return self.operation("getitem", node, node.value, node.slice)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function:
            return node
        if len(node.ops) == 1:
            return self._comparison(node, node.left, node.ops[0], node.comparators[0])
        if self._cannot_bind and not all(isinstance(each, ast.Name | ast.Constant) for each in node.comparators[:-1]):
            return self._chained_comparison(node)
        sides: list[tuple[ast.expr, ast.expr]] = []
        left = node.left
        for right in node.comparators[:-1]:
            right, again = self.evaluate_once(right)
            sides.append((left, right))
            left = again
        sides.append((left, node.comparators[-1]))
        parts = [
            self._comparison(ast.copy_location(ast.Compare(a, [op], [b]), node), a, op, b)
            for (a, b), op in zip(sides, node.ops, strict=True)
        ]
        return ast.copy_location(ast.BoolOp(ast.And(), parts), node)

    def _chained_comparison(self, node: ast.Compare) -> ast.expr:
        steps: list[ast.expr] = []
        for op, right in zip(node.ops, node.comparators, strict=True):
            nothing = ast.arguments([], [], None, [], [], None, [])
            operand = ast.copy_location(ast.Lambda(nothing, right), right)
            steps += [self.operation(_COMPARE[type(op)], right).func, operand]
        return self.operation("chain_comparisons", node, node.left, *steps)

    def evaluate_once(self, node: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Return an expression that is evaluated first, and one that has its value again."""
        if isinstance(node, ast.Name | ast.Constant):
            return node, node
        name = self.temporary()
        kept = ast.copy_location(ast.NamedExpr(ast.copy_location(ast.Name(name, ast.Store()), node), node), node)
        return kept, ast.copy_location(ast.Name(name, ast.Load()), node)

    def temporary(self) -> str:
        """Return a name that the program does not use."""
        self._temporaries += 1
        return f"_sdnloom_{self._temporaries}"

    def _comparison(self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        if isinstance(op, ast.Is | ast.IsNot):
            plain = any(
                isinstance(side, ast.Constant) and not isinstance(side.value, int | str | bytes)
                for side in (left, right)
            )
            if plain or any(isinstance(side, ast.Constant) and isinstance(side.value, bool) for side in (left, right)):
                return node
        elif not isinstance(op, ast.In | ast.NotIn) and (is_constant(right) or is_exact_constant(left)):
            return node
        return self.operation(_COMPARE[type(op)], node, left, right)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = BINARY.get(type(node.op))
        if not self.in_function or name is None or is_constant(node.right):
            return node
        if is_exact_constant(node.left) and not isinstance(node.op, ast.Mod):
            return node
        return self.operation(name, node, node.left, node.right)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function:
            return node
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
            return self._call("sort", node)
        if name == "bytearray":
            return self._call("new_bytearray", node)
        if name in _NUMBERS and len(node.args) == 1 and not node.keywords:
            return self._call("to_number", node)
        if name in _NOT_REWRITTEN:
            if name in _CODE and node.args and not isinstance(node.args[0], ast.Starred):
                node.args[0] = self.operation("concrete_code", node.args[0], node.args[0])
            return node
        if not (node.args or node.keywords):
            is_pop = isinstance(node.func, ast.Attribute) and node.func.attr == "pop"
            return self._call("call0", node) if is_pop else node
        if isinstance(node.func, ast.Attribute) and node.func.attr in _FRAME_METHODS:
            return node
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "format_map"):
            return self._call("format_call", node)
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "join"
            and len(node.args) == 1
            and not node.keywords
        ):
            if isinstance(parts := node.args[0], ast.GeneratorExp):  # join consumes it anyway
                node.args = [ast.copy_location(ast.ListComp(parts.elt, parts.generators), parts)]
            return self._call("join", node)
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            return self._call("calls", node)
        return self._call(_BY_COUNT.get(len(node.args), "calls"), node)

    def _call(self, name: str, node: ast.Call) -> ast.Call:
        rewritten = self.operation(name, node, node.func, *node.args)
        rewritten.keywords = node.keywords
        return rewritten

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        if not self.in_function:
            return self.generic_visit(node)
        if len(node.values) == 1 and isinstance(node.values[0], ast.Constant):
            return node.values[0]
        return self.operation("fstring", node, *(self._field(part, node) for part in node.values))

    def _field(self, part: ast.expr, at: ast.AST) -> ast.expr:
        if not isinstance(part, ast.FormattedValue):
            return part
        args: list[ast.expr] = [self.visit(part.value)]
        if part.conversion >= 0 or part.format_spec is not None:
            args.append(ast.copy_location(ast.Constant(chr(part.conversion) if part.conversion >= 0 else None), part))
        if part.format_spec is not None:
            args.append(self.visit(part.format_spec))
        return self.operation("fstring_field", part if hasattr(part, "lineno") else at, *args)

    def iterable(self, node: ast.expr) -> ast.expr:
        """Return the iterable of a loop, in an order that depends on no input."""
        found: ast.expr = self.visit(node)
        return found if isinstance(found, _ORDERED) else self.operation("iterate", found, found)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        if self.in_function and isinstance(node.ctx, ast.Load):
            node.value = self.iterable(node.value)
            return node
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if not self.in_function:
            return self.generic_visit(node)
        before, self._cannot_bind = self._cannot_bind, True
        node.iter = self.iterable(node.iter)
        self._cannot_bind = before
        node.ifs = [self.visit(each) for each in node.ifs]
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function or all(map(is_constant, node.elts)):
            return node
        return self.operation("new_set", node, *node.elts)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function:
            return node
        return self.operation("set_of", node, ast.copy_location(ast.ListComp(node.elt, node.generators), node))

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function or all(key is not None and is_constant(key) for key in node.keys):
            return node
        pairs: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                pairs.append(ast.Starred(self.operation("mapping_pairs", value, value), ast.Load()))
            else:
                pairs.append(ast.Tuple([key, value], ast.Load()))
            ast.copy_location(pairs[-1], value if key is None else key)
        return self.operation("dict_of", node, ast.copy_location(ast.List(pairs, ast.Load()), node))

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        if not self.in_function:
            return node
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.key)
        return self.operation("dict_of", node, ast.copy_location(ast.ListComp(pair, node.generators), node))


def is_constant(node: ast.expr) -> bool:
    """Return whether an expression is a constant, which is never symbolic."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Invert):
        node = node.operand
    return isinstance(node, ast.Constant)


def is_exact_constant(node: ast.expr) -> bool:
    """Return whether an expression is a constant for which Python calls the symbolic right operand's method first."""
    return is_constant(node) and isinstance(node, ast.Constant) and type(node.value) in (int, str, bytes)


def slice_bounds(node: ast.Slice) -> list[ast.expr]:
    """Return start, stop and step of a slice, None for omitted ones."""
    return [
        each if each is not None else ast.copy_location(ast.Constant(None), node)
        for each in (node.lower, node.upper, node.step)
    ]


def has_slices(node: Any) -> bool:
    """Return whether a subscript is a tuple with slices, as arrays of other libraries accept."""
    return isinstance(node, ast.Tuple) and any(isinstance(each, ast.Slice | ast.Starred) for each in node.elts)
