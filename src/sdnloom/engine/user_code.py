"""Guarded calls of user code: steps, pushes, takes, folds. An error names the component, action and value."""

import inspect
import traceback
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from sdnloom.engine.model import (
    ALL,
    Action,
    Channel,
    Component,
    Content,
    Event,
    FaultKind,
    Message,
    ModelError,
    Observer,
    Outcome,
    Property,
    Restart,
    RestartRequired,
    Step,
    Strategy,
    keep_core,
)
from sdnloom.engine.stop_points import call_interruptibly, interruptible
from sdnloom.errors import SdnloomError, did_you_mean

MOST_RANK = (1 << 31) - 1
_MOST_EVENT = 200  # characters of an event in a message


def evaluate(component: Component, action: Action, core: Any, message: Any, checked: bool) -> tuple[Outcome, ...]:
    """The outcomes of one step, with canonical cores; raises RestartRequired if the step returns a Restart.

    With `checked` the step runs twice and must agree with itself.
    """
    outcomes = _run(component, action, core, message)
    if checked:
        before = hash(core)
        again = _run(component, action, core, message)
        if again != outcomes or hash(core) != before:
            raise ModelError(
                f"{_where(component, action, core, message)}: the step is impure: "
                f"two evaluations gave {outcomes!r} and {again!r}"
            )
    return outcomes


def _run(component: Component, action: Action, core: Any, message: Any) -> tuple[Outcome, ...]:
    try:
        before = hash(core)
        with interruptible(_under_way(component, action)):
            results = action.step(core, message)
        outcomes = _checked_outcomes(component, action, core, before, results)
    except Exception as error:
        if isinstance(error, SdnloomError) and not isinstance(error, ModelError):
            raise  # its message is already written for users
        raise _named(component, action, core, message, error) from error
    _check_choices(component, action, core, message, outcomes)
    return outcomes


class StepCall:
    """The evaluation of one action, prepared for many calls.

    Law: it returns what `evaluate` returns and raises what that raises, except for cores and messages that are not
    hashable: the caller finds that out when it numbers them, and calls `refuse_unhashable`.
    """

    def __init__(self, component: Component, action: Action) -> None:
        self._component, self._action = component, action
        self._step, self._text = action.step, _under_way(component, action)
        self._canonical = None if component.canonical is keep_core else component.canonical
        self._reads = None if action.reads == ALL else action.reads  # None: everything
        self._writes = None if action.writes == ALL else action.writes

    def outcomes(self, core: Any, before: int, message: Any) -> tuple[Outcome, ...]:
        """The outcomes, with canonical cores; `before` is the hash of the core."""
        component, action = self._component, self._action
        try:
            results = call_interruptibly(self._text, self._step, core, message)
            outcomes = self._plain(results)
            if outcomes is None or hash(core) != before:
                outcomes = _checked_outcomes(component, action, core, before, results)
        except Exception as error:
            if isinstance(error, SdnloomError) and not isinstance(error, ModelError):
                raise  # its message is already written for users
            raise _named(component, action, core, message, error) from error
        if len(outcomes) > 1:
            _check_choices(component, action, core, message, outcomes)
        return outcomes

    def _plain(self, results: Any) -> tuple[Outcome, ...] | None:
        """The outcomes if they are fine, None if something may be wrong with them."""
        if type(results) is not list and type(results) is not tuple:
            return None
        declared, reads, writes = self._action.sends, self._reads, self._writes
        try:
            for outcome in results:
                if type(outcome) is not Outcome:
                    return None
                for channel, _ in outcome.sends:
                    if channel not in declared:
                        return None
                if outcome.events:
                    hash(outcome.events)
                if reads is not None and outcome.reads is not None and not outcome.reads <= reads:
                    return None
                if writes is not None and outcome.writes is not None and not outcome.writes <= writes:
                    return None
            if self._canonical is not None:
                return tuple([_with_core(each, self._canonical(each.core)) for each in results])
        except Exception:
            return None  # the checks one by one name what it is
        return tuple(results)


