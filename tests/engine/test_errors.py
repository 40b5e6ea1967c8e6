"""A breach of the contract is an error that names component, action and value."""

from dataclasses import dataclass

import pytest

from sdnloom.engine.disciplines import Fifo, Lossy, Ports
from sdnloom.engine.model import ALL, NO_FAULT, Action, Channel, Component, ModelError, Needs, Outcome, Property, System
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, reachable
from sdnloom.errors import SdnloomError


def fine(core, message):
    return []


def only(step, *, take=None, sends=(), initial=0, channels=(), properties=(), canonical=None, **knobs):
    """A system whose component A has the one action `go`."""
    more = {} if canonical is None else {"canonical": canonical}
    component = Component("A", initial, (Action("go", step, take, frozenset(sends), **knobs),), **more)
    return System((component,), tuple(channels), tuple(properties))


def once(outcome):
    return lambda core, message: [outcome] if core == 0 else []


class Box:
    """A mutable value that hashes by its content."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Box) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"Box({self.value})"


def mutating(core, message):
    core.value += 1
    return [Outcome(core)]


def raising(core, message):
    raise KeyError("no such port")


def recursing(core, message):
    return recursing(core, message)


TO_SELF = (Channel("in", "A", Fifo()),)

STEPS = {
    "an unhashable core": (only(once(Outcome([1]))), r"the core \[1\] is not hashable"),
    "a mutable core": (only(mutating, initial=Box(0)), "the step changed the core it was given"),
    "a step that raises": (only(raising), "the step raised KeyError: 'no such port'"),
    "a step without end": (only(recursing), "the step raised RecursionError"),
    "a message on an undeclared channel": (
        only(once(Outcome(1, (("out", "x"),)))),
        r"sent 'x' on 'out', which it does not declare; declared: \[\]",
    ),
    "an unhashable message": (
        only(once(Outcome(1, (("in", [7]),))), sends={"in"}, channels=TO_SELF),
        r"the message \[7\] is not hashable",
    ),
    "an unhashable event": (only(once(Outcome(1, (), ({},)))), r"the event \{\} is not hashable"),
    "no sequence": (only(lambda core, message: None), "expected a sequence of outcomes, got None"),
    "a bare outcome": (only(lambda core, message: Outcome(1)), "expected a sequence of outcomes, got Outcome"),
    "a generator": (only(lambda core, message: (o for o in ())), "expected a sequence of outcomes"),
    "no outcome": (only(once(7)), "expected an Outcome, got 7"),
    "sends that are no pairs": (only(once(Outcome(1, ("word",)))), "the step raised ValueError: too many values"),
    "outcomes that share a choice": (
        only(lambda core, message: [Outcome(1), Outcome(2)]),
        r"outcomes share a choice label: \['', ''\]",
    ),
    "reading outside the declaration": (
        only(once(Outcome(1, reads=frozenset({"x", "y"}))), reads=frozenset({"x"})),
        r"read the cells \{'y'\} outside its declaration \{'x'\}",
    ),
    "writing outside the declaration": (
        only(once(Outcome(1, writes=frozenset({"y"}))), writes=frozenset()),
        r"wrote the cells \{'y'\} outside its declaration \{\}",
    ),
}


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("what", STEPS)
def test_a_step_that_breaks_the_contract_is_named(what, reduce):
    system, message = STEPS[what]
    with pytest.raises(ModelError, match=f"^component 'A', action 'go', core .*: .*({message})"):
        search(system, SearchOptions(engine="loop", reduce=reduce))


@pytest.mark.parametrize("what", STEPS)
def test_the_slow_semantics_names_it_too(what):
    system, message = STEPS[what]
    with pytest.raises(ModelError, match=message):
        reachable(Semantics(system))


def test_the_message_that_a_step_fails_on_is_named():
    def send(core, _):
        return [Outcome(1, (("in", ("hello", 1)),))] if core == 0 else []

    component = Component("A", 0, (Action("send", send, None, frozenset({"in"})), Action("take", raising, "in")))
    with pytest.raises(
        ModelError, match=r"component 'A', action 'take' on message \('hello', 1\), core 1: the step raised"
    ):
        search(System((component,), TO_SELF), SearchOptions(engine="loop"))


def test_a_huge_core_is_shortened_in_the_message():
    with pytest.raises(ModelError) as caught:
        search(only(raising, initial=tuple(range(10_000))), SearchOptions(engine="loop"))
    assert len(str(caught.value)) < 600


def test_an_initial_core_that_is_not_hashable_is_named():
    with pytest.raises(ModelError, match=r"component 'A'.*\[1, 2\].*not hashable"):
        search(only(fine, initial=[1, 2]), SearchOptions(engine="loop"))


def test_a_canonical_form_that_fails_is_named():
    for canonical in (lambda core: 1 // 0, lambda core: [core]):
        with pytest.raises(ModelError, match=r"component 'A'"):
            search(only(fine, canonical=canonical), SearchOptions(engine="loop"))


def test_an_initial_memory_that_is_not_hashable_is_named():
    prop = Property("p", Needs.EVENT, lambda memory, _: None, fold=lambda memory, event: memory, initial=[])
    with pytest.raises(ModelError, match=r"property 'p'.*not hashable"):
        search(only(fine, properties=(prop,)), SearchOptions(engine="loop"))


PROPERTIES = {
    "a predicate that raises": (
        Property("p", Needs.STATE, lambda memory, columns: columns["B"]),
        "property 'p' raised KeyError: 'B'",
    ),
    "a predicate that says no text": (
        Property("p", Needs.STATE, lambda memory, columns: True),
        "property 'p' returned True; expected a message or None",
    ),
    "a fold that raises": (
        Property("p", Needs.EVENT, lambda memory, columns: None, fold=lambda memory, event: memory[event]),
        r"test_errors.py:\d+: property 'p' raised TypeError: .* \(on the event 'tick'\)",
    ),
    "a fold to something unhashable": (
        Property("p", Needs.EVENT, lambda memory, columns: None, fold=lambda memory, event: [event]),
        r"property 'p'.*the memory \['tick'\] is not hashable",
    ),
}


@pytest.mark.parametrize("what", PROPERTIES)
def test_a_property_that_breaks_the_contract_is_named(what):
    prop, message = PROPERTIES[what]
    with pytest.raises(ModelError, match=message):
        search(only(once(Outcome(1, (), ("tick",))), properties=(prop,)), SearchOptions(engine="loop"))


# Channels.


@dataclass(frozen=True)
class Broken(Fifo):
    """A queue that fails in a chosen way."""

    way: str = ""

    def push(self, content, message):
        if self.way == "nothing":
            return ()
        if self.way == "unhashable":
            return ((NO_FAULT, [message]),)
        if self.way == "text":
            return (("drop", content),)
        return super().push(content, message)

    def take(self, content):
        if self.way == "take" and content:
            raise ValueError("cannot take")
        return super().take(content)


@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize(
    ("discipline", "messages", "error"),
    [
        (Broken(way="nothing"), ["x"], "channel 'in', message 'x': a push must leave at least one content"),
        (Broken(way="unhashable"), ["x"], r"channel 'in', message 'x': the content \['x'\] is not hashable"),
        (Broken(way="text"), ["x"], "channel 'in', message 'x': the discipline gave 'drop' .*; expected a FaultKind"),
        (Broken(way="take"), ["x"], r"channel 'in'.*cannot take"),
        (Ports(), ["x"], r"channel 'in', message 'x': .*\(port, payload\)"),
        (Ports(), [(1, "x"), ("one", "x")], r"channel 'in', message \('one', 'x'\): "),
        (Lossy(1, 1, Ports()), [(1, "x"), ("one", "x")], r"channel 'in', message \('one', 'x'\): "),
    ],
)
def test_a_channel_that_fails_is_named_with_the_message(discipline, messages, error, reduce):
    def send(core, _):
        return [Outcome(core + 1, (("in", messages[core]),))] if core < len(messages) else []

    components = (
        Component("A", 0, (Action("send", send, None, frozenset({"in"})),)),
        Component("B", 0, (Action("take", lambda core, _: [], "in"),)),
    )
    with pytest.raises(ModelError, match=error):
        search(System(components, (Channel("in", "B", discipline),)), SearchOptions(engine="loop", reduce=reduce))


def test_lossy_in_lossy_is_refused():
    with pytest.raises(ModelError, match="Lossy inside Lossy"):
        Lossy(1, 0, Lossy(1))


# Checked mode.


def test_an_impure_step_is_found_and_named():
    calls = []

    def step(core, message):
        calls.append(core)
        return [Outcome(len(calls))] if core == 0 else []

    with pytest.raises(
        ModelError, match=r"component 'A', action 'go', core 0: the step is impure: two evaluations gave"
    ):
        search(only(step), SearchOptions(engine="loop", checked=True))
    calls.clear()
    search(only(step), SearchOptions(engine="loop"))  # without checks nobody looks


# Systems that do not fit together.

SEND = Action("go", fine, sends=frozenset({"in"}))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: System((Component("A", 0, ()), Component("A", 0, ()))), "column name 'A' is used twice"),
        (lambda: System((Component("A", 0, ()),), (Channel("A", "A", Fifo()),)), "column name 'A' is used twice"),
        (lambda: System((Component("", 0, ()),)), "column name '': expected a non-empty string"),
        (lambda: System((Component(7, 0, ()),)), "column name 7: expected a non-empty string"),
        (
            lambda: System((Component("A", 0, ()),), (Channel("in", "B", Fifo()),)),
            r"channel 'in' leads to 'B'; expected one of the components \['A'\]",
        ),
        (
            lambda: System((Component("A", 0, (Action("go", fine, "in"),)),)),
            "action 'go' of component 'A' takes from 'in', which is no channel to 'A'",
        ),
        (
            lambda: System(
                (Component("A", 0, (Action("go", fine, "in"),)), Component("B", 0, ())), (Channel("in", "B", Fifo()),)
            ),
            "action 'go' of component 'A' takes from 'in', which is no channel to 'A'",
        ),
        (
            lambda: System((Component("A", 0, (SEND,)),)),
            "action 'go' of component 'A' declares that it sends on 'in', which is no channel",
        ),
        (
            lambda: System((Component("A", 0, (Action("go", fine), Action("go", fine))),)),
            "action of component 'A' name 'go' is used twice",
        ),
        (
            lambda: only(fine, properties=(Property("p", Needs.STATE, fine, columns=("B",)),)),
            "property 'p' reads the column 'B', no component or channel",
        ),
        (
            lambda: only(fine, properties=(Property("p", "event", fine),)),
            "property 'p' needs 'event'; expected one of Needs.EVENT, Needs.ORDER",
        ),
        (
            lambda: only(fine, properties=(Property("p", Needs.EVENT, fine, columns=("A",)),)),
            r"property 'p' needs event and reads columns \['A'\]",
        ),
        (
            lambda: only(fine, properties=(Property("p", Needs.ORDER, fine, frozenset({("A", "stop")})),)),
            r"property 'p' watches \('A', 'stop'\), which is no \(component, action\)",
        ),
        (
            lambda: only(fine, properties=(Property("p", Needs.STATE, fine), Property("p", Needs.STATE, fine))),
            "property name 'p' is used twice",
        ),
    ],
)
def test_a_system_that_does_not_fit_together_is_refused(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_errors_of_the_model_are_errors_of_the_user():
    assert issubclass(ModelError, SdnloomError)


def test_all_cells_overlap_with_any_however_it_is_written():
    from sdnloom.engine.reduction.place_classes import meet

    for all_of_them in (ALL, ALL | {"x"}):
        assert meet(all_of_them, frozenset({"y"}))
        assert meet(frozenset({"y"}), all_of_them)
        assert not meet(all_of_them, frozenset())
    assert not meet(frozenset({"x"}), frozenset({"y"}))


def test_an_error_that_is_meant_for_the_user_passes_as_it_is() -> None:
    def refusing(core, message):
        raise SdnloomError("no sockets")

    with pytest.raises(SdnloomError) as caught:
        search(only(refusing), SearchOptions())
    assert (type(caught.value), str(caught.value)) == (SdnloomError, "no sockets")
