"""A kernel memo that asks user code nothing itself: it collects the questions, which are answered in one order for all.

What compiled code derives (queues, places, moves, receptions, masks, classes) each process fills and numbers for
itself. What user code is asked is agreed: every process puts the same questions to its own memo in the same order, so
cores, messages, events, memories and contents of channels that are no plain queue have the same numbers everywhere.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdnloom.engine.journal.journal import FOLD, PUSH, RANK, STEP, TAKE, AskedQuestion, Journal, ask
from sdnloom.engine.kernel import jit_memo
from sdnloom.engine.kernel.layout import Array
from sdnloom.engine.kernel.memo import KernelMemo
from sdnloom.engine.memo import Interner, Memo
from sdnloom.engine.reduction.reduction import Reduction

_MESSAGES, _CORES = 1 << jit_memo.MESSAGE_BITS, 1 << jit_memo.CORE_BITS
_NUMBERS = 4  # of a question
NO_QUESTIONS: Array = np.zeros((0, _NUMBERS), np.int64)


class AgreedAnswers:
    """The agreed questions so far and their answers in one process."""

    def __init__(self, tables: Memo) -> None:
        self.tables = tables
        self._journal = Journal(tables)
        tables.journal = None

    def __len__(self) -> int:
        return len(self._journal)

    def ask(self, questions: Array) -> None:
        """Put questions to user code, in this order."""
        with self._journal.recording():
            for numbers in questions.tolist():
                ask(self.tables, AskedQuestion(*numbers))

    def check(self) -> int:
        """A check of all answers since the last one: equal in processes that gave the same values the same numbers."""
        return self._journal.digest()

    def sizes(self) -> list[int]:
        """How many values there are of each kind that has agreed numbers only."""
        tables = self.tables
        known: list[Interner[Any]] = [*tables.cores, *tables.memories, tables.messages, tables.events, tables.plans]
        return [*(len(each) for each in known), len(tables.locals)]

    def questions(self) -> Array:
        """All questions so far."""
        return np.array(self._journal.numbers, np.int64).reshape(-1, _NUMBERS)


class QuestionMemo(KernelMemo):
    """A kernel memo that leaves missing what user code has to say, until that is known; see `questions`."""

    def __init__(self, tables: Memo, reduction: Reduction | None) -> None:
        self._open: list[tuple[int, int]] = []  # misses that wait, as (kind, key)
        self._judged = [0] * len(tables.semantics.with_memory)  # so many memories of each property
        super().__init__(tables, reduction)

    @property
    def waits(self) -> bool:
        """Whether something stays missing until questions are answered."""
        return bool(self._open)

    def questions(self) -> Array:
        """What has to be answered now, in the order in which it was met."""
        asked = [self._question(*miss) for miss in self._open]
        return np.array(asked, np.int64).reshape(-1, _NUMBERS) if asked else NO_QUESTIONS

    def take_answers(self) -> None:
        """Fill what has waited and can be filled now."""
        misses: list[Sequence[int]] = [*self._open]
        self._open = []
        self._fill_misses(misses)
        self._flush()
        self._grow()

    def judge_memories(self) -> None:
        """Find out in which memories a property reports something, also in those that other processes met first."""
        for index, known in enumerate(self.tables.memories):
            for number in range(self._judged[index], len(known)):
                self._memory(index, number)
            self._judged[index] = len(known)

    def _fill_misses(self, misses: list[Sequence[int]]) -> None:
        known: list[Sequence[int]] = []
        for kind, key in misses:
            if kind == jit_memo.MISS_MASK or self.tables.knows(*self._question(kind, key)):
                known.append((kind, key))
            else:
                self._open.append((kind, key))
        misses.clear()
        super()._fill_misses(known)

    def _question(self, kind: int, key: int) -> tuple[int, int, int, int]:
        """The question that a miss needs the answer to."""
        if kind == jit_memo.MISS_STEP:
            rest, message = divmod(key - 1, _MESSAGES)
            return (STEP, *divmod(rest, _CORES), message)
        if kind == jit_memo.MISS_TAKE:
            return (TAKE, *self._numbers[key], 0)
        if kind == jit_memo.MISS_PUSH:
            content, message = divmod(key - 1, _MESSAGES)
            return (PUSH, *self._numbers[content], message)
        first, second = divmod(key - 1, 1 << 32)
        if kind == jit_memo.MISS_FOLD:
            events, index = divmod(first, len(self.with_memory))
            return (FOLD, index, second, events)
        return (RANK, first, self._locals[second].number, 0)
