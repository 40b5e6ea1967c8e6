"""The observed run as the transitions of a trace: the steps that were taken, with the events that were observed.

In a step that went as the trace says these are the model's. Of the step that differs they are made from what was
observed; what cannot be observed, such as that a packet was dropped, is left out.
"""

from collections.abc import Iterator

from sdnloom.confirm.outcome import Confirmation, ConfirmOutcome, ObservedStep, PartKind, StepDifference
from sdnloom.engine.model import Event
from sdnloom.engine.semantics import Finding, Transition
from sdnloom.network import events
from sdnloom.network.openflow import Error, PacketIn
from sdnloom.network.packet import decode
from sdnloom.report.confirm.observed_words import connection_of, sent_message

# What a part is given, and what it was given it for, whatever it makes of it.
_GIVEN = (events.Arrived, events.MessageHandled, events.MessageApplied, events.ExternalCalled, events.TimerFired)


def observed_transitions(confirmed: Confirmation) -> list[Transition]:
    """The steps of the trace that were taken, the one that differs among them."""
    different = confirmed.difference
    return [
        each.transition
        if different is None or each is not different.step
        else each.transition._replace(events=tuple(_observed_events(different)))
        for each in confirmed.steps
        if not each.startup
    ]


def observed_finding(confirmed: Confirmation) -> Finding | None:
    """What the observed run shows of the trace's property: nothing, unless all of it was observed."""
    return confirmed.finding if confirmed.outcome is ConfirmOutcome.CONFIRMED else None


def _observed_events(different: StepDifference) -> Iterator[Event]:
    step = different.step
    yield from (event for event in step.transition.events if isinstance(event, _GIVEN))
    yield from _sent_events(step)
    for raised in step.raised:
        program = different.name if different.part is PartKind.APP else ""
        yield events.HandlerRaised(program, "the app", raised.file, raised.line, raised.text)
    for answer in step.answers:
        yield events.CallAnswered(answer.name, answer.status, answer.body)


def _sent_events(step: ObservedStep) -> Iterator[Event]:
    for sent in step.sent:
        connection = connection_of(sent)
        if connection is None:
            if sent.port is not None:
                yield events.Forwarded(*sent.port, decode(sent.data))
            continue
        switch, from_controller = connection
        message = sent_message(sent)
        if from_controller and message is not None:
            yield events.MessageSent(switch, message)
        elif isinstance(message, PacketIn):
            yield events.ToController(switch, message.in_port, decode(message.data))
        elif isinstance(message, Error):
            yield events.MessageRefused(switch, message.type, message.code)