def refuse_unhashable(
    component: Component, action: Action, core: Any, message: Any, outcomes: Iterable[Outcome]
) -> None:
    """Raise ModelError if the core or a message of an outcome is not hashable."""
    try:
        for outcome in outcomes:
            _hashable("core", outcome.core)
            for _, sent in outcome.sends:
                _hashable("message", sent)
    except ModelError as error:
        raise _named(component, action, core, message, error) from error


def _under_way(component: Component, action: Action) -> str:
    return f"{action.name!r} of {component.name!r}"


def _named(component: Component, action: Action, core: Any, message: Any, error: Exception) -> ModelError:
    """An error of a step, with the step."""
    where = _where(component, action, core, message)
    if isinstance(error, ModelError):
        return ModelError(f"{where}: {error}")
    return ModelError(f"{where}: the step raised {type(error).__name__}: {error}")


def _checked_outcomes(
    component: Component, action: Action, core: Any, before: int, results: Any
) -> tuple[Outcome, ...]:
    """The outcomes that a step returned; raises RestartRequired for a Restart."""
    if isinstance(results, Restart):
        raise RestartRequired(results)
    if results is None or isinstance(results, Outcome) or not isinstance(results, Sequence):
        raise ModelError(f"expected a sequence of outcomes, got {results!r}")
    outcomes = tuple(_checked_outcome(component, action, outcome) for outcome in results)
    if hash(core) != before:
        raise ModelError("the step changed the core it was given; cores are immutable")
    return outcomes


def _check_choices(component: Component, action: Action, core: Any, message: Any, outcomes: Sequence[Outcome]) -> None:
    choices = [outcome.choice for outcome in outcomes]
    if len(set(choices)) < len(choices):
        raise ModelError(
            f"{_where(component, action, core, message)}: outcomes share a choice label: {sorted(choices)}; "
            "expected a distinct one for each"
        )


def _checked_outcome(component: Component, action: Action, outcome: Any) -> Outcome:
    if not isinstance(outcome, Outcome):
        raise ModelError(f"expected an Outcome, got {outcome!r}")
    core = component.canonical(outcome.core)
    _hashable("core", core)
    for channel, message in outcome.sends:
        if channel not in action.sends:
            raise ModelError(
                f"sent {message!r} on {channel!r}, which it does not declare; declared: {sorted(action.sends)}"
            )
        _hashable("message", message)
    for event in outcome.events:
        _hashable("event", event)
    for kind, actual, declared in (
        ("read", outcome.reads, action.reads),
        ("wrote", outcome.writes, action.writes),
    ):
        if actual is not None and declared != ALL and not actual <= declared:
            raise ModelError(
                f"{kind} the cells {_listed(actual - declared)} outside its declaration {_listed(declared)}"
            )
    return _with_core(outcome, core)


def _with_core(outcome: Outcome, core: Any) -> Outcome:
    if core is outcome.core:
        return outcome
    return Outcome(core, outcome.sends, outcome.events, outcome.reads, outcome.writes, outcome.choice)


def initial_core(component: Component) -> Hashable:
    """The canonical initial core."""
    try:
        core = component.canonical(component.initial)
        _hashable("initial core", core)
    except Exception as error:
        raise ModelError(f"component {component.name!r}, initial core {_short(component.initial)}: {error}") from error
    return core


def initial_memory(prop: Property) -> Hashable:
    """The property's memory before any event."""
    try:
        _hashable("initial memory", prop.initial)
    except ModelError as error:
        raise ModelError(f"property {prop.name!r}: {error}") from error
    return prop.initial


def take_message(channel: Channel, content: Any) -> tuple[tuple[FaultKind, Message, Content], ...]:
    """The alternatives of receiving; an error names the channel and the content."""
    try:
        results = channel.discipline.take(content)
        _fault_kinds(fault for fault, _, _ in results)
        if len({(fault, message) for fault, message, _ in results}) < len(results):
            raise ModelError(f"alternatives share fault and message: {results!r}; expected distinct ones")
        hash(results)
    except Exception as error:
        raise ModelError(f"channel {channel.name!r}, content {_short(content)}: {error}") from error
    return results


