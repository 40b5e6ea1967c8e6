"""Looks for differing inputs that no known cause covers, so that causes with a common pair of outputs are all found.

One pair of groups may have several causes, and one witness shows one of them. Pairs with the same differences are asked
together for an input outside of the conditions found so far, until there is none. Law: if the search is not cut, every
differing input of the pairs satisfies the condition of a cause that was found, or of an input that causes explain.
"""

from collections.abc import Mapping
from typing import Final

from sdnloom.crosscheck.overlap.intersection import CaseComparer
from sdnloom.crosscheck.root_causes.difference import Difference
from sdnloom.crosscheck.root_causes.find import CauseFinder
from sdnloom.crosscheck.root_causes.trial import Trial
from sdnloom.symbolic.terms.constructors import all_, any_, not_

_MOST_INPUTS: Final = 64  # for pairs with the same differences
_MOST_REPEATS: Final = 6  # inputs of a known cause with other values: its condition is no set of values of each field


def cover_pairs(
    comparer: CaseComparer, trial: Trial, finder: CauseFinder, numbers: Mapping[tuple[int, int], int]
) -> None:
    """Add the causes of inputs that those found so far do not cover; `numbers` are those of the inconsistencies."""
    together: dict[frozenset[Difference], list[tuple[int, int]]] = {}
    for pair, known in comparer.found.pairs.items():
        together.setdefault(frozenset(trial.differences(known.values)), []).append(pair)
    for wanted, pairs in together.items():
        somewhere = any_(*map(comparer.pair_condition, pairs))
        seen, repeats = set(wanted), 0
        for _ in range(_MOST_INPUTS):
            regions = [each.focus.region(trial.case) for each in finder.found if each.difference in seen]
            values = comparer.ask(all_(somewhere, *map(not_, regions)))
            different = None if values is None else comparer.look_up(values)
            if different is None or different.pair not in numbers:
                break
            before = len(finder.found), len(seen)
            keys = {each.key() for each in finder.found}
            finder.add([(different.values, numbers[different.pair])])
            seen.update(trial.differences(different.values))
            repeats += {each.key() for each in finder.found} == keys
            if before == (len(finder.found), len(seen)) or repeats > _MOST_REPEATS:
                break
