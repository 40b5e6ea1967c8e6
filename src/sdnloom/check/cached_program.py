"""A program whose reactions are remembered, so that several searches run its code once per distinct situation."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from sdnloom.network.network import NamedAnswer
from sdnloom.network.openflow import PortStatsReply
from sdnloom.network.program import Input, Program, Reaction

Answers = Callable[[Hashable, str, PortStatsReply], Sequence[NamedAnswer]]


class CachedProgram:
    """The program, with a memory of every reaction. Law: it reacts as the program does.

    `answers` says what ports may answer to it, if that is discovered.
    """

    def __init__(self, program: Program, answers: Answers | None = None) -> None:
        self.program, self.answers = program, answers
        self.runs = 0  # how often code of the program ran
        self._initial: list[Hashable] = []
        self._reactions: dict[tuple[Hashable, Input], Sequence[Reaction]] = {}
        self._firsts: dict[tuple[Hashable, Input], Reaction | None] = {}  # each search begins with the same few

    @property
    def name(self) -> str:
        """The program's name."""
        return self.program.name

    def initial(self) -> Hashable:
        """The program's first core, made once."""
        if not self._initial:
            self._initial.append(self.program.initial())
        return self._initial[0]

    def handle(self, core: Any, given: Input) -> Sequence[Reaction]:
        """What the program did about this input in this state, or does now."""
        key = core, given
        found = self._reactions.get(key)
        if found is None:
            self.runs += 1
            found = self._reactions[key] = self.program.handle(core, given)
        return found

    def first(self, core: Any, given: Input) -> Reaction | None:
        """The first of the reactions; a program may be able to give it without the others."""
        key = core, given
        if key not in self._firsts:
            asked: Callable[[Any, Input], Reaction | None] | None = getattr(self.program, "first", None)
            self._firsts[key] = next(iter(self.handle(core, given)), None) if asked is None else asked(core, given)
        return self._firsts[key]

    def __getattr__(self, name: str) -> Any:
        """What a platform offers beyond the contract, as it offers it."""
        return getattr(self.program, name)