def push_message(channel: Channel, content: Any, message: Message) -> tuple[tuple[FaultKind, Content], ...]:
    """The alternatives of sending; an error names the channel and the message."""
    try:
        results = channel.discipline.push(content, message)
        if not results:
            raise ModelError("a push must leave at least one content")
        _fault_kinds(fault for fault, _ in results)
        for _, after in results:
            _hashable("content", after)
        if len({fault for fault, _ in results}) < len(results):
            raise ModelError(f"alternatives share a fault: {[fault for fault, _ in results]}; expected distinct ones")
    except Exception as error:
        raise ModelError(f"channel {channel.name!r}, message {_short(message)}: {error}") from error
    return results


def _fault_kinds(found: Iterable[Any]) -> None:
    for kind in found:
        if not isinstance(kind, FaultKind):
            raise ModelError(f"the discipline gave {kind!r} as the fault of a message; expected a FaultKind")


def fold_event(prop: Property, memory: Any, event: Event) -> Hashable:
    """The property's memory after an event."""
    try:
        after = prop.fold(memory, event)
        if after is not memory:
            _hashable("memory", after)
    except Exception as error:
        shown = repr(event)
        shown = shown if len(shown) <= _MOST_EVENT else f"{shown[:_MOST_EVENT]}..."
        raise ModelError(f"{_raised(prop, prop.fold, error)} (on the event {shown})") from error
    return after


def violated(prop: Property, memory: Any, columns: dict[str, Any]) -> str | None:
    """The property's message for this memory and these columns."""
    try:
        message = prop.violated(memory, columns)
    except Exception as error:
        raise ModelError(_raised(prop, prop.violated, error)) from error
    if message is not None and not isinstance(message, str):
        raise ModelError(f"property {prop.name!r} returned {message!r}; expected a message or None")
    return message


def _raised(prop: Property, function: Any, error: Exception) -> str:
    """What a function of a property raised, with the line of its file; a wrong attribute with the one that is meant."""
    file = getattr(getattr(inspect.unwrap(function), "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"{Path(file).name}:{lines[-1]}: " if file and lines else ""
    meant = ""
    if isinstance(error, AttributeError) and error.name and error.obj is not None:
        fields = getattr(error.obj, "_fields", None)
        known = [name for name in dir(error.obj) if not name.startswith("_")]
        meant = did_you_mean(error.name, known) if fields is None else f"; it has {', '.join(map(str, fields))}"
    return f"{place}property {prop.name!r} raised {type(error).__name__}: {error}{meant}"


def observe(observer: Observer, columns: dict[str, Any]) -> None:
    """Call an observer; an error names it."""
    try:
        observer.observe(columns)
    except Exception as error:
        raise ModelError(f"observer {observer.name!r} raised {type(error).__name__}: {error}") from error


def rank(strategy: Strategy, memory: Any, step: Step, outcome: Outcome) -> int | None:
    """The rank that a single strategy gives a step."""
    try:
        found = strategy.rank(memory, step, outcome)
    except Exception as error:
        raise ModelError(f"{_ranking(strategy, step)} raised {type(error).__name__}: {error}") from error
    if found is not None and not (isinstance(found, int) and 0 <= found <= MOST_RANK):
        raise ModelError(
            f"{_ranking(strategy, step)} gave {found!r}; expected a whole number from 0 to {MOST_RANK}, or None"
        )
    return found


def after(strategy: Strategy, memory: Any, step: Step, outcome: Outcome) -> Hashable:
    """The strategy's memory after a step."""
    try:
        following = strategy.after(memory, step, outcome)
        _hashable("memory", following)
    except Exception as error:
        raise ModelError(f"{_ranking(strategy, step)} raised {type(error).__name__}: {error}") from error
    return following


def _ranking(strategy: Strategy, step: Step) -> str:
    return f"strategy {strategy.name}, asked about {step.action!r} of {step.component!r},"


def _hashable(what: str, value: Any) -> None:
    try:
        hash(value)
    except TypeError as error:
        raise ModelError(f"the {what} {value!r} is not hashable ({error}); expected an immutable value") from error


def _listed(cells: frozenset[Any]) -> str:
    return "{" + ", ".join(sorted(map(repr, cells))) + "}"


def _where(component: Component, action: Action, core: Any, message: Any) -> str:
    taken = f" on message {_short(message)}" if action.take is not None else ""
    return f"component {component.name!r}, action {action.name!r}{taken}, core {_short(core)}"


def _short(value: Any, limit: int = 300) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."
