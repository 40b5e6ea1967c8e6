"""NetKAT policies without `dup`, as hash-consed trees.

Equal policies are the same object, so equality and hashing cost nothing and shared parts are stored once. Sums and
products hold any number of parts and are never nested in their own kind: a sum over a thousand links is one node.
Nothing here recurses, so depth is no limit.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeAlias, cast
from weakref import WeakValueDictionary

from sdnloom.netkat.errors import PolicyError

FieldValue: TypeAlias = int | str
# Names that each double the policy they refer to would otherwise exhaust the memory.
MAX_PARTS: Final = 1_000_000
WORD: Final = re.compile(r"[^\W\d]\w*(?:-\w+)*")


class _Node:
    """A hash-consed node; build one through its class, never change it."""

    __slots__ = ("__weakref__", "_assigned", "_fields", "args", "depth", "is_predicate")
    __match_args__: ClassVar[tuple[str, ...]] = ()
    args: tuple[Any, ...]
    depth: int
    is_predicate: bool
    _fields: frozenset[str] | None
    _assigned: frozenset[str] | None

    def parts_below(self) -> tuple["Policy", ...]:
        """Return the policies directly below."""
        return ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"policies are immutable: {type(self).__name__}.{name}")

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self.args

    def __copy__(self) -> "_Node":
        return self

    def __deepcopy__(self, memo: object) -> "_Node":
        return self

    def __repr__(self) -> str:
        pieces: list[str] = []
        pending: list[str | _Node] = [self]
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            inner: list[str | _Node] = []
            for arg in item.args:
                inner += [", ", arg if isinstance(arg, _Node) else repr(arg)]
            many = isinstance(item, Sum | Product)
            pending += [")" * (1 + many), *reversed(inner[1:]), type(item).__name__ + "(" * (1 + many)]
        return "".join(pieces)


_interned: WeakValueDictionary[tuple[Any, ...], _Node] = WeakValueDictionary()
_set = object.__setattr__
_is_predicate = attrgetter("is_predicate")
_depth = attrgetter("depth")


def _intern(kind: type[_Node], args: tuple[Any, ...], is_predicate: bool, below: tuple["Policy", ...]) -> Any:
    # The types of the values are part of the key: True == 1 in Python, and they must not become one node.
    key = (kind, *args, *map(type, args)) if not below else (kind, args)
    node = _interned.get(key)
    if node is None:
        node = object.__new__(kind)
        _set(node, "args", args)
        _set(node, "is_predicate", is_predicate)
        _set(node, "depth", 1 + max(map(_depth, below), default=0))
        _set(node, "_fields", None)
        _set(node, "_assigned", None)
        _interned[key] = node
    return node


class Drop(_Node):
    """The policy that drops every packet; as a predicate, false."""

    __slots__ = ()

    def __new__(cls) -> "Drop":
        return cast(Drop, _intern(cls, (), True, ()))


class Skip(_Node):
    """The policy that passes every packet unchanged; as a predicate, true."""

    __slots__ = ()

    def __new__(cls) -> "Skip":
        return cast(Skip, _intern(cls, (), True, ()))


class Test(_Node):
    """The predicate `field = value`."""

    __slots__ = ()
    __match_args__ = ("field", "value")
    __test__ = False  # pytest would collect it

    def __new__(cls, field: str, value: FieldValue) -> "Test":
        _check_atom(field, value)
        return cast(Test, _intern(cls, (field, value), True, ()))

    @property
    def field(self) -> str:
        return cast(str, self.args[0])

    @property
    def value(self) -> FieldValue:
        return cast(FieldValue, self.args[1])


class Assign(_Node):
    """The policy `field <- value`."""

    __slots__ = ()
    __match_args__ = ("field", "value")

    def __new__(cls, field: str, value: FieldValue) -> "Assign":
        _check_atom(field, value)
        return cast(Assign, _intern(cls, (field, value), False, ()))

    @property
    def field(self) -> str:
        return cast(str, self.args[0])

    @property
    def value(self) -> FieldValue:
        return cast(FieldValue, self.args[1])


class Not(_Node):
    """The negation of a predicate."""

    __slots__ = ()
    __match_args__ = ("predicate",)

    def __new__(cls, predicate: "Policy") -> "Not":
        if not predicate.is_predicate:
            raise PolicyError("only a predicate can be negated: no assignment and no star may stand below a negation")
        return cast(Not, _intern(cls, (predicate,), True, (predicate,)))

    @property
    def predicate(self) -> "Policy":
        return cast(Policy, self.args[0])

    def parts_below(self) -> tuple["Policy", ...]:
        return self.args


class Sum(_Node):
    """The union of two or more policies; nested sums are flattened."""

    __slots__ = ()
    __match_args__ = ("parts",)

    def __new__(cls, parts: Iterable["Policy"]) -> "Sum":
        flat = _flatten(cls, parts)
        return cast(Sum, _intern(cls, flat, all(map(_is_predicate, flat)), flat))

    @property
    def parts(self) -> tuple["Policy", ...]:
        return self.args

    def parts_below(self) -> tuple["Policy", ...]:
        return self.args

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.args,)


class Product(_Node):
    """The sequence of two or more policies; nested products are flattened. On predicates it is conjunction."""

    __slots__ = ()
    __match_args__ = ("parts",)

    def __new__(cls, parts: Iterable["Policy"]) -> "Product":
        flat = _flatten(cls, parts)
        return cast(Product, _intern(cls, flat, all(map(_is_predicate, flat)), flat))

    @property
    def parts(self) -> tuple["Policy", ...]:
        return self.args

    def parts_below(self) -> tuple["Policy", ...]:
        return self.args

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.args,)


class Star(_Node):
    """Zero or more rounds of a policy."""

    __slots__ = ()
    __match_args__ = ("policy",)

    def __new__(cls, policy: "Policy") -> "Star":
        return cast(Star, _intern(cls, (policy,), False, (policy,)))

    @property
    def policy(self) -> "Policy":
        return cast(Policy, self.args[0])

    def parts_below(self) -> tuple["Policy", ...]:
        return self.args


Policy: TypeAlias = Drop | Skip | Test | Assign | Not | Sum | Product | Star

DROP_ALL: Final = Drop()
PASS_ALL: Final = Skip()


def sum_of(policies: Iterable[Policy]) -> Policy:
    """Return the sum in the order given; of none, `Drop`; of one, that one."""
    parts = tuple(policies)
    if len(parts) > 1:
        return Sum(parts)
    return parts[0] if parts else DROP_ALL


def product_of(policies: Iterable[Policy]) -> Policy:
    """Return the product in the order given; of none, `Skip`; of one, that one."""
    parts = tuple(policies)
    if len(parts) > 1:
        return Product(parts)
    return parts[0] if parts else PASS_ALL


def subpolicies(policy: Policy, known: Container[Policy] = ()) -> Iterator[Policy]:
    """Yield every distinct subpolicy once, parts before the whole; skip those known and all below them."""
    seen: set[Policy] = set()
    stack: list[tuple[Policy, bool]] = [(policy, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen and node not in known:
            seen.add(node)
            stack.append((node, True))
            stack.extend([(part, False) for part in reversed(node.parts_below())])


def fold_policy(policy: Policy, combine: Callable[[Policy, list[Any]], Any]) -> Any:
    """Return `combine` applied bottom up: to each distinct subpolicy and the results of its parts."""
    results: dict[Policy, Any] = {}
    for node in subpolicies(policy):
        results[node] = combine(node, [results[part] for part in node.parts_below()])
    return results[policy]


def fields_of(policy: Policy) -> frozenset[str]:
    """Return the fields that the policy tests or assigns."""
    return _collect(policy, "_fields", (Test, Assign))


def assigned_fields(policy: Policy) -> frozenset[str]:
    """Return the fields that the policy assigns."""
    return _collect(policy, "_assigned", (Assign,))


def values_of(policy: Policy) -> dict[str, frozenset[FieldValue]]:
    """Return, for each field, the values that the policy names."""
    found: dict[str, set[FieldValue]] = {}
    for node in subpolicies(policy):
        if isinstance(node, Test | Assign):
            found.setdefault(node.field, set()).add(node.value)
    return {field: frozenset(found[field]) for field in sorted(found)}


def value_key(value: FieldValue) -> tuple[int, int, str]:
    """Return a sort key for values: numbers before words."""
    return (0, value, "") if isinstance(value, int) else (1, 0, value)


def _collect(policy: Policy, slot: str, kinds: tuple[type, ...]) -> frozenset[str]:
    known: frozenset[str] | None = getattr(policy, slot)
    if known is not None:
        return known
    # Stored on every node on the way: a new sum over known parts costs one union.
    stack = [policy]
    while stack:
        node = stack[-1]
        below = node.parts_below()
        missing = [part for part in below if getattr(part, slot) is None]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if getattr(node, slot) is None:
            own = frozenset(node.args[:1]) if isinstance(node, kinds) else frozenset()
            _set(node, slot, own.union(*[getattr(part, slot) for part in below]))
    return cast(frozenset[str], getattr(policy, slot))


def _flatten(kind: type[_Node], parts: Iterable[Policy]) -> tuple[Policy, ...]:
    parts = tuple(parts)
    if kind in map(type, parts):
        count = sum(len(part.args) if type(part) is kind else 1 for part in parts)
        if count > MAX_PARTS:
            raise PolicyError(f"a {kind.__name__.lower()} of {count} parts; at most {MAX_PARTS} fit")
        parts = tuple(inner for part in parts for inner in (part.args if type(part) is kind else (part,)))
    if len(parts) < 2:
        raise ValueError(f"{kind.__name__} needs two parts or more; sum_of and product_of take any number")
    return parts


def _check_atom(field: str, value: FieldValue) -> None:
    if not WORD.fullmatch(field):
        raise PolicyError(f"a field name is a word of letters, digits, '_' and inner '-', not {field!r}")
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PolicyError(f"field {field!r}: a value is an integer or a string, not {value!r}")
