"""Where two switch implementations disagree: SOFT's two phases, for agents in Python and for real switches.

Phase 1 explores one agent with a test and gives a partition of the inputs by what the agent does. Phase 2 compares two
partitions and needs neither agent. The names below are the public interface; they are imported when first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same list for type checkers and editors
    from sdnloom.crosscheck.agent import Agent as Agent
    from sdnloom.crosscheck.agent import Close as Close
    from sdnloom.crosscheck.agent import Crash as Crash
    from sdnloom.crosscheck.agent import Wait as Wait
    from sdnloom.crosscheck.agents.load import load_agent as load_agent
    from sdnloom.crosscheck.comparison import CompareOptions as CompareOptions
    from sdnloom.crosscheck.comparison import Comparison as Comparison
    from sdnloom.crosscheck.comparison import Inconsistency as Inconsistency
    from sdnloom.crosscheck.comparison import RootCause as RootCause
    from sdnloom.crosscheck.comparison import compare_partitions as compare_partitions
    from sdnloom.crosscheck.comparison import merge_comparisons as merge_comparisons
    from sdnloom.crosscheck.exploration import ExploreOptions as ExploreOptions
    from sdnloom.crosscheck.exploration import explore_agent as explore_agent
    from sdnloom.crosscheck.file_comparison import compare_files as compare_files
    from sdnloom.crosscheck.output_document import plain_output as plain_output
    from sdnloom.crosscheck.partition import Partition as Partition
    from sdnloom.crosscheck.partition_file import read_partition as read_partition
    from sdnloom.crosscheck.partition_file import write_partition as write_partition
    from sdnloom.crosscheck.result import CrosscheckOptions as CrosscheckOptions
    from sdnloom.crosscheck.result import CrosscheckResult as CrosscheckResult
    from sdnloom.crosscheck.run import crosscheck_agents as crosscheck_agents
    from sdnloom.crosscheck.run import try_witness as try_witness
    from sdnloom.crosscheck.switch_test import SwitchTest as SwitchTest
    from sdnloom.crosscheck.test_document import built_in_tests as built_in_tests
    from sdnloom.crosscheck.test_document import load_test as load_test
    from sdnloom.crosscheck.witness_file import SwitchWitness as SwitchWitness
    from sdnloom.crosscheck.witness_file import parse_witness as parse_witness
    from sdnloom.crosscheck.witness_file import read_witness as read_witness
    from sdnloom.crosscheck.witness_file import write_witness as write_witness

_NAMES = {
    "agent": "Agent Close Crash Wait",
    "agents.load": "load_agent",
    "comparison": "CompareOptions Comparison Inconsistency RootCause compare_partitions merge_comparisons",
    "exploration": "ExploreOptions explore_agent",
    "file_comparison": "compare_files",
    "output_document": "plain_output",
    "partition": "Partition",
    "partition_file": "read_partition write_partition",
    "result": "CrosscheckOptions CrosscheckResult",
    "run": "crosscheck_agents try_witness",
    "switch_test": "SwitchTest",
    "test_document": "built_in_tests load_test",
    "witness_file": "SwitchWitness parse_witness read_witness write_witness",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
