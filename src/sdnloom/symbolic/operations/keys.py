"""Lookups in dicts and sets by comparing keys, so that a symbolic key forks over the keys of the container.

A dict in C finds a key by its hash in this run: a lookup would silently depend on it. Here a key is compared with
the keys of the container in a fixed order, with one fork each; a miss means that it differs from all. A new symbolic
key is stored under its hash of this run; from then on (`SYMBOLIC_KEYS`) every lookup compares keys.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from sdnloom.symbolic.execution import STORE, Execution, current
from sdnloom.symbolic.values.hash_value import concrete_hashing
from sdnloom.symbolic.values.make import SYMBOLIC, has_symbolic

MISSING: Final = object()
SYMBOLIC_KEYS: list[Any] = []  # symbolic keys that containers hold in the run of `_owner`
_owner: Execution | None = None

_DICT_GET: Final = dict.__getitem__
_SETS: Final = (set, frozenset)
_VIEWS: Final[tuple[type, ...]] = (type({}.keys()),)


def is_dict(container: Any) -> bool:
    """Return whether a container is a dict with the lookup of dict itself."""
    return isinstance(container, dict) and type(container).__getitem__ in (_DICT_GET, OrderedDict.__getitem__)


def is_set(container: Any) -> bool:
    """Return whether a container is a set with the lookup of set itself."""
    return isinstance(container, _SETS) and type(container).__contains__ in (set.__contains__, frozenset.__contains__)


def needs_comparison(container: Iterable[Any], key: Any) -> bool:
    """Return whether a lookup depends on an input: the key or a key of the container is symbolic."""
    return has_symbolic(key) or (has_symbolic_keys() and any(has_symbolic(each) for each in container))


def has_symbolic_keys() -> bool:
    """Return whether containers have symbolic keys in this run; clears those of an earlier run."""
    if SYMBOLIC_KEYS and _owner is not current():
        SYMBOLIC_KEYS.clear()
    return bool(SYMBOLIC_KEYS)


def forget_symbolic_keys() -> None:
    """Forget the symbolic keys of a run that has ended, so that plain code runs as it did before."""
    SYMBOLIC_KEYS.clear()


def candidates(container: Any) -> list[Any]:
    """Return the keys of a container in an order that depends neither on hashes nor on values of this run."""
    keys = list(container)
    if isinstance(container, _SETS):
        order = {id(key): position for position, key in enumerate(SYMBOLIC_KEYS)}
        plain = [key for key in keys if id(key) not in order]
        plain.sort(key=lambda key: (type(key).__name__, repr(key)))
        keys = plain + sorted((key for key in keys if id(key) in order), key=lambda key: order[id(key)])
    return keys


def find_key(container: Any, key: Any) -> Any:
    """Return the equal key of a dict or set, or MISSING; forks for each key that may or may not be equal."""
    for each in candidates(container):
        if each is key or (_may_be_equal(each, key) and _equal_keys(each, key)):
            return each
    return MISSING


def _equal_keys(known: Any, key: Any) -> bool:
    """Return whether two keys are equal. A key that this run has stored itself is no decision of the program."""
    execution = current() if has_symbolic(known) and has_symbolic(key) else None
    if execution is None:
        return equal_values(known, key)
    with execution.within(STORE):
        return equal_values(known, key)


def equal_values(left: Any, right: Any) -> bool:
    """Return whether two values are equal, where either may be symbolic or have symbolic elements."""
    if type(left) in SYMBOLIC:
        return bool(left == right)
    if type(right) in SYMBOLIC:
        return bool(right == left)
    own = getattr(type(left), "__eq__", None)
    if own in _EQUAL_BY_ELEMENTS and getattr(type(right), "__eq__", None) is own:
        return len(left) == len(right) and all(a is b or equal_values(a, b) for a, b in zip(left, right, strict=True))
    if is_set(left) and is_set(right) and (has_symbolic(left) or has_symbolic(right)):
        return len(left) == len(right) and all(find_key(right, each) is not MISSING for each in candidates(left))
    if own in _EQUAL_BY_ITEMS and is_dict(right) and (has_symbolic(left) or has_symbolic(right)):
        return _same_pairs(left, right)
    return bool(left == right)


# `__eq__` of types that are compared by their elements in order, and by their keys and values.
_EQUAL_BY_ELEMENTS: Final = frozenset((list.__eq__, tuple.__eq__, deque.__eq__))
_EQUAL_BY_ITEMS: Final = frozenset((dict.__eq__, OrderedDict.__eq__))


def _same_pairs(left: Any, right: Any) -> bool:
    """Return whether two dicts have the same keys and values; two OrderedDicts also in the same order."""
    if len(left) != len(right):
        return False
    if isinstance(left, OrderedDict) and isinstance(right, OrderedDict):
        return all(equal_values(a, b) for a, b in zip(left.items(), right.items(), strict=True))
    for key, value in left.items():
        found = find_key(right, key)
        if found is MISSING or not equal_values(value, value_under(right, found)):
            return False
    return True


def _may_be_equal(left: Any, right: Any) -> bool:
    """Return whether two keys may be equal; different hashes avoid calls of `__eq__` that a dict would not make."""
    if has_symbolic(left) or has_symbolic(right):
        return True
    try:
        return hash(left) == hash(right)
    except TypeError:
        return False


def stored_key(container: Any, key: Any) -> Any:
    """Return the key under which to store a value: the equal key of the container, or this one."""
    if not needs_comparison(container, key):
        return key
    found = find_to_store(container, key)
    return key if found is MISSING else found


def find_to_store(container: Any, key: Any) -> Any:
    """Return the equal key of a container or MISSING; the forks are no decisions of the program."""
    execution = current()
    if execution is None:
        return find_key(container, key)
    with execution.within(STORE):
        return find_key(container, key)


def base_of(container: Any) -> Any:
    """Return the built-in class whose methods store and delete; a program's subclass may override them."""
    return OrderedDict if isinstance(container, OrderedDict) else dict


