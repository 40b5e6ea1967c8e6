"""An inconsistency as a ready pytest file, which runs its witness through the Python API.

The witness is part of the file, as JSON in a literal that it cannot leave: names in it may come from a stranger.
"""

import textwrap
from typing import Final

from sdnloom.crosscheck.witness_file import SwitchWitness, witness_text

_WIDTH: Final = 110
_MOST_TEXT: Final = 1_000
_HEAD: Final = '''"""{condition}

{what}
Written by `sdnloom crosscheck`; run it with pytest.
"""

from sdnloom import crosscheck, difference_texts

WITNESS = crosscheck.parse_witness(r\'\'\'
{witness}\'\'\')


'''
_PAIR: Final = """FIRST = {first}
SECOND = {second}


def test_both_agents_do_the_same() -> None:
    first, second = (crosscheck.try_witness(WITNESS, agent) for agent in (FIRST, SECOND))
    assert first == second, " / ".join(difference_texts((first, second), WITNESS.test.version))
"""
_EXPECTED: Final = """AGENT = {agent}


def test_the_agent_does_what_is_expected() -> None:
    expected, found = WITNESS.outputs[0], crosscheck.try_witness(WITNESS, AGENT)
    assert found == expected, " / ".join(difference_texts((expected, found), WITNESS.test.version))
"""


def pair_test(witness: SwitchWitness, agents: tuple[str, str]) -> str:
    """A test that runs the witness on two agents and fails while they differ."""
    first, second = witness.agents
    body = _PAIR.format(first=ascii(agents[0]), second=ascii(agents[1]))
    return _head(witness, f"It fails while {first} and {second} differ.") + body


def expected_test(witness: SwitchWitness, agent: str) -> str:
    """A test that runs the witness on one agent and fails while it does not do what the first of the file did."""
    what = f"It fails while {agent} does not do what {witness.agents[0]} did when the witness was written."
    return _head(witness, what) + _EXPECTED.format(agent=ascii(agent))


def _head(witness: SwitchWitness, what: str) -> str:
    # JSON has no quote but ", and \\u0027 for it inside of texts means the same.
    literal = witness_text(witness).replace("'", "\\u0027")
    return _HEAD.format(condition=_words(witness.condition), what=_words(what), witness=literal)


def _words(text: str) -> str:
    """A text for a docstring: plain characters without quotes and backslashes."""
    plain = "".join(each if " " <= each <= "~" and each not in "\"'\\" else "?" for each in text[:_MOST_TEXT])
    return textwrap.fill(plain, _WIDTH) or "A difference."
