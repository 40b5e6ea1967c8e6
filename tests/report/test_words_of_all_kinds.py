"""Every kind of message, action, instruction, header and event prints without Python, and is read back from a trace."""

import inspect
import re
from dataclasses import MISSING, dataclass, fields
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import pytest

from sdnloom.engine.path import QuotedMessage
from sdnloom.engine.stable_text import stable_text
from sdnloom.network import events
from sdnloom.network.openflow import Match, actions, messages, stats
from sdnloom.network.packet import Ethernet, Packet, headers, stack
from sdnloom.network.topology import SwitchPort
from sdnloom.network.value import Value
from sdnloom.report.describe import event_words, words
from sdnloom.report.quoted_value import unquoted_message

BASES = {"OpenFlowMessage", "StatsRequest", "StatsReply", "OpenFlowAction", "Instruction", "Header", "Value"}
KINDS = sorted(
    {
        kind
        for module in (messages, stats, actions, headers)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Value) and kind.__name__ not in BASES
    },
    key=lambda kind: kind.__name__,
)
EVENTS = sorted(get_args(events.NetworkEvent), key=lambda kind: kind.__name__)
CALL = re.compile(r"\b[A-Z]\w*\(|\b(?:mac|ip)\('|Match\.of|<.* object")


def sample(hint: Any, name: str = "") -> Any:
    """Some value of a type, not its default."""
    if get_origin(hint) is not None and hasattr(hint, "__metadata__"):
        return sample(get_args(hint)[0], name)
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        return tuple(sample(each) for each in inner if each is not Ellipsis)
    choices = [each for each in get_args(hint) if each is not type(None)]
    if choices:
        return sample(choices[0], name)
    known = {
        int: 3,
        str: "some text",
        bytes: b"\x01\x02",
        Match: Match.of(in_port=1, eth_src=1),
        Packet: stack(Ethernet(2, 1)),
        SwitchPort: SwitchPort("s1", 2),
        actions.OpenFlowAction: actions.DecNwTtl(),
        actions.Instruction: actions.Meter(7),
        messages.OpenFlowMessage: messages.BarrierRequest(),
        headers.Header: Ethernet(2, 1),
    }
    return known[hint] if hint in known else made(hint)


def made(kind: Any) -> Any:
    """A value of a kind in which every field has some value."""
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{each.name: sample(hints[each.name], each.name) for each in fields(kind)})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_kind_prints_as_python(kind: Any) -> None:
    for value in (made(kind), least(kind)):
        if isinstance(value, actions.OpenFlowAction):
            value = messages.PacketOut(actions=(value,))
        elif isinstance(value, actions.Instruction):
            value = messages.FlowMod(instructions=(value,))
        elif isinstance(value, headers.Header):
            value = Packet((value,))
        assert not CALL.search(words(value)), words(value)


def least(kind: Any) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{each.name: sample(hints[each.name]) for each in fields(kind) if each.default is MISSING})


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_no_event_prints_as_python(kind: Any) -> None:
    text = event_words(made(kind))
    assert text is None or not CALL.search(text), text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_value_is_read_back_from_its_text(kind: Any) -> None:
    for value in (made(kind), (3, made(kind))):
        assert unquoted_message(QuotedMessage(stable_text(value))) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd')",
        "PacketOut(actions=[].append(1))",
        "PacketOut(**{})",
        "Nobody(x=1)",
        "PacketOut(nothing=1)",
        "Match.of(eth_src='x')",
        "mac('nonsense')",
        "1 +",
        "(" * 5000,
        "lambda: 1",
    ],
)
def test_other_text_stays_text(text: str) -> None:
    quoted = QuotedMessage(text)
    assert unquoted_message(quoted) is quoted


class Hello(NamedTuple):
    """A message that a user wrote."""

    number: int
    packet: Packet


@dataclass(frozen=True)
class Order:
    """Another."""

    item: str
    inner: Hello


def test_messages_that_users_wrote_are_their_kind_and_fields() -> None:
    hello = Hello(3, stack(Ethernet(2, 1)))
    assert words(hello) == "Hello number=3 packet=(00:00:00:00:00:01 > 00:00:00:00:00:02)"
    assert words(Order("tea", hello)).startswith("Order item=tea inner=(Hello number=3 packet=")
    assert words((1, "x", None)) == "(1, x, None)"
