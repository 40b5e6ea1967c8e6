"""What a real part did in a step, in words: messages and frames that it sent, exceptions, answers to calls."""

from pathlib import Path

from sdnloom.confirm.outcome import ObservedStep, SentBytes
from sdnloom.confirm.real_parts import ObservedAnswer, ObservedException
from sdnloom.network.events import CallAnswered
from sdnloom.network.openflow import DecodeError, OpenFlowMessage
from sdnloom.network.openflow import decode as decode_message
from sdnloom.network.packet import decode
from sdnloom.report.describe import NO_NAMES, Names, counted, event_words, packet_words, words
from sdnloom.report.step_words import StepMemory, StepWords, step_words
from sdnloom.report.steps import words_lines
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle

_UP, _OF = ".up", ".of"  # ends of names of channels: from a switch to the controller, and back


def connection_of(sent: SentBytes) -> tuple[str, bool] | None:
    """The switch of a message's connection, and whether the controller sent it; None for a frame."""
    if sent.channel.endswith(_UP):
        return sent.channel.removesuffix(_UP), False
    return (sent.channel.removesuffix(_OF), True) if sent.channel.endswith(_OF) else None


def sent_message(sent: SentBytes) -> OpenFlowMessage | None:
    """The OpenFlow message that the bytes are; None if they are none that can be read."""
    try:
        return decode_message(sent.data)
    except DecodeError:
        return None


def sent_words(sent: SentBytes, names: Names = NO_NAMES) -> str:
    """A message or a frame that a part sent."""
    connection = connection_of(sent)
    if connection is None:
        text = packet_words(decode(sent.data), names)
        return text if sent.port is None else f"out {sent.port.port}: {text}"
    switch, from_controller = connection
    message = sent_message(sent)
    text = f"{counted(len(sent.data), 'octet')} that are no message" if message is None else words(message, names)
    return f"{switch}: {text}" if from_controller else f"to the controller: {text}"


def raised_words(raised: ObservedException) -> str:
    """An exception that the app did not catch."""
    return f"raised {raised.text} ({Path(raised.file).name}:{raised.line})"


def answer_words(answer: ObservedAnswer) -> str:
    """The answer to a call."""
    return event_words(CallAnswered(answer.name, answer.status, answer.body)) or ""


def observed_words(step: ObservedStep, names: Names = NO_NAMES) -> tuple[str, ...]:
    """Everything that was observed in a step."""
    return (
        *(sent_words(each, names) for each in step.sent),
        *map(raised_words, step.raised),
        *map(answer_words, step.answers),
    )


class LiveSteps:
    """Lines for each step as it is taken: when, who did what, and what was observed instead of what the model says.

    Hosts and links are the model's, so their steps have the words of the model.
    """

    def __init__(self, names: Names, style: TextStyle = PLAIN_STYLE) -> None:
        self._names, self._style = names, style
        self._memories = {startup: None if style.long else StepMemory() for startup in (True, False)}

    def lines(self, step: ObservedStep) -> list[str]:
        """The lines of the next step."""
        found = step_words(step.transition, self._names, self._memories[step.startup])
        label = f"start-up {step.number}" if step.startup else f"{step.number}"
        return words_lines(f"{step.seconds:7.2f} s  {label:>11}  ", self._observed(step, found), self._style)

    def _observed(self, step: ObservedStep, found: StepWords) -> StepWords:
        if found.kind not in ("controller", "switch"):
            return found
        return found._replace(effects=observed_words(step, self._names) or ("sends nothing",))