def store_value(container: Any, key: Any, value: Any) -> None:
    """Store a value in a dict under a key from `stored_key`."""
    with concrete_hashing():
        base_of(container).__setitem__(container, key, value)
    note_symbolic_key(key)


def note_symbolic_key(key: Any) -> None:
    """Note that a container has this key, if it is symbolic."""
    global _owner
    if has_symbolic(key):
        has_symbolic_keys()
        _owner = current()
        SYMBOLIC_KEYS.append(key)


def look_up(container: Any, key: Any) -> Any:
    """Return `container[key]` of a dict, with `__missing__` and KeyError as in Python."""
    if not needs_comparison(container, key):
        return dict.__getitem__(container, key)
    found = find_key(container, key)
    if found is not MISSING:
        return value_under(container, found)
    if type(container) is defaultdict:
        factory = container.default_factory
        if factory is None:
            raise KeyError(key)
        value = factory()
        store_value(container, key, value)
        return value
    missing = getattr(type(container), "__missing__", None)
    if missing is not None:
        return missing(container, key)
    raise KeyError(key)


def value_under(container: Any, key: Any) -> Any:
    """Return the value under a key of the container."""
    with concrete_hashing():
        return dict.__getitem__(container, key)


def delete_key(container: Any, key: Any) -> None:
    """Delete a key of a dict."""
    with concrete_hashing():
        base_of(container).__delitem__(container, key)


def has_key(container: Any, key: Any) -> bool:
    """Return `key in container` of a dict, a set or the keys of a dict."""
    if not needs_comparison(container, key):
        return _has_plain_key(container, key)
    return find_key(container, key) is not MISSING


def _has_plain_key(container: Any, key: Any) -> bool:
    for kind, contains in _CONTAINS:
        if isinstance(container, kind):
            return contains(container, key)
    return key in container


_CONTAINS: Final[tuple[tuple[type, Callable[[Any, Any], bool]], ...]] = (
    (dict, dict.__contains__),
    (set, set.__contains__),
    (frozenset, frozenset.__contains__),
)


def set_add(container: Any, key: Any) -> None:
    """Add to a set."""
    if needs_comparison(container, key):
        if find_to_store(container, key) is not MISSING:
            return
        with concrete_hashing():
            set.add(container, key)
        note_symbolic_key(key)
    else:
        set.add(container, key)


def set_discard(container: Any, key: Any) -> bool:
    """Remove from a set; return whether it was there."""
    if needs_comparison(container, key):
        found = find_key(container, key)
        if found is MISSING:
            return False
        with concrete_hashing():
            set.discard(container, found)
        return True
    if set.__contains__(container, key):
        set.discard(container, key)
        return True
    return False


def make_set(elements: Iterable[Any]) -> set[Any]:
    """Return a set of the elements; the first of equal ones is kept."""
    result: set[Any] = set()
    for each in elements:
        set_add(result, each)
    return result


def make_dict(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return a dict of the pairs; the first of equal keys is kept, with the last value."""
    result: dict[Any, Any] = {}
    for key, value in pairs:
        if type(key) in SYMBOLIC or SYMBOLIC_KEYS or type(key) is tuple:
            store_value(result, stored_key(result, key), value)
        else:
            result[key] = value
    return result


def merge_into(container: Any, other: Any) -> None:
    """Store all pairs of a mapping or an iterable of pairs into a dict."""
    pairs = other
    if hasattr(other, "keys") and not isinstance(other, dict):
        pairs = [(key, other[key]) for key in other.keys()]  # noqa: SIM118
    for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
        store_value(container, stored_key(container, key), value)


def is_keys_view(container: Any) -> bool:
    """Return whether a container is the keys view of a dict."""
    return isinstance(container, _VIEWS)
