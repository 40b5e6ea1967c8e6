"""What differs between the frame of a trace and an observed one: header by header, or octet by octet."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields

from sdnloom.confirm.outcome import Contrast
from sdnloom.network.packet import Packet, decode
from sdnloom.network.text import field_words, plain_packet_words


def packet_contrasts(what: str, expected: bytes, observed: bytes) -> tuple[Contrast, ...]:
    """One contrast for each field that differs; b"" is a frame that is not there.

    Frames with other headers are told as packets. Law: there is none if and only if the frames are equal.
    """
    if expected == observed:
        return ()
    octets = Contrast(f"{what}: octets", expected.hex(), observed.hex())
    if not expected or not observed:
        return (Contrast(what, _frame_words(expected), _frame_words(observed)),)
    one, other = decode(expected), decode(observed)
    if [*map(type, one.headers)] == [*map(type, other.headers)]:
        return tuple(_differing_fields(what, one, other)) or (octets,)
    words = Contrast(what, _frame_words(expected), _frame_words(observed))
    return (words, octets) if words.expected == words.observed else (words,)


def _differing_fields(what: str, one: Packet, other: Packet) -> Iterator[Contrast]:
    seen: Counter[str] = Counter()
    for ours, theirs in zip(one.headers, other.headers, strict=True):
        kind = type(ours).__name__
        seen[kind] += 1
        label = kind if seen[kind] == 1 else f"{kind} {seen[kind]}"  # a packet may have two tags
        for field in fields(ours):
            if getattr(ours, field.name) != getattr(theirs, field.name):
                texts = field_words(ours, field.name), field_words(theirs, field.name)
                yield Contrast(f"{what}: {label} {field.name}", *texts)
    for name in ("payload", "trailer"):
        if getattr(one, name) != getattr(other, name):
            yield Contrast(f"{what}: {name}", getattr(one, name).hex(), getattr(other, name).hex())


def _frame_words(data: bytes) -> str:
    return plain_packet_words(decode(data)) if data else ""
