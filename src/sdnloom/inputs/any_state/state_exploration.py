"""The paths of a program's handlers from any state of a bounded shape, for packets of a skeleton.

A state has the attributes of one that was met, of which those that the program writes are replaced by symbolic values
of the shape that they had in the states met. What the shape assumes is part of the result.
"""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sdnloom.engine.stop_points import check_limits, interruptible
from sdnloom.inputs.any_state.source_lines import SourceFacts
from sdnloom.inputs.any_state.state_shapes import (
    FixedValue,
    Sketch,
    StateBounds,
    TableShape,
    ValueShape,
    attribute_names,
    global_names,
    shape_of,
    sketch,
)
from sdnloom.inputs.any_state.state_values import (
    PlainValues,
    StateVariables,
    SymbolicValues,
    ValueSource,
    lazy_attributes,
    make_value,
)
from sdnloom.inputs.concolic import (
    ConcolicOptions,
    constraints,
    message_with,
    preferred_values,
    symbolic_content,
    variable,
)
from sdnloom.inputs.explorer import HandlerQuestion
from sdnloom.platforms.capture.freeze import attributes_of
from sdnloom.platforms.explorable import BranchFilter, HandlerRun, Holders, OpenState, RewrittenProgram
from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.path_search import PathRun, explore
from sdnloom.symbolic.result import Exploration, PathClass
from sdnloom.symbolic.terms.node import variables
from sdnloom.symbolic.values.make import concrete

_ABSENT = Sketch("absent")


class StateAttribute(NamedTuple):
    """An attribute of an object that holds state."""

    holder: str
    name: str

    def __str__(self) -> str:
        return f"{self.holder}.{self.name}"


@dataclass(frozen=True)
class StateShape:
    """The shape of a program's state: attributes with any value of a shape, and those that keep theirs, and why."""

    free: tuple[tuple[StateAttribute, ValueShape], ...]
    optional: frozenset[StateAttribute]  # those of them that some state met did not have
    kept: tuple[tuple[StateAttribute, str], ...]
    states: int  # from which the shape was learned
    bounds: StateBounds


def learn_shape(program: OpenState, cores: Iterable[Any], facts: SourceFacts, bounds: StateBounds) -> StateShape:
    """The shape of the states that these cores stand for; attributes that the source never assigns are left out."""
    seen: dict[StateAttribute, list[Sketch]] = {}
    states = 0
    for core in cores:
        found = program.read_state(core, partial(_sketches, own=facts.own))
        for attribute in found.keys() - seen.keys():
            seen[attribute] = [_ABSENT] * states
        for attribute, values in seen.items():
            values.append(found.get(attribute, _ABSENT))
        states += 1
    free, kept, optional = [], [], set()
    for attribute, values in sorted(seen.items()):
        met = list(dict.fromkeys(values))
        named = {attribute.name}.union(*map(attribute_names, met))
        if len(met) == 1 and not named & facts.written:
            kept.append((attribute, "nothing writes it"))
            continue
        if _ABSENT in met:
            optional.add(attribute)
            met.remove(_ABSENT)
        literals = [sketch(value, {}) for name, value in facts.assigned if name == attribute.name]
        met += sorted((each for each in literals if each not in met), key=repr)
        shape = shape_of(met, bounds, facts.numbers)
        if isinstance(shape, FixedValue):
            kept.append((attribute, shape.why))
        elif isinstance(shape, TableShape) and not shape.most:
            kept.append((attribute, "it was empty in every state met"))
        else:
            free.append((attribute, shape))
    return StateShape(tuple(free), frozenset(optional), tuple(kept), states, bounds)


def _sketches(holders: Holders, own: frozenset[str]) -> dict[StateAttribute, Sketch]:
    return {
        StateAttribute(name, attribute): sketch(value, names)
        for name, holder in holders.items()
        for names in [global_names(holder)]
        for attribute, value in (attributes_of(holder) or {}).items()
        if attribute in own
    }


class StateRun(NamedTuple):
    """One run from a state: its effects, and the attributes that it used with their values before it, as texts."""

    handler_run: HandlerRun
    used: tuple[tuple[str, str], ...]


