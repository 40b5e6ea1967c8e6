"""Which of the violations that were found are known, which are new, and which known ones are gone.

A violation is recognised by what was checked, its property and its message without what an edit elsewhere changes:
line numbers, folders of files and addresses of objects.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

_PLACES = (
    (re.compile(r"(\.py)(?::\d+|, line \d+)"), r"\1"),  # a line of a file
    (re.compile(r"(?<![\w.])(?:[A-Za-z]:)?(?:\.{0,2}[\\/])?(?:[\w.@+-]+[\\/])+(?=[\w.-]+\.py\b)"), ""),  # its folder
    (re.compile(r" at 0x[0-9a-fA-F]{4,}"), ""),  # an object of Python
)


class FoundViolation(NamedTuple):
    """A violation, race or difference that was found."""

    property: str
    message: str


@dataclass(frozen=True, order=True)
class KnownViolation:
    """An accepted violation: `subject` is what was checked, as the baseline names it. `note` is for people."""

    subject: str
    property: str
    message: str  # as `lasting_message` gives it
    note: str = ""

    def key(self) -> tuple[str, str, str]:
        """What it is recognised by."""
        return self.subject, self.property, self.message


def lasting_message(message: str) -> str:
    """A message without what changes when other lines of the program do."""
    for pattern, instead in _PLACES:
        message = pattern.sub(instead, message)
    return " ".join(message.encode("utf-8", "replace").decode().split())


@dataclass(frozen=True)
class Judgement:
    """What a baseline says about the violations of one subject.

    `complete` says whether no limit ended the search.
    """

    subject: str
    new: tuple[FoundViolation, ...]
    known: tuple[FoundViolation, ...]
    gone: tuple[KnownViolation, ...]
    complete: bool = True

    @property
    def accepted(self) -> bool:
        """Whether something was found and all of it is known."""
        return bool(self.known) and not self.new

    def entries(self) -> list[KnownViolation]:
        """What was found, as entries of a baseline; violations that differ in lines only are one."""
        return sorted({_entry(self.subject, each) for each in (*self.new, *self.known)})


def _entry(subject: str, found: FoundViolation) -> KnownViolation:
    return KnownViolation(subject, found.property, lasting_message(found.message))


def judge(
    subject: str,
    found: Iterable[FoundViolation],
    known: Iterable[KnownViolation],
    complete: bool = True,
    first: bool = False,
) -> Judgement:
    """Compare the violations that were found in a subject with the entries of a baseline, in the order of both.

    What is not found is gone only if it was looked for: not if a limit ended the search, nor if it ended at the `first`
    violation.
    """
    own = {each.key(): each for each in known if each.subject == subject}
    new: list[FoundViolation] = []
    old: list[FoundViolation] = []
    met = set()
    for each in found:
        key = _entry(subject, each).key()
        met.add(key)
        (old if key in own else new).append(each)
    looked = complete and not (first and met)
    gone = tuple(entry for key, entry in own.items() if key not in met) if looked else ()
    return Judgement(subject, tuple(new), tuple(old), gone, complete)


def updated(known: Iterable[KnownViolation], judgements: Iterable[Judgement]) -> list[KnownViolation]:
    """The entries of a baseline after a run, sorted: what was found, and what was not looked for completely.

    Notes of entries that stay are kept, and so is everything about subjects that did not run.
    """
    before = {each.key(): each for each in known}
    after = dict(before)
    for each in judgements:
        for entry in each.gone:
            after.pop(entry.key(), None)
        for entry in each.entries():
            after.setdefault(entry.key(), entry)
    return sorted(after.values())
