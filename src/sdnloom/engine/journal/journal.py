"""The journal: everything that user code was asked in a search, in the order in which it was first asked.

A question is a kind and up to three numbers of a `Memo`. Values get their numbers in answers, so a process that asks
the same questions in the same order gives the same values the same numbers: that is how a checkpoint is resumed, and
no value is ever stored. The journal keeps a check of each answer, a digest of its numbers and of the values that
are new in it. A program that answers differently later is refused with the first such question.

Recording costs one append for each question. The checks are made when they are asked for: what an answer was is still
in the memo then.
"""

from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from sdnloom.engine.journal.value_texts import ValueTexts, digest_number
from sdnloom.engine.model import RestartRequired
from sdnloom.engine.stable_text import printable_text, stable_text
from sdnloom.errors import SdnloomError

if TYPE_CHECKING:
    from sdnloom.engine.memo import Interner, Memo

STEP, PUSH, TAKE, FOLD, RANK = range(5)
_WIDTH = 4  # numbers of a question: its kind and three more, 0 where there are fewer
_SHOWN = 120  # characters of a value in a message


class JournalError(SdnloomError):
    """A journal that is not one of this memo's system, and the first question that shows it."""


class AskedQuestion(NamedTuple):
    """STEP (action, core, message), PUSH (channel, content, message), TAKE (channel, content), FOLD (index, memory,
    events) or RANK (plan, number of the outcome).
    """

    kind: int
    one: int
    other: int
    third: int = 0


