"""The comparison of tests/actors/test_random_programs.py on more and larger programs.

`python -m tests.actors.compare_random FIRST LAST [MOST_STATES] [PROFILE ...]` compares every level, with symmetry and
without, for each seed from FIRST up to LAST, and prints what differs; the exit code is 1 if something does.
"""

import sys
from collections import Counter

from tests.actors.comparison import LEVELS, differences, searched
from tests.actors.exhaustive import TooManyStatesError, explored
from tests.actors.random_programs import PROFILES, random_program


def main(first: int, last: int, most_states: int = 200, *profiles: str) -> int:
    """Compare, print, and return the exit code."""
    counts: Counter[str] = Counter()
    for seed in range(first, last):
        for profile in profiles or PROFILES:
            try:
                facts = explored(random_program(seed, profile), most_states)
            except TooManyStatesError:
                counts["too large"] += 1
                continue
            counts["programs"] += 1
            counts["states"] += facts.states
            for level in LEVELS:
                for symmetry in (False, True):
                    found = searched(random_program(seed, profile), level, symmetry)
                    counts[f"states at level {level}" + " with symmetry" * symmetry] += found.states
                    lost = differences(facts, found)
                    if lost:
                        counts["different"] += 1
                        sys.stderr.write(f"{profile} {seed}, {level}, symmetry {symmetry}: {'; '.join(lost)}\n")
    for name, count in counts.items():
        sys.stdout.write(f"{name}: {count:,}\n")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:4]), *sys.argv[4:]))
