"""A system that begins in a state of another one, so that a search can start in the middle of a path.

Law: the paths of the rooted system are the ends of the paths that lead through the state, with the same findings.
"""

from dataclasses import dataclass, replace
from typing import Any

from sdnloom.engine.model import Channel, Content, Discipline, FaultKind, ListsContent, Message, System
from sdnloom.engine.semantics import Semantics, State


def rooted_system(system: System, state: State) -> System:
    """The system with this state as its initial one."""
    semantics = Semantics(system)
    return System(
        tuple(replace(each, initial=core) for each, core in zip(system.components, state.cores, strict=True)),
        tuple(_filled(each, content) for each, content in zip(system.channels, state.contents, strict=True)),
        tuple(replace(each, initial=semantics.memory(each, state)) for each in system.properties),
    )


def _filled(channel: Channel, content: Content) -> Channel:
    if content == channel.discipline.empty:
        return channel
    kind = _ListingFilled if isinstance(channel.discipline, ListsContent) else _Filled
    return replace(channel, discipline=kind(channel.discipline, content))


@dataclass(frozen=True)
class _Filled:
    """A discipline whose channels begin with some content."""

    inner: Discipline
    empty: Content

    @property
    def many_senders(self) -> bool:
        return self.inner.many_senders

    @property
    def push_keeps(self) -> bool:
        return self.inner.push_keeps

    def undisturbed(self, content: Any) -> frozenset[str] | None:
        return self.inner.undisturbed(content)

    def push(self, content: Any, message: Message) -> tuple[tuple[FaultKind, Content], ...]:
        return self.inner.push(content, message)

    def take(self, content: Any) -> tuple[tuple[FaultKind, Message, Content], ...]:
        return self.inner.take(content)


@dataclass(frozen=True)
class _ListingFilled(_Filled):
    def waiting(self, content: Any) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        assert isinstance(self.inner, ListsContent)
        return self.inner.waiting(content)