class Journal:
    """The questions that a memo answers from now on; the memo must be new. `checks` follow when they are made."""

    def __init__(self, memo: "Memo") -> None:
        self.memo = memo
        self.numbers = array("q")
        self.checks = array("Q")
        self._texts = ValueTexts()
        self._tables: dict[str, Interner[Any]] = {
            **{f"core of {each.name}": table for each, table in zip(memo.system.components, memo.cores, strict=True)},
            **{f"content of {each.name}": t for each, t in zip(memo.system.channels, memo.contents, strict=True)},
            "message": memo.messages,
            "tuple of events": memo.events,
            **{f"memory of {p.name}": t for p, t in zip(memo.semantics.with_memory, memo.memories, strict=True)},
            "memory of the strategy": memo.plans,
        }
        self._cut = False  # whether questions were forgotten whose answers the memo knows
        self._known = dict.fromkeys(self._tables, 0)  # so many values of each table are part of checks
        self._digested = 0  # so many questions are part of digests
        memo.journal = self
        self.start = digest_number("\n".join(self._fresh()))  # a check of the initial values

    def __len__(self) -> int:
        return len(self.numbers) // _WIDTH

    def __getitem__(self, position: int) -> AskedQuestion:
        return AskedQuestion(*self.numbers[_WIDTH * position : _WIDTH * (position + 1)])

    def asked(self, kind: int, one: int, other: int, third: int) -> None:
        """Note a question that the memo has answered for the first time."""
        self.numbers.extend((kind, one, other, third))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is asked inside, in a memo whose other questions number values that no recorded one has."""
        self.memo.journal = self
        try:
            yield
        finally:
            self.memo.journal = None

    def close(self, length: int | None = None) -> None:
        """Record nothing more; with a length, forget what came after so many questions."""
        self.memo.journal = None
        if length is not None:
            self._cut = True
            del self.numbers[_WIDTH * length :], self.checks[length:]

    def check_all(self, pause: Callable[[], None] = lambda: None) -> None:
        """Make the checks of all questions so far."""
        for position in range(len(self.checks), len(self)):
            if position % 1024 == 1023:
                pause()
            self.checks.append(self.check_of(self[position]))
        beside = [name for name, table in self._tables.items() if len(table) > self._known[name]]
        if beside and not self._cut:
            raise AssertionError(f"a {beside[0]} was numbered beside the journal; this is a defect of sdnloom")

    def digest(self) -> int:
        """One check of all questions since the last call, for a journal that makes no other checks."""
        lines: list[str] = []
        for position in range(self._digested, len(self)):
            texts, most = _answer(self.memo, self._texts, self[position], dict(self._known))
            lines += (*texts, *self._fresh(most))
        self._digested = len(self)
        return digest_number("\n".join(lines))

    def check_of(self, question: AskedQuestion) -> int:
        """The check of the answer to a question; the questions before it have theirs."""
        texts, most = _answer(self.memo, self._texts, question, self._known)
        return digest_number("\n".join((*texts, *self._fresh(most))))

    def _fresh(self, most: dict[str, int] | None = None) -> Iterator[str]:
        """The texts of values that are new: all, or up to these numbers."""
        for name, last in (
            {name: len(table) for name, table in self._tables.items()} if most is None else most
        ).items():
            values, first = self._tables[name].values, self._known[name]
            self._known[name] = last
            yield from (f"{name} {number} {self._texts.text(values[number])}" for number in range(first, last))


def _answer(
    memo: "Memo", texts: ValueTexts, question: AskedQuestion, known: dict[str, int]
) -> tuple[list[str], dict[str, int]]:
    """The answer to a question in numbers, and how many values are known after it of each table that has new ones."""
    most: dict[str, int] = {}

    def met(table: str, number: int) -> int:
        if number >= most.get(table, known[table]):
            most[table] = number + 1
        return number

    kind, one, other, third = question
    lines: list[str] = []
    channels = memo.system.channels
    if kind == STEP:
        owner = memo.system.components[memo.actions[one][0]].name
        for local in memo.step(one, other, third):
            batches = [memo.batches.values[each] for each in local.batches]
            for _, message in (*local.own, *(item for batch in batches for item in batch.items)):
                met("message", message)
            events = met("tuple of events", memo.events.number(local.outcome.events))
            outcome = local.outcome
            sent = [(channel, memo.messages.number(message)) for channel, message in outcome.sends]
            cells = texts.text((outcome.reads, outcome.writes))
            lines.append(f"{met(f'core of {owner}', local.core)} {sent} {events} {outcome.choice!r} {cells}")
    elif kind == PUSH:
        for after, fault in memo.push(one, other, third):
            events = met("tuple of events", memo.events.number((fault,))) if fault else 0
            lines.append(f"{met(f'content of {channels[one].name}', after)} {events}")
    elif kind == TAKE:
        for message, rest, fault in memo.take(one, other):
            events = met("tuple of events", memo.events.number((fault,))) if fault else 0
            lines.append(f"{met('message', message)} {met(f'content of {channels[one].name}', rest)} {events}")
    elif kind == FOLD:
        lines.append(str(met(f"memory of {memo.semantics.with_memory[one].name}", memo.fold(one, other, third))))
    else:
        ranks, after = memo.rank(one, other)
        lines.append(f"{ranks} {met('memory of the strategy', after)}")
    return lines, most


def replay_journal(
    journal: "RecordedJournal", memo: "Memo", progress: Callable[[int], None] = lambda done: None
) -> Journal:
    """Ask a new memo the questions of a journal; the journal with which it goes on.

    Afterwards the memo has the same numbers for the same values. Raises JournalError at the first answer that differs.
    """
    again = Journal(memo)
    if again.start != journal.start:
        raise JournalError("the program or the network begins differently now: the initial values are others")
    for position in range(len(journal)):
        question = journal[position]
        progress(position)
        _refuse_unknown(memo, question, position)
        try:
            ask(memo, question)
        except RestartRequired as required:
            reason = f"it asks for a new search now: {required}"
            raise JournalError(f"{_differs(memo, question, position, len(journal))}: {reason}") from required
        except SdnloomError as error:
            raise JournalError(f"{_differs(memo, question, position, len(journal))}: {error}") from error
        if len(again) != position + 1:
            raise JournalError(f"the journal is damaged: question {position + 1:,} was asked before")
        check = again.check_of(question)
        again.checks.append(check)
        if check != journal.checks[position]:
            raise JournalError(_differs(memo, question, position, len(journal)))
    return again


class RecordedJournal:
    """A journal that was read: the check of the initial values, the questions, and the checks of their answers."""

    def __init__(self, start: int, numbers: "array[int]", checks: "array[int]") -> None:
        if len(numbers) != _WIDTH * len(checks):
            raise JournalError(f"the journal has {len(numbers):,} numbers and {len(checks):,} checks; expected 4 for 1")
        self.start, self.numbers, self.checks = start, numbers, checks

    def __len__(self) -> int:
        return len(self.checks)

    def __getitem__(self, position: int) -> AskedQuestion:
        return AskedQuestion(*self.numbers[_WIDTH * position : _WIDTH * (position + 1)])


def ask(memo: "Memo", question: AskedQuestion) -> None:
    """Have a question answered, if it is not yet."""
    kind, one, other, third = question
    if kind == STEP:
        memo.step(one, other, third)
    elif kind == PUSH:
        memo.push(one, other, third)
    elif kind == TAKE:
        memo.take(one, other)
    elif kind == FOLD:
        memo.fold(one, other, third)
    else:
        memo.rank(one, other)


def _refuse_unknown(memo: "Memo", question: AskedQuestion, position: int) -> None:
    """Raise JournalError if a number stands for nothing: an answer before has given fewer values."""
    kind, one, other, third = question
    most: tuple[int, ...] = ()
    if kind == STEP and 0 <= one < len(memo.actions):
        takes = memo.actions[one][1].take is not None
        most = len(memo.actions), len(memo.cores[memo.actions[one][0]]), len(memo.messages) if takes else 1
        most = most if takes == (third > 0) else ()
    elif kind == PUSH and 0 <= one < len(memo.contents):
        most = len(memo.contents), len(memo.contents[one]), len(memo.messages) if third else 0
    elif kind == TAKE and 0 <= one < len(memo.contents):
        most = len(memo.contents), len(memo.contents[one]), 1
    elif kind == FOLD and 0 <= one < len(memo.memories):
        most = len(memo.memories), len(memo.memories[one]), len(memo.events)
    elif kind == RANK and memo.strategy is not None:
        most = len(memo.plans), len(memo.locals), 1
    if not most or not all(0 <= number < size for number, size in zip((one, other, third), most, strict=True)):
        raise JournalError(
            f"the journal is not one of this scenario: question {position + 1:,} is {tuple(question)}, which stands "
            "for nothing here"
        )


def _differs(memo: "Memo", question: AskedQuestion, position: int, count: int) -> str:
    where = printable_text(question_text(memo, question))
    return f"the program answers differently now: {where} (question {position + 1:,} of {count:,} in the journal)"


def question_text(memo: "Memo", question: AskedQuestion) -> str:
    """A question in words, with its values."""
    kind, one, other, third = question
    if kind == STEP:
        component, action = memo.actions[one]
        name = memo.system.components[component].name
        taken = f" on message {_short(memo.messages.values[third])}" if third else ""
        return f"component {name!r}, action {action.name!r}{taken}, core {_short(memo.cores[component].values[other])}"
    if kind in (PUSH, TAKE):
        content = _short(memo.contents[one].values[other])
        sent = f", message {_short(memo.messages.values[third])}" if kind == PUSH else ""
        return f"channel {memo.system.channels[one].name!r}, content {content}{sent}"
    if kind == FOLD:
        memory, events = memo.memories[one].values[other], memo.events.values[third]
        return f"property {memo.semantics.with_memory[one].name!r}, memory {_short(memory)}, events {_short(events)}"
    assert memo.strategy is not None
    step = memo.step_of(memo.locals[other])
    return f"strategy {memo.strategy.name}, asked about {step.action!r} of {step.component!r}"


def _short(value: Any) -> str:
    text = stable_text(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