class AnyState:
    """Makes the states of a shape in a program."""

    def __init__(self, shape: StateShape) -> None:
        self.shape = shape
        self.declared = StateVariables()
        for attribute, each in shape.free:
            if attribute in shape.optional:
                self.declared.add_choice(f"{attribute} is there", 2, 1)
            self.declared.add_shape(each, str(attribute))

    def run(
        self, values: ValueSource, attempt: Callable[[Callable[[Holders], None]], HandlerRun], lazy: bool = True
    ) -> StateRun:
        """Run a handler by `attempt` in the state with these values; attributes are made when they are first used.

        If not `lazy`, all are made before: the handler then sees objects of their own classes.
        """
        used: dict[str, str] = {}
        with ExitStack() as stack:

            def change(holders: Holders) -> None:
                for name, holder in holders.items():
                    pending = self._pending(name, holder, values, used)
                    if pending and lazy:
                        stack.enter_context(lazy_attributes(holder, pending))
                    elif pending:
                        for make in pending.values():
                            make()

            done = attempt(change)
        return StateRun(done, tuple(sorted(used.items())))

    def _pending(
        self, name: str, holder: Any, values: ValueSource, used: dict[str, str]
    ) -> dict[str, Callable[[], None]]:
        names = global_names(holder)
        before = attributes_of(holder) or {}  # read now: later it would make all that is pending

        def make(attribute: StateAttribute, shape: ValueShape) -> None:
            if attribute in self.shape.optional and not values.choice(f"{attribute} is there", 2):
                used[str(attribute)] = "(not set)"
                if attribute.name in before:
                    object.__delattr__(holder, attribute.name)
                return
            made = make_value(shape, str(attribute), values, names, before.get(attribute.name))
            used[str(attribute)] = value_words(made)
            object.__setattr__(holder, attribute.name, made)

        return {
            attribute.name: partial(make, attribute, shape)
            for attribute, shape in self.shape.free
            if attribute.holder == name
        }


def value_words(value: Any) -> str:
    """A value of a state as text, without terms."""
    plain = concrete(value)
    if isinstance(plain, dict):
        return f"{{{', '.join(f'{value_words(key)}: {value_words(each)}' for key, each in plain.items())}}}"
    if type(plain) is tuple or not isinstance(plain, list | tuple | set | frozenset):
        attributes = getattr(plain, "__dict__", None)
        if attributes and type(plain).__repr__ is object.__repr__:
            inside = ", ".join(f"{name}={value_words(each)}" for name, each in attributes.items())
            return f"{type(plain).__name__}({inside})"
    return repr(plain)


@dataclass(frozen=True)
class StateAnswer:
    """The paths from any state for one skeleton; the output of each class is a StateRun."""

    question: HandlerQuestion
    exploration: Exploration

    @property
    def gaps(self) -> tuple[str, ...]:
        """Why paths may be missing."""
        return tuple(f"{self.question.skeleton.stack.name}: {reason}" for reason in self.exploration.reasons)


class StateExplorer:
    """Explores the handlers of a program from any state of a shape. The core of a question gives the rest of it."""

    def __init__(
        self,
        program: RewrittenProgram,
        opened: OpenState,
        shape: StateShape,
        options: ConcolicOptions,
        on_run: Callable[[HandlerQuestion, PathRun], None] | None = None,
    ) -> None:
        self.program, self.opened, self.options, self._on_run = program, opened, options, on_run
        self.states = AnyState(shape)

    def explore(self, question: HandlerQuestion) -> StateAnswer:
        """Return the paths that some state and some packet of the skeleton take."""
        program, skeleton, declared = self.program, question.skeleton, self.states.declared
        own = {str(file) for file in program.own_files}
        ignores = BranchFilter(own.__contains__, program.library, program.quiet)
        content, fixed = symbolic_content(question), frozenset(skeleton.fixed)
        names = [field.name for field, _ in skeleton.symbolic]

        def run(execution: Execution) -> StateRun:
            check_limits()
            execution.ignores, execution.fixed = ignores, fixed
            packet = {**skeleton.preferred, **{name: execution.model[name] for name in names}}
            message, symbolic = message_with(question, packet), content(packet)

            def attempt(change: Callable[[Holders], None]) -> HandlerRun:
                with interruptible("a handler"):
                    return self.opened.run_changed(question.core, message, change, symbolic)

            return self.states.run(SymbolicValues(execution, declared.variables), attempt)

        fields = [variable(field) for field, _ in skeleton.followed]
        found = explore(
            run,
            (*fields, *declared.variables.values()),
            (*constraints(skeleton), *declared.constraints),
            initial={**{field.name: domain.first for field, domain in skeleton.followed}, **declared.initial},
            options=self.options.exploration,
            on_event=None if self._on_run is None else partial(self._on_run, question),
            preferred=preferred_values(skeleton),
            before_query=check_limits,
        )
        return StateAnswer(question, found)


def run_in_state(
    program: OpenState, core: Any, states: AnyState, question: HandlerQuestion, path: PathClass
) -> StateRun:
    """Run a program, rewritten or not, from the state and on the packet of the example of a path."""
    message = message_with(question, packet_of(question, path))
    return states.run(PlainValues(path.witness), lambda change: program.run_changed(core, message, change), lazy=False)


def packet_of(question: HandlerQuestion, path: PathClass) -> dict[str, int]:
    """The fields of the packet of a path's example, without checksums that no condition mentions: they are computed."""
    mentioned = mentioned_in(path)
    return {
        field.name: path.witness[field.name]
        for field, _ in question.skeleton.symbolic
        if not field.computed or field.name in mentioned
    }


def mentioned_in(path: PathClass) -> frozenset[str]:
    """The variables that the condition of a path mentions."""
    return frozenset().union(*map(variables, path.condition))
