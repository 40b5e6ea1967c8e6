"""The source of the compact agents: with their own code for concrete runs, with rewritten code for exploration."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from sdnloom.crosscheck.agent import Agent, AgentError
from sdnloom.crosscheck.agents.compact import agent_names
from sdnloom.crosscheck.agents.compact.openflow13.numbers import VERSION13
from sdnloom.crosscheck.agents.compact.wire import VERSION10
from sdnloom.symbolic.rewrite.imports import RewrittenModules

_PACKAGE = __name__.rpartition(".")[0]


class CompactSource:
    """Makes agents of one name."""

    versions = frozenset((VERSION10, VERSION13))
    black_box = False

    def __init__(self, name: str) -> None:
        agent_names.behaviours_of(name)  # a wrong name is refused here
        self.name = name

    @contextmanager
    def open(self, version: int) -> Iterator[Agent]:
        """Make an agent for concrete runs."""
        self._check(version)
        yield agent_names.named_agent(self.name, version)

    def symbolic(self, version: int) -> Callable[[], Agent]:
        """Return what makes agents with rewritten code."""
        self._check(version)
        make, name = rewritten_agent_names().named_agent, self.name
        return lambda: make(name, version)

    def _check(self, version: int) -> None:
        if version not in self.versions:
            raise AgentError(f"agent {self.name} does not speak OpenFlow version {version}")


@cache
def rewritten_agent_names() -> Any:
    """Return the rewritten module `agent_names`, with rewritten copies of all modules of this package behind it."""
    modules = RewrittenModules(
        lambda module: module == _PACKAGE or module.startswith(f"{_PACKAGE}."),
        path=sys.path,  # so that generated methods of dataclasses are the copies' too
    )
    return modules.load(f"{_PACKAGE}.agent_names")


def reference_like_source(text: str) -> CompactSource:
    """Return the source of reference-like, which has no variants."""
    return CompactSource("reference-like" + (f":{text}" if text else ""))


def ovs_like_source(text: str) -> CompactSource:
    """Return the source of ovs-like, which has no variants."""
    return CompactSource("ovs-like" + (f":{text}" if text else ""))


def modified_source(text: str) -> CompactSource:
    """Return the source of the agent with all modifications, or with the one of this name."""
    return CompactSource("modified" + (f":{text}" if text else ""))
