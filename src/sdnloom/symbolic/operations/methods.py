"""Methods of plain containers and texts with a symbolic argument or symbolic keys.

`METHODS[kind][name]` is called with the container and the arguments and does the same by comparing values.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, Final

from sdnloom.symbolic.operations.format import format_text
from sdnloom.symbolic.operations.keys import (
    MISSING,
    base_of,
    candidates,
    delete_key,
    equal_values,
    find_key,
    find_to_store,
    has_key,
    look_up,
    make_set,
    merge_into,
    needs_comparison,
    set_add,
    set_discard,
    store_value,
    stored_key,
    value_under,
)
from sdnloom.symbolic.values.make import as_symbolic, concretise_all
from sdnloom.symbolic.values.sym_bytes import joined_bytes
from sdnloom.symbolic.values.sym_int import SymInt, concrete_index, concrete_slice, fork_or_concretise
from sdnloom.symbolic.values.sym_str import text_join

Method = Callable[..., Any]


def _get(container: Any, key: Any, default: Any = None) -> Any:
    if not needs_comparison(container, key):
        return dict.get(container, key, default)
    found = find_key(container, key)
    return default if found is MISSING else value_under(container, found)


def _setdefault(container: Any, key: Any, default: Any = None) -> Any:
    if not needs_comparison(container, key):
        return base_of(container).setdefault(container, key, default)
    found = find_to_store(container, key)
    if found is not MISSING:
        return value_under(container, found)
    store_value(container, key, default)
    return default


def _dict_pop(container: Any, key: Any, *default: Any) -> Any:
    if not needs_comparison(container, key):
        return base_of(container).pop(container, key, *default)
    found = find_key(container, key)
    if found is MISSING:
        if default:
            return default[0]
        raise KeyError(key)
    value = value_under(container, found)
    delete_key(container, found)
    return value


def _dict_update(container: Any, *others: Any, **named: Any) -> None:
    for other in (*others, named):
        merge_into(container, other)


def _store(container: Any, key: Any, value: Any) -> None:
    store_value(container, stored_key(container, key), value)


def _delete(container: Any, key: Any) -> None:
    _dict_pop(container, key)


def _set_remove(container: Any, key: Any) -> None:
    if not set_discard(container, key):
        raise KeyError(key)


def _set_update(container: Any, *others: Any) -> None:
    for other in others:
        for each in candidates(other):
            set_add(container, each)


def _union(container: Any, *others: Any) -> Any:
    return _set_like(container, [*candidates(container), *(each for other in others for each in candidates(other))])


def _set_like(container: Any, elements: list[Any]) -> Any:
    """Return a set or a frozenset, like the container. Copying one in C keeps the hashes of its elements."""
    result = make_set(elements)
    return frozenset(result) if isinstance(container, frozenset) else result


def _intersection(container: Any, *others: Any) -> Any:
    kept = [each for each in candidates(container) if all(has_key(_set_of(other), each) for other in others)]
    return _set_like(container, kept)


def _difference(container: Any, *others: Any) -> Any:
    kept = [each for each in candidates(container) if not any(has_key(_set_of(other), each) for other in others)]
    return _set_like(container, kept)


def _symmetric_difference(container: Any, other: Any) -> Any:
    other = _set_of(other)
    mine = [each for each in candidates(container) if not has_key(other, each)]
    return _set_like(container, [*mine, *(each for each in candidates(other) if not has_key(container, each))])


def _set_of(other: Any) -> Any:
    return other if isinstance(other, set | frozenset | dict) else make_set(other)


def _issubset(container: Any, other: Any) -> bool:
    other = _set_of(other)
    return all(has_key(other, each) for each in candidates(container))


def _issuperset(container: Any, other: Any) -> bool:
    return all(has_key(container, each) for each in candidates(_set_of(other)))


def _isdisjoint(container: Any, other: Any) -> bool:
    return not any(has_key(container, each) for each in candidates(_set_of(other)))


def _in_place(operation: Method) -> Method:
    def method(container: Any, *others: Any) -> None:
        kept = operation(container, *others)
        container.clear()
        _set_update(container, kept)

    return method


def _list_insert(container: Any, index: Any, value: Any) -> None:
    if isinstance(index, SymInt):
        size = len(container)
        index = -size - 1 if index < -size else size if index >= size else concrete_index(index, size, "list")
    container.insert(index, value)


def _list_pop(container: Any, index: Any = -1) -> Any:
    return container.pop(concrete_index(index, len(container), "pop") if isinstance(index, SymInt) else index)


def _positions(container: Any, value: Any, start: Any = 0, stop: Any = None) -> Iterator[int]:
    """Yield the positions of equal elements; forks for each element that may or may not be equal."""
    for position in range(len(container))[concrete_slice(slice(start, stop), len(container))]:
        if container[position] is value or equal_values(container[position], value):
            yield position


def _index(container: Any, value: Any, *bounds: Any) -> int:
    for position in _positions(container, value, *bounds):
        return position
    raise ValueError(f"{type(container).__name__}.index(x): x not in {type(container).__name__}")


def _count(container: Any, value: Any) -> int:
    return sum(1 for _ in _positions(container, value))


def _list_remove(container: Any, value: Any) -> None:
    del container[_index(container, value)]


def _rotate(container: Any, steps: Any) -> None:
    container.rotate(fork_or_concretise(steps, "deque.rotate"))


def _by_symbolic_method(name: str) -> Method:
    """Return a method of plain text or bytes with a symbolic argument, which calls that of a symbolic value."""

    def method(plain: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(as_symbolic(plain), name)(*args, **kwargs)

    return method


def _concretised(name: str) -> Method:
    """Return a method that concretises its arguments."""

    def method(container: Any, *args: Any, **kwargs: Any) -> Any:
        construct = f"{type(container).__name__}.{name}"
        for each in (*args, *kwargs.values()):
            concretise_all(each, construct)
        return getattr(container, name)(*args, **kwargs)

    return method


_DICT: Final[dict[str, Method]] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _dict_pop,
    "update": _dict_update,
    "__getitem__": look_up,
    "__setitem__": _store,
    "__delitem__": _delete,
    "__contains__": has_key,
}
_FROZEN: Final[dict[str, Method]] = {
    "union": _union,
    "intersection": _intersection,
    "difference": _difference,
    "symmetric_difference": _symmetric_difference,
    "issubset": _issubset,
    "issuperset": _issuperset,
    "isdisjoint": _isdisjoint,
    "__contains__": has_key,
}
_SET: Final[dict[str, Method]] = {
    **_FROZEN,
    "add": set_add,
    "discard": lambda container, key: (set_discard(container, key), None)[1],
    "remove": _set_remove,
    "update": _set_update,
    "intersection_update": _in_place(_intersection),
    "difference_update": _in_place(_difference),
    "symmetric_difference_update": _in_place(_symmetric_difference),
}
_COMPARING: Final = (
    "find", "rfind", "index", "rindex", "count", "startswith", "endswith", "split", "rsplit", "partition", "rpartition",
    "replace", "removeprefix", "removesuffix",
)  # fmt: skip
_STR: Final[dict[str, Method]] = {
    **{name: _by_symbolic_method(name) for name in _COMPARING},
    "join": text_join,
    "format": lambda form, *args, **kwargs: format_text(form, args, kwargs),
    "format_map": lambda form, mapping: format_text(form, (), mapping),
}
_BYTES: Final[dict[str, Method]] = {**{name: _by_symbolic_method(name) for name in _COMPARING}, "join": joined_bytes}
_TUPLE: Final[dict[str, Method]] = {"index": _index, "count": _count}
_LIST: Final[dict[str, Method]] = {**_TUPLE, "insert": _list_insert, "pop": _list_pop, "remove": _list_remove}

METHODS: Final[dict[type, dict[str, Method]]] = {
    dict: _DICT,
    OrderedDict: _DICT,
    defaultdict: _DICT,
    set: _SET,
    frozenset: _FROZEN,
    str: _STR,
    bytes: _BYTES,
    list: _LIST,
    tuple: _TUPLE,
    type({}.keys()): {"isdisjoint": _isdisjoint},
    deque: {**_LIST, "rotate": _rotate},
    bytearray: {name: _concretised(name) for name in (*_COMPARING, "join", "append", "extend", "insert", "remove")},
}
# Methods of these kinds that only store their arguments or pass them on.
STORING: Final = frozenset({"append", "appendleft", "extend", "extendleft", "throw", "send"})
