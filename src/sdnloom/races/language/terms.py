"""DyNetKAT terms without parallel composition, as hash-consed graphs.

    D ::= bot  |  N ; D  |  x ! N ; D  |  x ? N ; D  |  D o+ D  |  X(N, ...)

Equal terms are the same object. Choices are sets: flat, without repetition and without `bot` (axioms A2 to A5).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias, cast
from weakref import WeakValueDictionary

from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.printer import to_text
from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.templates import PREFIX, fill, holes

MAX_ARGUMENT_PARTS: Final = 10_000
_HOLE = re.compile(rf"{PREFIX}(\S+) <- 0")


@dataclass(frozen=True, slots=True)
class Forward:
    """Process packets with a policy."""

    policy: Policy

    def __str__(self) -> str:
        return _text(self.policy)


@dataclass(frozen=True, slots=True)
class Send:
    """Send a policy on a channel."""

    channel: str
    policy: Policy

    def __str__(self) -> str:
        return f"{self.channel} ! {_text(self.policy)}"


@dataclass(frozen=True, slots=True)
class Receive:
    """Receive exactly this policy on a channel."""

    channel: str
    policy: Policy

    def __str__(self) -> str:
        return f"{self.channel} ? {_text(self.policy)}"


TermAction: TypeAlias = Forward | Send | Receive


class ProcessTerm:
    """A hash-consed term; compare with `is` or `==`."""

    __slots__ = ("__weakref__",)
    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], "ProcessTerm"]] = WeakValueDictionary()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"terms are immutable: {type(self).__name__}.{name}")


_set = object.__setattr__


def _intern(kind: type[Any], **slots: Any) -> Any:
    key = (kind, *slots.values())
    term = ProcessTerm._interned.get(key)
    if term is None:
        term = object.__new__(kind)
        for name, value in slots.items():
            _set(term, name, value)
        ProcessTerm._interned[key] = term
    return term


class Bot(ProcessTerm):
    """The term that does nothing."""

    __slots__ = ()

    def __new__(cls) -> "Bot":
        return cast(Bot, _intern(cls))


class Prefix(ProcessTerm):
    """`action ; then`."""

    __slots__ = ("action", "then")
    action: TermAction
    then: ProcessTerm

    def __new__(cls, action: TermAction, then: ProcessTerm) -> "Prefix":
        return cast(Prefix, _intern(cls, action=action, then=then))


class Choice(ProcessTerm):
    """Two or more alternatives; build it with `choice_of`."""

    __slots__ = ("parts",)
    parts: tuple[ProcessTerm, ...]

    def __new__(cls, parts: tuple[ProcessTerm, ...]) -> "Choice":
        return cast(Choice, _intern(cls, parts=parts))


class VariableCall(ProcessTerm):
    """A recursive variable applied to policies."""

    __slots__ = ("arguments", "name")
    name: str
    arguments: tuple[Policy, ...]

    def __new__(cls, name: str, arguments: tuple[Policy, ...] = ()) -> "VariableCall":
        return cast(VariableCall, _intern(cls, name=name, arguments=arguments))


BOT: Final = Bot()


def choice_of(terms: Iterable[ProcessTerm]) -> ProcessTerm:
    """Return the choice in the order given, flattened, without repetition and `bot`."""
    flat: dict[ProcessTerm, None] = {}
    for term in terms:
        flat.update(dict.fromkeys(term.parts if isinstance(term, Choice) else (term,)))
    flat.pop(BOT, None)
    parts = tuple(flat)
    if len(parts) > 1:
        return Choice(parts)
    return parts[0] if parts else BOT


def sequence(actions: Iterable[TermAction], then: ProcessTerm) -> ProcessTerm:
    """Return the actions in order, followed by the term."""
    for action in reversed(tuple(actions)):
        then = Prefix(action, then)
    return then


@dataclass(frozen=True)
class Definition:
    """`name(parameters) = body`; parameters are holes in the body's policies."""

    name: str
    parameters: tuple[str, ...]
    body: ProcessTerm


