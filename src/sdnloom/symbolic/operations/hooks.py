"""Functions that rewritten code calls in place of subscripts, comparisons, operators and calls.

Law: with plain operands each function does exactly what the construct does, after one check of a type. Names are short
because rewritten code is full of them; `rewrite` maps each construct to its function.
"""

import operator
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import reduce, wraps
from typing import Any, Final

from sdnloom.symbolic.execution import mark  # noqa: F401
from sdnloom.symbolic.operations.arithmetic import (  # noqa: F401, rewritten code calls them from here
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
from sdnloom.symbolic.operations.builtin_calls import register_replacement
from sdnloom.symbolic.operations.calls import CONTAINERS, MAYBE_SYMBOLIC, call, in_fixed_order, is_trusted
from sdnloom.symbolic.operations.compare import eq, ge, gt, in_, is_, is_not, le, lt, ne, not_in  # noqa: F401, rewritten code calls them from here
from sdnloom.symbolic.operations.format import format_value
from sdnloom.symbolic.operations.keys import (
    SYMBOLIC_KEYS,
    delete_key,
    find_key,
    has_key,
    has_symbolic_keys,
    is_dict,
    look_up,
    make_dict,
    make_set,
    needs_comparison,
    store_value,
    stored_key,
)
from sdnloom.symbolic.operations.methods import METHODS
from sdnloom.symbolic.values.make import (
    SIMPLE,
    SymByteArray,
    SymBytes,
    SymInt,
    SymSequence,
    SymStr,
    concrete,
    concretise_all,
    has_attributes,
    has_symbolic,
    register_attributes,
)
from sdnloom.symbolic.values.sym_int import concrete_index, concrete_slice, concretise_int
from sdnloom.symbolic.values.sym_str import joined_text

_TEXTS: Final = frozenset((str, bytes, SymStr, SymBytes))
_SEQUENCES: Final = (list, tuple, str, bytes, bytearray, range, deque)


# Subscripts.


def getitem(container: Any, key: Any) -> Any:
    """container[key]"""
    if type(key) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return _getitem(container, key)
    return container[key]


def _getitem(container: Any, key: Any) -> Any:
    if is_dict(container):
        return look_up(container, key)
    return container[_concrete_subscript(container, key)]


def _concrete_subscript(container: Any, key: Any) -> Any:
    """Return a concrete subscript for a sequence; other containers get the subscript as it is."""
    if isinstance(key, slice) and isinstance(container, _SEQUENCES):
        return concrete_slice(key, len(container))
    if isinstance(key, SymInt) and isinstance(container, _SEQUENCES) and not isinstance(container, SymSequence):
        return concrete_index(
            key, len(container), type(container).__name__ if not isinstance(container, str) else "string"
        )
    return key


def getslice(container: Any, start: Any, stop: Any, step: Any) -> Any:
    """container[start:stop:step]"""
    return container[_slice_of(container, start, stop, step)]


def _slice_of(container: Any, start: Any, stop: Any, step: Any) -> slice:
    taken = slice(start, stop, step)
    if type(start) is SymInt or type(stop) is SymInt or type(step) is SymInt:
        taken = concrete_slice(taken, len(container))
    return taken


def setitem(value: Any, container: Any, key: Any) -> None:
    """container[key] = value"""
    if type(key) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS or type(container) is bytearray:
        _setitem(value, container, key)
    else:
        container[key] = value


def _setitem(value: Any, container: Any, key: Any) -> None:
    if is_dict(container) and type(container).__setitem__ in _STORES and needs_comparison(container, key):
        store_value(container, stored_key(container, key), value)
        return
    if type(container) is bytearray:
        concretise_all(value, "item of a bytearray that rewritten code did not make")
    container[_concrete_subscript(container, key)] = value


_STORES: Final = (dict.__setitem__, OrderedDict.__setitem__)


def setslice(value: Any, container: Any, start: Any, stop: Any, step: Any) -> None:
    """container[start:stop:step] = value"""
    if type(container) is bytearray:
        concretise_all(value, "slice of a bytearray that rewritten code did not make")
    container[_slice_of(container, start, stop, step)] = value


def delitem(container: Any, key: Any) -> None:
    """del container[key]"""
    if type(key) not in MAYBE_SYMBOLIC and not SYMBOLIC_KEYS:
        del container[key]
    elif is_dict(container) and needs_comparison(container, key):
        found = find_key(container, key)
        if not has_key(container, key):
            raise KeyError(key)
        delete_key(container, found)
    else:
        del container[_concrete_subscript(container, key)]


def delslice(container: Any, start: Any, stop: Any, step: Any) -> None:
    """del container[start:stop:step]"""
    del container[_slice_of(container, start, stop, step)]


def augment_item(container: Any, key: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
    """container[key] operation= value"""
    setitem(operation(getitem(container, key), value), container, key)


# Calls, by number of arguments, as most have few.


def sort(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """list.sort(...)"""
    owner = getattr(function, "__self__", None)
    if type(owner) is list and not args and (kwargs or SYMBOLIC_KEYS or has_symbolic(owner)):
        owner[:] = _sorted(owner, **kwargs)
        return None
    return calls(function, *args, **kwargs)


def call0(function: Any) -> Any:
    """function() of a method such as set.pop, which may return any element"""
    if SYMBOLIC_KEYS:
        in_fixed_order(getattr(function, "__self__", None))
    return function()


def call1(function: Any, first: Any) -> Any:
    """function(first)"""
    if type(first) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return call(function, (first,), {})
    return function(first)


def call2(function: Any, first: Any, second: Any) -> Any:
    """function(first, second)"""
    if type(first) in MAYBE_SYMBOLIC or type(second) in MAYBE_SYMBOLIC or SYMBOLIC_KEYS:
        return call(function, (first, second), {})
    return function(first, second)


def call3(function: Any, first: Any, second: Any, third: Any) -> Any:
    """function(first, second, third)"""
    if (
        type(first) in MAYBE_SYMBOLIC
        or type(second) in MAYBE_SYMBOLIC
        or type(third) in MAYBE_SYMBOLIC
        or SYMBOLIC_KEYS
    ):
        return call(function, (first, second, third), {})
    return function(first, second, third)


def calls(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """function(*args, **kwargs)"""
    if (
        SYMBOLIC_KEYS
        or not MAYBE_SYMBOLIC.isdisjoint(map(type, args))
        or (kwargs and not MAYBE_SYMBOLIC.isdisjoint(map(type, kwargs.values())))
    ):
        return call(function, args, kwargs)
    return function(*args, **kwargs)


def new_bytearray(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """bytearray(...): one that can hold symbolic bytes"""
    return SymByteArray(*args, **kwargs) if function is bytearray else calls(function, *args, **kwargs)


def join(function: Any, parts: Any) -> Any:
    """separator.join(parts)"""
    if type(parts) is not list and type(getattr(function, "__self__", None)) in _TEXTS:
        parts = list(iterate(parts))
    if type(parts) is list and SIMPLE.issuperset(map(type, parts)) and not SYMBOLIC_KEYS:
        return function(parts)
    return call1(function, parts)


def format_call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """text.format(...): a field may be an object whose text is symbolic"""
    form = getattr(function, "__self__", None)
    if type(form) is not str or (SIMPLE.issuperset(map(type, args)) and SIMPLE.issuperset(map(type, kwargs.values()))):
        return calls(function, *args, **kwargs)
    return METHODS[str][function.__name__](form, *args, **kwargs)


def to_number(function: Any, value: Any) -> Any:
    """int(value), hex(value), oct(value) or bin(value)"""
    kind = type(value)
    if kind is int or kind is str or kind is float:
        return function(value)
    for name in ("__int__", "__index__") if function is int else ("__index__",):
        # A rewritten class that converts to int has it from `called_by_c`.
        symbolic_method = getattr(getattr(kind, name, None), "symbolic_method", None)
        if symbolic_method is not None and function in (int, hex, oct, bin):
            return call1(function, symbolic_method(value))
    return call1(function, value)


def called_by_c(function: Any) -> Any:
    """Decorate a method from which C needs a plain number: a symbolic one is concretised if C calls it."""

    @wraps(function)
    def method(self: Any) -> Any:
        found = function(self)
        return concretise_int(found, f"{function.__name__} called by C") if type(found) is SymInt else found

    method.symbolic_method = function  # type: ignore[attr-defined]
    return method


def new_class(kind: Any) -> Any:
    """A class statement: functions in C may iterate over instances, so they are examined when they are arguments

    Not those of trusted packages, such as a packet, which is handed around as a whole.
    """
    if (
        isinstance(kind, type)
        and not is_trusted(kind.__module__)
        and (issubclass(kind, CONTAINERS) or "__iter__" in vars(kind) or has_attributes(kind))
    ):
        MAYBE_SYMBOLIC.add(kind)
        if not issubclass(kind, CONTAINERS):
            register_attributes(kind)
    return kind


# Texts, displays and the rest.


def fstring(*parts: str) -> str:
    """An f-string of literals and fields."""
    for part in parts:
        if type(part) is not str:
            return joined_text(parts)
    return "".join(parts)


def fstring_field(value: Any, conversion: str | None = None, spec: str = "") -> str:
    """{value!conversion:spec}"""
    if type(value) in MAYBE_SYMBOLIC or type(spec) is not str:
        concretise_all(spec, "symbolic format specification")
        return format_value(value, conversion, spec)
    if conversion is not None:
        value = str(value) if conversion == "s" else repr(value) if conversion == "r" else ascii(value)
    return format(value, spec)


def iterate(value: Any) -> Any:
    """for ... in value"""
    return in_fixed_order(value) if SYMBOLIC_KEYS else value


def new_set(*elements: Any) -> set[Any]:
    """{*elements}"""
    return set_of(elements)


def set_of(elements: Any) -> set[Any]:
    """{element for element in elements}"""
    if SYMBOLIC_KEYS or not MAYBE_SYMBOLIC.isdisjoint(map(type, elements)):
        return make_set(elements)
    return set(elements)


def concrete_code(value: Any) -> Any:
    """The argument of eval, exec and __import__, which must be concrete."""
    concretise_all(value, "code or module named by a symbolic text")
    return concrete(value)


def match_subject(value: Any) -> Any:
    """The subject of a match statement with mapping patterns, which look keys up in C, in nested dicts too."""
    if has_symbolic_keys():
        concretise_all(list(SYMBOLIC_KEYS), "mapping pattern")
    return value


def chain_comparisons(left: Any, *steps: Any) -> Any:
    """A chained comparison where no name can be bound: comparisons and functions that return the right operands"""
    found: Any = True
    for compare, operand in zip(steps[::2], steps[1::2], strict=True):
        right = operand()
        found = compare(left, right)
        if not found:
            return found
        left = right
    return found


def no_cache(*args: Any, **_options: Any) -> Any:
    """functools.cache and functools.lru_cache, with or without options, as decorators that cache nothing"""
    return uncached(args[0]) if args and callable(args[0]) else uncached


def uncached(function: Any) -> Any:
    """The function without a cache of functools, which would look its arguments up by hash."""
    function.cache_clear = lambda: None
    function.cache_info = lambda: (0, 0, None, 0)
    return function


def _extreme(pick: str) -> Callable[..., Any]:
    before = lt if pick == "min" else gt
    plain = min if pick == "min" else max

    def handler(*args: Any, **options: Any) -> Any:
        items = list(in_fixed_order(args[0])) if len(args) == 1 else list(args)
        if not items or not has_symbolic(items):
            return plain(items, **options)
        key = options.get("key")
        keys = items if key is None else [call1(key, each) for each in items]
        best = reduce(lambda one, two: two if before(keys[two], keys[one]) else one, range(len(items)))
        return items[best]

    return handler


class _SortKey:
    """A sort key that is compared by `lt`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: "_SortKey") -> bool:
        return bool(lt(self.value, other.value))


def _sorted(items: Any, *, key: Any = None, reverse: Any = False) -> list[Any]:
    listed = list(in_fixed_order(items))
    keys = listed if key is None else [call1(key, each) for each in listed]
    order: list[Any] = list(map(_SortKey, keys)) if has_symbolic(keys) else keys
    return [listed[position] for position in sorted(range(len(listed)), key=order.__getitem__, reverse=bool(reverse))]


def _pow(base: Any, exponent: Any, mod: Any = None) -> Any:
    if mod is None:
        return pow_(base, exponent)
    for each in (base, exponent, mod):
        concretise_all(each, "pow with a modulus")
    return pow(concrete(base), concrete(exponent), concrete(mod))


def _sum(items: Any, start: Any = 0) -> Any:
    return reduce(add, in_fixed_order(items), start)


register_replacement(min, _extreme("min"))
register_replacement(max, _extreme("max"))
register_replacement(sum, _sum)
register_replacement(sorted, _sorted)
register_replacement(pow, _pow)
register_replacement(divmod, lambda left, right: (floordiv(left, right), mod(left, right)))
for _each in (eq, ne, lt, le, gt, ge, add, sub, mul, mod, and_, or_, xor, floordiv, getitem):
    register_replacement(getattr(operator, _each.__name__), _each)
register_replacement(operator.contains, lambda container, key: in_(key, container))

dict_of = make_dict


def mapping_pairs(mapping: Any) -> Any:
    """**mapping in a dict display"""
    return [(key, getitem(mapping, key)) for key in mapping.keys()]  # noqa: SIM118
