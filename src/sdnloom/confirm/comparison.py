"""Compares what a trace says with what was observed: OpenFlow messages field by field, frames byte by byte.

Transaction ids and cookies are compared by their role and not by their value: real controllers number messages as they
like. Buffer ids are equal, because the buffers are supplied (`supplied_parts.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from sdnloom.confirm.openvswitch.normal_entries import normal_entries
from sdnloom.confirm.outcome import Contrast
from sdnloom.confirm.packet_contrasts import packet_contrasts
from sdnloom.confirm.real_parts import ObservedException
from sdnloom.network.events import HandlerRaised
from sdnloom.network.openflow import (
    DecodeError,
    FlowMod,
    FlowRemoved,
    FlowStats,
    FlowStatsReply,
    OpaqueMessage,
    OpenFlowMessage,
    PacketIn,
    PacketOut,
    StatsReply,
    decode,
)
from sdnloom.network.text import field_words, fields_words, message_words

_HEADER = 8
_ADDRESS = re.compile(r" at 0x[0-9a-f]+\b")  # as in "<learning.PySwitch object at 0x7f2b4c0d1e50>"
_MOST_COOKIES = 0xFFFF_FFFF_FFFF_FFFF


def observed_message(data: bytes, version: int) -> OpenFlowMessage:
    """The message of these bytes; one that cannot be decoded is opaque."""
    try:
        return decode(data, version)
    except DecodeError:
        return OpaqueMessage(data[1] if len(data) > 1 else 0, data[_HEADER:], xid=transaction_id(data))


def transaction_id(data: bytes) -> int:
    """The transaction id in the header of a message."""
    return int.from_bytes(data[4:_HEADER], "big")


class NumberRoles:
    """Which number of the real system stands for which number of the model: transaction ids and cookies.

    An answer has the transaction id of its question, and only in questions does the model number messages; a number
    that it gives again stands for a new question. Two cookies are equal in the model if and only if they are equal in
    the real system.
    """

    def __init__(self) -> None:
        self._transactions: dict[tuple[str, int], int] = {}
        self._cookies: dict[int, int] = {}
        self._models: dict[int, int] = {}  # the model's cookie for a real one

    def copy(self) -> "NumberRoles":
        """The same roles, for an attempt that may fail."""
        copied = NumberRoles()
        copied._transactions, copied._cookies = dict(self._transactions), dict(self._cookies)
        copied._models = dict(self._models)
        return copied

    def asked(self, switch: str, expected: OpenFlowMessage, observed: OpenFlowMessage) -> None:
        """Note the transaction id of a message to a switch."""
        if expected.xid:
            self._transactions[switch, expected.xid] = observed.xid

    def is_answer(self, switch: str, expected: OpenFlowMessage, observed: OpenFlowMessage) -> bool:
        """Whether a message of a switch has the transaction id that the trace says, in the numbers of the real one."""
        return not expected.xid or self._transactions.get((switch, expected.xid), observed.xid) == observed.xid

    def same_cookie(self, expected: int, observed: int) -> bool:
        """Whether two cookies may stand for each other; if neither stands for another one yet, they do from now on."""
        known, model = self._cookies.get(expected), self._models.get(observed)
        if known is None and model is None:
            if expected != observed and (0 in (expected, observed) or _MOST_COOKIES in (expected, observed)):
                return False  # these two have a meaning of their own
            self._cookies[expected], self._models[observed] = observed, expected
            return True
        return known == observed and model == expected


def message_contrasts(
    what: str, switch: str, expected: OpenFlowMessage, observed: OpenFlowMessage, roles: NumberRoles, answer: bool
) -> tuple[Contrast, ...]:
    """What differs between two messages; `answer` is whether a switch sent them."""
    if type(expected) is not type(observed):
        return (Contrast(what, message_words(expected), message_words(observed)),)
    label = f"{what}: {type(expected).__name__}"
    found = list(_differing_fields(label, expected, observed, roles))
    if answer and not roles.is_answer(switch, expected, observed):
        found.append(Contrast(f"{label}, transaction id", "that of the request", f"{observed.xid:#x}"))
    return tuple(found)


def _differing_fields(
    label: str, expected: OpenFlowMessage, observed: OpenFlowMessage, roles: NumberRoles
) -> Iterator[Contrast]:
    for field in fields(expected):
        name = field.name
        one, other = getattr(expected, name), getattr(observed, name)
        if name == "xid" or (one == other and name != "flows"):  # equal entries show which cookies are the same
            continue
        if name == "cookie" and isinstance(expected, FlowMod | FlowRemoved | PacketIn):
            if not roles.same_cookie(one, other):
                yield Contrast(f"{label}, cookie", f"{one:#x}", f"{other:#x}")
        elif name == "data" and isinstance(expected, PacketIn | PacketOut):
            yield from packet_contrasts(f"{label}, data", one, other)
        elif isinstance(expected, FlowStatsReply) and name == "flows":
            for pair in entry_differences(one, other, roles):
                yield Contrast(f"{label}, entry", *pair)
        elif not isinstance(expected, StatsReply) or not isinstance(one, tuple) or _other_rows(one, other):
            texts = field_words(expected, name), field_words(observed, name)
            yield Contrast(f"{label}, {name}", *(texts if texts[0] != texts[1] else (str(one), str(other))))


def _other_rows(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether rows of statistics differ in more than their order."""
    return sorted(map(str, one)) != sorted(map(str, other))


def entry_differences(
    expected: Sequence[FlowStats], observed: Sequence[FlowStats], roles: NumberRoles
) -> list[tuple[str, str]]:
    """The entries that only one side has, as pairs of text with "none" on the other side, or with another content."""
    ours, theirs = ({_entry_key(each): each for each in normal_entries(side)} for side in (expected, observed))
    found = []
    for key in sorted({*ours, *theirs}):
        one, other = ours.get(key), theirs.get(key)
        same = one is not None and other is not None and replace(one, cookie=0) == replace(other, cookie=0)
        if not same or one is None or other is None or not roles.same_cookie(one.cookie, other.cookie):
            found.append((_entry_words(one), _entry_words(other)))
    return found


def _entry_key(entry: FlowStats) -> tuple[int, int, str]:
    return entry.table_id, entry.priority, str(entry.match)


def _entry_words(entry: FlowStats | None) -> str:
    return "none" if entry is None else fields_words(entry)


def is_same_exception(expected: HandlerRaised, observed: ObservedException) -> bool:
    """Whether an exception of the log is that of the model: its text, and the line of the program's own code.

    Addresses of objects do not count.
    """
    text = expected.text.rpartition(" (")[0] if expected.text.endswith("python2.md)") else expected.text
    lines = {(file.rpartition("/")[2], line) for file, line in (*observed.lines, (observed.file, observed.line))}
    same = _ADDRESS.sub("", text) == _ADDRESS.sub("", observed.text)
    return same and (expected.file, expected.line) in lines
