"""How channels store messages: Fifo, Bag, Lossy, Reorder, Ports, BarrierBag.

Each is a pure description of one kind of queue. Reductions rely on the laws `many_senders`, `push_keeps` and
`undisturbed`; `reduction/laws.py` checks them on the contents that a search meets.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sdnloom.engine.model import (
    DROP,
    DUPLICATE,
    NO_FAULT,
    Content,
    Discipline,
    FaultKind,
    Message,
    ModelError,
    overtake,
)
from sdnloom.engine.stable_text import stable_text


@dataclass(frozen=True)
class Fifo:
    """First in, first out. Content: the tuple of waiting messages."""

    empty: tuple[Message, ...] = ()
    many_senders: bool = False
    push_keeps: bool = True

    def undisturbed(self, content: tuple[Message, ...]) -> None:
        return None

    def push(self, content: tuple[Message, ...], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        return ((NO_FAULT, (*content, message)),)

    def take(self, content: tuple[Message, ...]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        return ((NO_FAULT, content[0], content[1:]),) if content else ()

    def waiting(self, content: tuple[Message, ...]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        return content[:1], content[1:]


@dataclass(frozen=True)
class Bag:
    """No order at all. Content: the frozenset of (message, count)."""

    empty: frozenset[tuple[Message, int]] = frozenset()
    many_senders: bool = True
    push_keeps: bool = True

    def undisturbed(self, content: frozenset[tuple[Message, int]]) -> frozenset[str]:
        return frozenset()

    def push(self, content: frozenset[tuple[Message, int]], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        return ((NO_FAULT, _add(content, message, 1)),)

    def take(self, content: frozenset[tuple[Message, int]]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        return tuple((NO_FAULT, message, _add(content, message, -1)) for message, _ in sorted(content, key=stable_text))

    def waiting(self, content: frozenset[tuple[Message, int]]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        messages = tuple(message for message, _ in sorted(content, key=stable_text))
        return messages, messages if sum(count for _, count in content) > 1 else ()


def _add(content: frozenset[tuple[Message, int]], message: Message, change: int) -> frozenset[tuple[Message, int]]:
    count = next((count for known, count in content if known == message), 0)
    rest = content - {(message, count)}
    return rest | {(message, count + change)} if count + change else rest


@dataclass(frozen=True)
class Lossy:
    """Another discipline that may drop or duplicate messages that are sent, at most so many times in all.

    Content: (inner content, drops left, duplicates left).
    """

    drop: int = 0
    duplicate: int = 0
    inner: Discipline = Fifo()

    def __post_init__(self) -> None:
        if isinstance(self.inner, Lossy):
            raise ModelError("Lossy inside Lossy: the faults of the two cannot be distinguished; add the budgets")

    @property
    def empty(self) -> Content:
        return (self.inner.empty, self.drop, self.duplicate)

    @property
    def many_senders(self) -> bool:
        # Senders share the budgets, so their pushes do not commute.
        return self.inner.many_senders and not (self.drop or self.duplicate)

    @property
    def push_keeps(self) -> bool:
        return self.inner.push_keeps

    def undisturbed(self, content: tuple[Any, int, int]) -> frozenset[str] | None:
        return self.inner.undisturbed(content[0])

    def push(self, content: tuple[Any, int, int], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        inner, drops, duplicates = content
        once = self.inner.push(inner, message)
        results: list[tuple[FaultKind, Content]] = [(fault, (after, drops, duplicates)) for fault, after in once]
        if drops:
            results.append((DROP, (inner, drops - 1, duplicates)))
        if duplicates:
            results += [
                (DUPLICATE + first + second, (after, drops, duplicates - 1))
                for first, between in once
                for second, after in self.inner.push(between, message)
            ]
        return tuple(results)

    def take(self, content: tuple[Any, int, int]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        inner, drops, duplicates = content
        return tuple((fault, message, (rest, drops, duplicates)) for fault, message, rest in self.inner.take(inner))


@dataclass(frozen=True)
class Reorder:
    """A queue in which a message may overtake those before it, at most `budget` times in all.

    Content: (waiting messages, overtakings left).
    """

    budget: int
    many_senders: bool = False
    push_keeps: bool = True

    @property
    def empty(self) -> Content:
        return ((), self.budget)

    def undisturbed(self, content: tuple[Any, int]) -> frozenset[str] | None:
        return frozenset() if content[1] else None

    def push(self, content: tuple[Any, int], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        queue, budget = content
        return ((NO_FAULT, ((*queue, message), budget)),)

    def take(self, content: tuple[Any, int]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        queue, budget = content
        results: list[tuple[FaultKind, Message, Content]] = []
        for position, message in enumerate(queue):
            rest = (queue[:position] + queue[position + 1 :], budget - (position > 0))
            # A message that overtakes an equal one changes nothing.
            if position == 0 or (budget and queue[position - 1] != message):
                results.append((overtake(position), message, rest))
        return tuple(results)

    def waiting(self, content: tuple[Any, int]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        queue, budget = content
        return (queue, queue if len(queue) > 1 else ()) if budget else (queue[:1], queue[1:])


@dataclass(frozen=True)
class Ports:
    """One queue per port, and the heads of all of them are received at once (NICE's process_pkt).

    A message sent is (port, payload); a message received is the tuple of (port, payload) heads in port order.
    Content: the tuple of (port, waiting payloads) of non-empty queues, in port order. Law: senders use different ports.
    `senders` says which component sends to which port, so that a reduction knows that a push behind a waiting packet
    does not change the next reception.
    """

    senders: tuple[tuple[str, Any], ...] = ()
    empty: tuple[tuple[Any, tuple[Message, ...]], ...] = ()
    many_senders: bool = True
    push_keeps: bool = False  # a push to an idle port joins the next reception

    def undisturbed(self, content: tuple[Any, ...]) -> frozenset[str]:
        busy = {port for port, _ in content}
        names = {name for name, _ in self.senders}
        return frozenset(names - {name for name, port in self.senders if port not in busy})

    def push(self, content: tuple[Any, ...], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        if not isinstance(message, tuple) or len(message) != 2:
            raise ModelError(f"a message on a Ports channel must be (port, payload), got {message!r}")
        port, payload = message
        queues = dict(content)
        queues[port] = (*queues.get(port, ()), payload)
        return ((NO_FAULT, tuple(sorted(queues.items(), key=lambda item: item[0]))),)

    def take(self, content: tuple[Any, ...]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        if not content:
            return ()
        heads = tuple((port, queue[0]) for port, queue in content)
        return ((NO_FAULT, heads, tuple((port, queue[1:]) for port, queue in content if len(queue) > 1)),)

    def waiting(self, content: tuple[Any, ...]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        heads = tuple((port, queue[0]) for port, queue in content)
        return heads, tuple((port, one) for port, queue in content for one in queue[1:])


@dataclass(frozen=True)
class BarrierBag:
    """A bag with barriers: a barrier is received after all messages sent before it and before all sent after it.

    For control channels that reorder messages between barriers. Content: a tuple of segments, each a bag (frozenset) or
    a one-element tuple that holds a barrier.
    """

    is_barrier: Callable[[Any], bool]
    empty: tuple[Any, ...] = ()
    many_senders: bool = False
    push_keeps: bool = True

    def undisturbed(self, content: tuple[Any, ...]) -> frozenset[str] | None:
        # A push behind a barrier leaves the first segment as it is.
        return None if any(isinstance(segment, tuple) for segment in content) else frozenset()

    def push(self, content: tuple[Any, ...], message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        if self.is_barrier(message):
            return ((NO_FAULT, (*content, (message,))),)
        if content and isinstance(content[-1], frozenset):
            return ((NO_FAULT, (*content[:-1], _add(content[-1], message, 1))),)
        return ((NO_FAULT, (*content, frozenset({(message, 1)}))),)

    def take(self, content: tuple[Any, ...]) -> tuple[tuple[FaultKind, Message, Content], ...]:
        if not content:
            return ()
        first, later = content[0], content[1:]
        if isinstance(first, tuple):
            return ((NO_FAULT, first[0], later),)
        return tuple((fault, message, (rest, *later) if rest else later) for fault, message, rest in Bag().take(first))


def message_parts(message: Message, waiting: Sequence[Message]) -> tuple[Message, ...]:
    """The sent messages that a received message consists of: Ports delivers several at once."""
    if message not in waiting and isinstance(message, tuple) and message and all(part in waiting for part in message):
        return message
    return (message,)
