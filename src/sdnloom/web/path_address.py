"""Paths as short texts for an address: four characters for each step, a hash of its name and values.

A text is read step by step against the steps that are enabled, so it fits only where its steps can be taken. A step
whose hash another enabled step has, too, is followed by its number among them: `~2~`.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from sdnloom.engine.path import describe
from sdnloom.engine.semantics import Semantics, Transition
from sdnloom.errors import SdnloomError

_LETTERS = "0123456789abcdefghijklmnopqrstuv"
_STEP = re.compile(r"([0-9a-v]{4})(?:~(\d{1,6})~)?")
MOST_ADDRESS_STEPS = 10_000


class PathAddressError(SdnloomError):
    """A text that is no path."""


class StepToken(NamedTuple):
    """A step in an address: its hash, and its number among the enabled steps of the same hash, from 1."""

    letters: str
    number: int = 1

    def __str__(self) -> str:
        return self.letters if self.number == 1 else f"{self.letters}~{self.number}~"


class FollowedPath(NamedTuple):
    """The transitions of an address as far as they can be taken, and how many steps it has."""

    transitions: tuple[Transition, ...]
    wanted: int


def step_letters(transition: Transition) -> str:
    """The hash of a step, the same in every process."""
    digest = hashlib.blake2b(describe(transition.step).encode("utf-8", "surrogatepass"), digest_size=4).digest()
    number = int.from_bytes(digest, "big")
    return "".join(_LETTERS[number >> shift & 31] for shift in (0, 5, 10, 15))


def token_of(transition: Transition, enabled: Sequence[Transition]) -> StepToken:
    """The token of a step that is one of the enabled ones."""
    letters = step_letters(transition)
    alike = [each for each in enabled if step_letters(each) == letters]
    place = next((n for n, each in enumerate(alike, 1) if each.step == transition.step), 1)
    return StepToken(letters, place)


def read_tokens(text: str) -> tuple[StepToken, ...]:
    """The tokens of an address. Raises PathAddressError for another text."""
    found: list[StepToken] = []
    place = 0
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None or len(found) == MOST_ADDRESS_STEPS:
            raise PathAddressError(
                f"the path of the address goes wrong at character {place + 1}; expected at most "
                f"{MOST_ADDRESS_STEPS:,} steps of four letters or digits each"
            )
        found.append(StepToken(match[1], int(match[2] or 1)))
        place = match.end()
    return tuple(found)


def follow_tokens(semantics: Semantics, tokens: Sequence[StepToken]) -> FollowedPath:
    """Take the steps of an address, as far as they can be taken."""
    state, taken = semantics.initial(), list[Transition]()
    for letters, number in tokens:
        alike = [each for each in semantics.transitions(state) if step_letters(each) == letters]
        if not 1 <= number <= len(alike):
            break
        taken.append(alike[number - 1])
        state = taken[-1].state
    return FollowedPath(tuple(taken), len(tokens))
