"""Lookups in dicts and sets by comparing keys, so that a symbolic key forks over the keys that are there.

A dict in C finds a key by its hash, that of this run: a lookup would silently depend on it. Here a key is compared with
the keys of the container in a fixed order, one fork each, and a miss has told it apart from all of them. A new symbolic
key is stored under its hash of this run; `SYMBOLIC_KEYS` then sends every later lookup through the comparison.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from sdnloom.symbolic.execution import Execution, current
from sdnloom.symbolic.values.hash_value import concrete_hashing
from sdnloom.symbolic.values.make import SYMBOLIC, has_symbolic

MISSING: Final = object()
SYMBOLIC_KEYS: list[Any] = []  # symbolic keys that containers hold in the run of `_owner`
_owner: Execution | None = None

_DICT_GET: Final = dict.__getitem__
_SETS: Final = (set, frozenset)
_VIEWS: Final[tuple[type, ...]] = (type({}.keys()),)


def is_dict(container: Any) -> bool:
    """Return whether lookups in a container are those of dict itself."""
    return isinstance(container, dict) and type(container).__getitem__ in (_DICT_GET, OrderedDict.__getitem__)


def is_set(container: Any) -> bool:
    """Return whether lookups in a container are those of a set."""
    return isinstance(container, _SETS) and type(container).__contains__ in (set.__contains__, frozenset.__contains__)


def needs_comparison(container: Iterable[Any], key: Any) -> bool:
    """Return whether a lookup depends on an input: the key is symbolic, or a key that is there."""
    return has_symbolic(key) or (has_symbolic_keys() and any(has_symbolic(each) for each in container))


def has_symbolic_keys() -> bool:
    """Return whether containers hold symbolic keys in this run; those of an earlier run are forgotten."""
    if SYMBOLIC_KEYS and _owner is not current():
        SYMBOLIC_KEYS.clear()
    return bool(SYMBOLIC_KEYS)


def candidates(container: Any) -> list[Any]:
    """Return the keys of a container in an order that depends on no hash and on no value of this run."""
    keys = list(container)
    if isinstance(container, _SETS):
        met = {id(key): place for place, key in enumerate(SYMBOLIC_KEYS)}
        plain = [key for key in keys if id(key) not in met]
        plain.sort(key=lambda key: (type(key).__name__, repr(key)))
        keys = plain + sorted((key for key in keys if id(key) in met), key=lambda key: met[id(key)])
    return keys


def find_key(container: Any, key: Any) -> Any:
    """Return the key in a dict or set that equals this one, or MISSING; a fork for each key that may or may not."""
    for each in candidates(container):
        if each is key or (_comparable(each, key) and equal_values(each, key)):
            return each
    return MISSING


def equal_values(left: Any, right: Any) -> bool:
    """Return whether two keys are equal, whichever of them is symbolic."""
    if type(left) in SYMBOLIC:
        return bool(left == right)
    if type(right) in SYMBOLIC:
        return bool(right == left)
    own = getattr(type(left), "__eq__", None)
    if own in _IN_ORDER and getattr(type(right), "__eq__", None) is own:
        return len(left) == len(right) and all(a is b or equal_values(a, b) for a, b in zip(left, right, strict=True))
    if is_set(left) and is_set(right) and (has_symbolic(left) or has_symbolic(right)):
        return len(left) == len(right) and all(find_key(right, each) is not MISSING for each in candidates(left))
    if own in _BY_KEY and is_dict(right) and (has_symbolic(left) or has_symbolic(right)):
        return _same_pairs(left, right)
    return bool(left == right)


# Whose equality is that of their elements in order, and whose that of their keys and values.
_IN_ORDER: Final = frozenset((list.__eq__, tuple.__eq__, deque.__eq__))
_BY_KEY: Final = frozenset((dict.__eq__, OrderedDict.__eq__))


def _same_pairs(left: Any, right: Any) -> bool:
    """Return whether two dicts have the same keys with the same values, two ordered ones also in the same order."""
    if len(left) != len(right):
        return False
    if isinstance(left, OrderedDict) and isinstance(right, OrderedDict):
        return all(equal_values(a, b) for a, b in zip(left.items(), right.items(), strict=True))
    for key, value in left.items():
        found = find_key(right, key)
        if found is MISSING or not equal_values(value, value_under(right, found)):
            return False
    return True


def _comparable(left: Any, right: Any) -> bool:
    """Return whether comparing two keys can say yes and runs no code of a stranger that a hash would have kept away."""
    if has_symbolic(left) or has_symbolic(right):
        return True
    try:
        return hash(left) == hash(right)
    except TypeError:
        return False


def stored_key(container: Any, key: Any) -> Any:
    """Return the key under which a value is to be stored: the equal one that is there, or this one."""
    if not needs_comparison(container, key):
        return key
    found = find_key(container, key)
    return key if found is MISSING else found


def base_of(container: Any) -> Any:
    """Return the built-in class whose methods do the work: a program's subclass may have its own around them."""
    return OrderedDict if isinstance(container, OrderedDict) else dict


def store_value(container: Any, key: Any, value: Any) -> None:
    """Store a value in a dict under a key of `stored_key`."""
    with concrete_hashing():
        base_of(container).__setitem__(container, key, value)
    note_symbolic_key(key)


def note_symbolic_key(key: Any) -> None:
    """Note that a container holds this key."""
    global _owner
    if has_symbolic(key):
        has_symbolic_keys()
        _owner = current()
        SYMBOLIC_KEYS.append(key)


def look_up(container: Any, key: Any) -> Any:
    """Return `container[key]` of a dict; its `__missing__` and KeyError as Python has them."""
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
    """Return the value under a key that is there."""
    with concrete_hashing():
        return dict.__getitem__(container, key)


def delete_key(container: Any, key: Any) -> None:
    """Delete a key that is there from a dict."""
    with concrete_hashing():
        base_of(container).__delitem__(container, key)


def has_key(container: Any, key: Any) -> bool:
    """Return `key in container` of a dict, a set or the keys of a dict."""
    if not needs_comparison(container, key):
        return _holds_plainly(container, key)
    return find_key(container, key) is not MISSING


def _holds_plainly(container: Any, key: Any) -> bool:
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
        if find_key(container, key) is not MISSING:
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
    """Return a set of the elements; of equal ones the first stays."""
    made: set[Any] = set()
    for each in elements:
        set_add(made, each)
    return made


def make_dict(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return a dict of the pairs; of equal keys the first stays, with the last value."""
    made: dict[Any, Any] = {}
    for key, value in pairs:
        if type(key) in SYMBOLIC or SYMBOLIC_KEYS or type(key) is tuple:
            store_value(made, stored_key(made, key), value)
        else:
            made[key] = value
    return made


def merge_into(container: Any, other: Any) -> None:
    """Store all pairs of a mapping or an iterable of pairs into a dict."""
    pairs = other
    if hasattr(other, "keys") and not isinstance(other, dict):
        pairs = [(key, other[key]) for key in other.keys()]  # noqa: SIM118
    for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
        store_value(container, stored_key(container, key), value)


def is_keys_view(container: Any) -> bool:
    """Return whether a container is the keys of a dict."""
    return isinstance(container, _VIEWS)
