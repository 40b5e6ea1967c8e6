"""A cache of a program's reactions, so that several searches run its code once per distinct situation."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from sdnloom.engine.model import Restart
from sdnloom.network.network import NamedAnswer
from sdnloom.network.openflow import StatsReply
from sdnloom.network.program import FirstReaction, Input, Program, Reaction, WrappedProgram, capability, keep_order

Answers = Callable[[Hashable, str, StatsReply], Sequence[NamedAnswer]]


class CachedProgram(WrappedProgram):
    """A program with a cache of its reactions. Law: it reacts as the program does.

    `answers` gives the statistics that replies may carry, if they are discovered.
    """

    def __init__(self, program: Program, answers: Answers | None = None) -> None:
        super().__init__(program)
        self._answers = answers
        self._quick = capability(program, FirstReaction)
        self.runs = 0  # how often code of the program ran
        self._initial: list[Hashable] = []
        self._reactions: dict[tuple[Hashable, Input], Sequence[Reaction]] = {}
        self._firsts: dict[tuple[Hashable, Input], Reaction | None] = {}  # every search starts with the same few

    def initial(self) -> Hashable:
        """The program's first core, made once."""
        if not self._initial:
            self._initial.append(self.wrapped.initial())
        return self._initial[0]

    def handle(self, core: Any, given: Input) -> Sequence[Reaction] | Restart:
        """The program's reactions; its code runs at the first call for this state and input."""
        key = core, given
        found = self._reactions.get(key)
        if found is None:
            self.runs += 1
            answer = self.wrapped.handle(core, given)
            if isinstance(answer, Restart):
                self._forget()
                return answer
            found = self._reactions[key] = answer
        return found

    def first(self, core: Any, given: Input) -> Reaction | Restart | None:
        """The first of the reactions, without the others where the program can."""
        key = core, given
        if key not in self._firsts:
            if self._quick is not None:
                reaction = self._quick.first(core, given)
            else:
                reactions = self.handle(core, given)
                reaction = reactions if isinstance(reactions, Restart) else next(iter(reactions), None)
            if isinstance(reaction, Restart):
                self._forget()
                return reaction
            self._firsts[key] = reaction
        return self._firsts[key]

    def answers(self, core: Hashable, switch: str, reply: StatsReply) -> Sequence[NamedAnswer] | None:
        """The statistics that a reply may carry in this state; None if they are not discovered."""
        return None if self._answers is None else self._answers(core, switch, reply)

    def keep_order(self) -> None:
        """Make insertion order part of the cores; cached reactions have other cores."""
        self._forget()
        keep_order(self.wrapped)

    def _forget(self) -> None:
        self._initial.clear()
        self._reactions.clear()
        self._firsts.clear()