def steps(term: ProcessTerm, definitions: Mapping[str, Definition]) -> tuple[tuple[TermAction, ProcessTerm], ...]:
    """Return the term's transitions in source order, each once: its symbolic normal form (definition 1).

    Every variable must be defined and guarded, which `check_uses` checks.
    """
    found: dict[tuple[TermAction, ProcessTerm], None] = {}
    pending = [(term, dict[str, Policy]())]
    while pending:
        current, bound = pending.pop()
        match current:
            case Prefix():
                found[_bind_action(current.action, bound), bind(current.then, bound)] = None
            case Choice():
                pending.extend((part, bound) for part in reversed(current.parts))
            case VariableCall():
                definition = definitions[current.name]
                arguments = [fill(argument, bound) for argument in current.arguments]
                _check_growth(current.name, arguments)
                pending.append((definition.body, dict(zip(definition.parameters, arguments, strict=True))))
    return tuple(found)


def _check_growth(name: str, arguments: list[Policy]) -> None:
    """Raise an error for an argument that keeps growing: such a term has infinitely many states."""
    for argument in arguments:
        parts = len(argument.parts_below())
        if max(parts, argument.depth) > MAX_ARGUMENT_PARTS:
            raise PolicyError(
                f"recursive variable {name!r}: an argument has grown to {max(parts, argument.depth)} parts, expected "
                f"at most {MAX_ARGUMENT_PARTS}; it grows with every step, so there are infinitely many states"
            )


def bind(term: ProcessTerm, bound: Mapping[str, Policy]) -> ProcessTerm:
    """Return the term with parameters replaced by policies."""
    if not bound:
        return term
    results: dict[ProcessTerm, ProcessTerm] = {}
    stack = [(term, False)]
    while stack:
        node, ready = stack.pop()
        if node in results:
            continue
        if not ready:
            stack.append((node, True))
            stack.extend((below, False) for below in below_of(node))
            continue
        match node:
            case Prefix():
                results[node] = Prefix(_bind_action(node.action, bound), results[node.then])
            case Choice():
                results[node] = choice_of(results[part] for part in node.parts)
            case VariableCall():
                results[node] = VariableCall(node.name, tuple(fill(argument, bound) for argument in node.arguments))
            case _:
                results[node] = node
    return results[term]


def below_of(term: ProcessTerm) -> tuple[ProcessTerm, ...]:
    """Return the terms directly below."""
    match term:
        case Prefix():
            return (term.then,)
        case Choice():
            return term.parts
        case _:
            return ()


def subterms(term: ProcessTerm) -> tuple[ProcessTerm, ...]:
    """Return every distinct term in this one, itself first; bodies of variables are not entered."""
    seen: dict[ProcessTerm, None] = {}
    stack = [term]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(reversed(below_of(node)))
    return tuple(seen)


def reachable_terms(roots: Iterable[ProcessTerm], definitions: Mapping[str, Definition]) -> tuple[ProcessTerm, ...]:
    """Return every distinct term in the roots and in the bodies of the variables that they use, directly or not."""
    seen: dict[ProcessTerm, None] = {}
    entered: set[str] = set()
    stack = list(roots)
    while stack:
        for term in subterms(stack.pop()):
            seen[term] = None
            if isinstance(term, VariableCall) and term.name not in entered:
                entered.add(term.name)
                stack.append(definitions[term.name].body)
    return tuple(seen)


def process_text(term: ProcessTerm) -> str:
    """Return the term as text that the parser reads back."""
    pieces: list[str] = []
    pending: list[str | tuple[ProcessTerm, bool]] = [(term, False)]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        node, tight = item
        match node:
            case Prefix():
                pending += [(node.then, True), " ; ", str(node.action)]
            case Choice():
                inner: list[str | tuple[ProcessTerm, bool]] = []
                for part in node.parts:
                    inner += [" o+ ", (part, False)]
                pending += [")", *reversed(inner[1:]), "("] if tight else [*reversed(inner[1:])]
            case VariableCall():
                arguments = ", ".join(map(_text, node.arguments))
                pieces.append(f"{node.name}({arguments})" if arguments else node.name)
            case _:
                pieces.append("bot")
    return "".join(pieces)


def _bind_action(action: TermAction, bound: Mapping[str, Policy]) -> TermAction:
    if not bound or holes(action.policy).isdisjoint(bound):
        return action
    policy = fill(action.policy, bound)
    return Forward(policy) if isinstance(action, Forward) else type(action)(action.channel, policy)


def _text(policy: Policy) -> str:
    return _HOLE.sub(r"\1", to_text(policy))
