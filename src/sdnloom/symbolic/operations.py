"""What rewritten code calls in place of subscripts, comparisons, operators and calls.

Law: with plain operands each function does exactly what the construct does, after one look at a type. Names are short
because they are all over rewritten code; `rewrite` says which construct becomes which.
"""

import operator
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import reduce
from typing import Any, Final

from sdnloom.symbolic.operations_arithmetic import (  # noqa: F401, rewritten code calls them from here
    add,
    and_,
    floordiv,
    iadd,
    iand,
    ifloordiv,
    ilshift,
    imod,
    imul,
    ior,
    ipow,
    irshift,
    isub,
    itruediv,
    ixor,
    lshift,
    mod,
    mul,
    or_,
    pow_,
    rshift,
    sub,
    truediv,
    xor,
)
from sdnloom.symbolic.operations_builtins import register
from sdnloom.symbolic.operations_calls import SUSPECT, call, in_order
from sdnloom.symbolic.operations_format import formatted
from sdnloom.symbolic.operations_keys import (
    SEEN,
    drop,
    find,
    holds,
    is_dict,
    is_set,
    is_view,
    look_up,
    make_dict,
    make_set,
    needs_comparison,
    put,
    stored_key,
)
from sdnloom.symbolic.operations_methods import METHODS
from sdnloom.symbolic.values import SYMBOLIC, SymByteArray, SymInt, Vector, has_symbolic, lifted, settled
from sdnloom.symbolic.values_int import plain_slice, position
from sdnloom.symbolic.values_str import joined_text

_SEQUENCES: Final = (list, tuple, str, bytes, bytearray, range, deque)


# Subscripts.


def getitem(container: Any, key: Any) -> Any:
    """container[key]"""
    if type(key) in SUSPECT or SEEN:
        return _getitem(container, key)
    return container[key]


def _getitem(container: Any, key: Any) -> Any:
    if is_dict(container):
        return look_up(container, key)
    return container[_place(container, key)]


def _place(container: Any, key: Any) -> Any:
    """Return a subscript of a sequence without symbolic parts; other containers get it as it is."""
    if isinstance(key, SymInt) and isinstance(container, _SEQUENCES) and not isinstance(container, Vector):
        return position(key, len(container), type(container).__name__ if not isinstance(container, str) else "string")
    return key


def getslice(container: Any, start: Any, stop: Any, step: Any) -> Any:
    """container[start:stop:step]"""
    return container[_taken(container, start, stop, step)]


def _taken(container: Any, start: Any, stop: Any, step: Any) -> slice:
    taken = slice(start, stop, step)
    if type(start) is SymInt or type(stop) is SymInt or type(step) is SymInt:
        taken = plain_slice(taken, len(container))
    return taken


def setitem(value: Any, container: Any, key: Any) -> None:
    """container[key] = value"""
    if type(key) in SUSPECT or SEEN or type(container) is bytearray:
        _setitem(value, container, key)
    else:
        container[key] = value


def _setitem(value: Any, container: Any, key: Any) -> None:
    if is_dict(container) and type(container).__setitem__ in _STORES and needs_comparison(container, key):
        put(container, stored_key(container, key), value)
        return
    if type(container) is bytearray:
        settled(value, "item of a bytearray that rewritten code did not make")
    container[_place(container, key)] = value


_STORES: Final = (dict.__setitem__, OrderedDict.__setitem__)


def setslice(value: Any, container: Any, start: Any, stop: Any, step: Any) -> None:
    """container[start:stop:step] = value"""
    if type(container) is bytearray:
        settled(value, "slice of a bytearray that rewritten code did not make")
    container[_taken(container, start, stop, step)] = value


def delitem(container: Any, key: Any) -> None:
    """del container[key]"""
    if type(key) not in SUSPECT and not SEEN:
        del container[key]
    elif is_dict(container) and needs_comparison(container, key):
        found = find(container, key)
        if not holds(container, key):
            raise KeyError(key)
        drop(container, found)
    else:
        del container[_place(container, key)]


def delslice(container: Any, start: Any, stop: Any, step: Any) -> None:
    """del container[start:stop:step]"""
    del container[_taken(container, start, stop, step)]


