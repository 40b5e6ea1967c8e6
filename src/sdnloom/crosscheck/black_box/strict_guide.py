"""The classes of the agent `strict`, which suggest inputs for a black box where no other agent was explored."""

from collections.abc import Callable
from typing import Final

from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.exploration import ExploreOptions, ExploreProgress, explore_agent
from sdnloom.crosscheck.partition import Partition
from sdnloom.crosscheck.switch_test import SwitchTest

_PATHS: Final = 1_000  # a few classes are enough to choose from, and the choice must not depend on the time it takes


def strict_partition(
    test: SwitchTest, seconds: float | None = None, on_event: Callable[[ExploreProgress], None] | None = None
) -> Partition:
    """Return the first classes of `strict` in a test."""
    return explore_agent(load_agent("strict"), test, ExploreOptions(seconds=seconds, paths=_PATHS), on_event)
