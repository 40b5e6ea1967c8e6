"""The agents by their names: reference-like, ovs-like, modified, and modified:NAME."""

from dataclasses import replace
from typing import Any

from sdnloom.crosscheck.agent import AgentError
from sdnloom.crosscheck.agents.compact.behaviours import OVS_LIKE, REFERENCE_LIKE, Behaviours
from sdnloom.crosscheck.agents.compact.modifications import MODIFICATIONS
from sdnloom.crosscheck.agents.compact.switch import CompactSwitch


def behaviours_of(name: str) -> Behaviours:
    """Return the behaviours of an agent; raise AgentError if there is no agent of this name."""
    if name == "reference-like":
        return REFERENCE_LIKE
    if name == "ovs-like":
        return OVS_LIKE
    known, colon, wanted = name.partition(":")
    if known != "modified" or (colon and wanted not in MODIFICATIONS):
        names = ", ".join(f"modified:{each}" for each in MODIFICATIONS)
        raise AgentError(f"agent {name!r}: expected one of reference-like, ovs-like, modified, {names}")
    chosen = [MODIFICATIONS[wanted]] if colon else list(MODIFICATIONS.values())
    changes: dict[str, Any] = dict(each.change for each in chosen)
    return replace(REFERENCE_LIKE, **changes)


def named_agent(name: str, version: int) -> CompactSwitch:
    """Return a new agent that speaks a version of OpenFlow."""
    return CompactSwitch(behaviours_of(name), version)