def augment(container: Any, key: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
    """container[key] operation= value"""
    setitem(operation(getitem(container, key), value), container, key)


# Membership, identity, comparison.


def contains(key: Any, container: Any) -> bool:
    """key in container"""
    if type(key) in SUSPECT or SEEN:
        return _contains(key, container)
    return key in container


def _contains(key: Any, container: Any) -> bool:
    if is_dict(container) or is_set(container) or is_view(container):
        return holds(container, key)
    if not has_symbolic(key):
        return key in container
    kind = type(container)
    if kind in (list, tuple, deque):
        return any(each is key or eq(each, key) for each in container)
    if kind is range and isinstance(key, SymInt):
        last = container[-1] if container else 0
        low, high = min(container.start, last), max(container.start, last)
        return bool(container) and low <= key <= high and (key - container.start) % container.step == 0
    if kind in (str, bytes, bytearray):
        return key in lifted(container)
    return key in container


def not_contains(key: Any, container: Any) -> bool:
    """key not in container"""
    return not contains(key, container)


def is_(left: Any, right: Any) -> bool:
    """left is right"""
    if type(left) in SYMBOLIC or type(right) in SYMBOLIC:
        return left is right or _identical(left, right)
    return left is right


def _identical(left: Any, right: Any) -> bool:
    """Return whether CPython keeps one object for both: small ints, and texts and bytes of one element."""
    if isinstance(left, SymInt) or isinstance(right, SymInt):
        if not (type(left) in (int, SymInt) and type(right) in (int, SymInt)):
            return False
        return bool(-5 <= left <= 256) and eq(left, right)
    if (
        (type(left) in SYMBOLIC
        and type(right) in SYMBOLIC)
        or (isinstance(left, str | bytes)
        and isinstance(right, str | bytes))
    ):
        return len(left) == 1 == len(right) and eq(left, right)
    return False


def is_not(left: Any, right: Any) -> bool:
    """left is not right"""
    return not is_(left, right)


def _comparison(name: str, swapped: str, sign: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the slow way of a comparison: the symbolic operand decides, wherever it stands."""
    method = f"__{swapped}__"
    by_subset = {"le": "issubset", "ge": "issuperset"}

    def compare(left: Any, right: Any) -> Any:
        if (
            type(right) in SYMBOLIC
            and type(left) not in SYMBOLIC
            and type(left) not in _EXACT
            and isinstance(left, _BUILT_IN)
        ):
            if getattr(type(left), f"__{name}__") in _OWN:
                found = getattr(right, method)(left)
                if found is not NotImplemented:
                    return found
        if SEEN and is_set(left) and is_set(right) and (has_symbolic(left) or has_symbolic(right)):
            subset = METHODS[set]["issubset"]
            if name in ("eq", "ne"):
                return (len(left) == len(right) and subset(left, right)) == (name == "eq")
            if name in by_subset:
                return METHODS[set][by_subset[name]](left, right)
            return (
                subset(left, right) and len(left) < len(right)
                if name == "lt"
                else subset(right, left) and len(left) > len(right)
            )
        if (
            SEEN
            and name in ("eq", "ne")
            and is_dict(left)
            and is_dict(right)
            and (has_symbolic(left) or has_symbolic(right))
        ):
            return _equal_dicts(left, right) == (name == "eq")
        return sign(left, right)

    return compare


_EXACT: Final = frozenset(
    (int, str, bytes)
)  # a symbolic right operand is of a subclass and asked first by Python itself
_BUILT_IN: Final = (int, float, str, bytes)
_OWN: Final = tuple(getattr(kind, f"__{name}__") for kind in _BUILT_IN for name in ("eq", "ne", "lt", "le", "gt", "ge"))


def _equal_dicts(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(
        holds(right, key) and eq(value, look_up(right, key)) for key, value in left.items()
    )


_eq = _comparison("eq", "eq", operator.eq)
_ne = _comparison("ne", "ne", operator.ne)
_lt = _comparison("lt", "gt", operator.lt)
_le = _comparison("le", "ge", operator.le)
_gt = _comparison("gt", "lt", operator.gt)
_ge = _comparison("ge", "le", operator.ge)


def eq(left: Any, right: Any) -> Any:
    """left == right"""
    if type(right) in SYMBOLIC or SEEN:
        return _eq(left, right)
    return left == right


def ne(left: Any, right: Any) -> Any:
    """left != right"""
    if type(right) in SYMBOLIC or SEEN:
        return _ne(left, right)
    return left != right


def lt(left: Any, right: Any) -> Any:
    """left < right"""
    if type(right) in SYMBOLIC or SEEN:
        return _lt(left, right)
    return left < right


def le(left: Any, right: Any) -> Any:
    """left <= right"""
    if type(right) in SYMBOLIC or SEEN:
        return _le(left, right)
    return left <= right


def gt(left: Any, right: Any) -> Any:
    """left > right"""
    if type(right) in SYMBOLIC or SEEN:
        return _gt(left, right)
    return left > right


def ge(left: Any, right: Any) -> Any:
    """left >= right"""
    if type(right) in SYMBOLIC or SEEN:
        return _ge(left, right)
    return left >= right


# Calls, by number of arguments: most have few.


def call0(function: Any) -> Any:
    """function() of a method that may take any element of a set"""
    if SEEN:
        in_order(getattr(function, "__self__", None))
    return function()


def call1(function: Any, first: Any) -> Any:
    """function(first)"""
    if type(first) in SUSPECT or SEEN:
        return call(function, (first,), {})
    return function(first)


def call2(function: Any, first: Any, second: Any) -> Any:
    """function(first, second)"""
    if type(first) in SUSPECT or type(second) in SUSPECT or SEEN:
        return call(function, (first, second), {})
    return function(first, second)


def call3(function: Any, first: Any, second: Any, third: Any) -> Any:
    """function(first, second, third)"""
    if type(first) in SUSPECT or type(second) in SUSPECT or type(third) in SUSPECT or SEEN:
        return call(function, (first, second, third), {})
    return function(first, second, third)


def calls(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """function(*args, **kwargs)"""
    if (
        SEEN
        or not SUSPECT.isdisjoint(map(type, args))
        or (kwargs and not SUSPECT.isdisjoint(map(type, kwargs.values())))
    ):
        return call(function, args, kwargs)
    return function(*args, **kwargs)


def new_bytearray(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """bytearray(...): one that can hold symbolic bytes"""
    return SymByteArray(*args, **kwargs) if function is bytearray else calls(function, *args, **kwargs)


# Texts, displays and the rest.


def text(*parts: str) -> str:
    """An f-string of literals and fields."""
    for part in parts:
        if type(part) is not str:
            return joined_text(parts)
    return "".join(parts)


def field(value: Any, conversion: str | None = None, spec: str = "") -> str:
    """{value!conversion:spec}"""
    if type(value) in SUSPECT or type(spec) is not str:
        settled(spec, "symbolic format specification")
        return formatted(value, conversion, spec)
    if conversion is not None:
        value = str(value) if conversion == "s" else repr(value) if conversion == "r" else ascii(value)
    return format(value, spec)


def iterated(value: Any) -> Any:
    """for ... in value"""
    return in_order(value) if SEEN else value


def new_set(*elements: Any) -> set[Any]:
    """{*elements}"""
    return set_of(elements)


def set_of(elements: Any) -> set[Any]:
    """{element for element in elements}"""
    if SEEN or not SUSPECT.isdisjoint(map(type, elements)):
        return make_set(elements)
    return set(elements)


def subject(value: Any) -> Any:
    """The subject of a match statement; mapping patterns look keys up in C."""
    if SEEN and isinstance(value, dict) and has_symbolic(list(value)):
        settled(list(value), "mapping pattern")
    return value


def uncached(function: Any) -> Any:
    """The function without the cache that functools would give it: a cache looks its arguments up by hash."""
    function.cache_clear = lambda: None
    function.cache_info = lambda: (0, 0, None, 0)
    return function


def _smallest(pick: str) -> Callable[..., Any]:
    before = lt if pick == "min" else gt
    plain = min if pick == "min" else max

    def handler(*args: Any, **options: Any) -> Any:
        items = list(in_order(args[0])) if len(args) == 1 else list(args)
        if not items or not has_symbolic(items):
            return plain(items, **options)
        key = options.get("key") or (lambda each: each)
        return reduce(lambda best, each: each if before(key(each), key(best)) else best, items)

    return handler


def _sum(items: Any, start: Any = 0) -> Any:
    return reduce(add, in_order(items), start)


register(min, _smallest("min"))
register(max, _smallest("max"))
register(sum, _sum)
for _name, _function in (("eq", eq), ("ne", ne), ("lt", lt), ("le", le), ("gt", gt), ("ge", ge), ("add", add), ("sub", sub),
                         ("mul", mul), ("mod", mod), ("and_", and_), ("or_", or_), ("xor", xor), ("getitem", getitem),
                         ("contains", lambda container, key: contains(key, container)), ("floordiv", floordiv)):  # fmt: skip
    register(getattr(operator, _name), _function)

dict_of = make_dict


def pairs(mapping: Any) -> Any:
    """**mapping in a dict display"""
    return [(key, getitem(mapping, key)) for key in mapping.keys()]


def chain(left: Any, *rest: Any) -> Any:
    """left < middle() < right() and so on"""
    answer: Any = True
    for name, later in zip(rest[::2], rest[1::2], strict=True):
        right = later()
        answer = _COMPARISONS[name](left, right)
        if not answer:
            break
        left = right
    return answer


_COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    each.__name__: each for each in (eq, ne, lt, le, gt, ge, contains, not_contains, is_, is_not)
}
