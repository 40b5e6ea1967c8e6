"""A switch that nobody here wrote, named on the command line by its socket and compared without a line of code."""

import json
from pathlib import Path

from tests.cli.running import CommandLine
from tests.crosscheck.running_switch import TEST, running_switch

RUN = ("crosscheck", "run", "strict:buffers=0", "--test", str(TEST), "--max-inputs", "90", "--format", "json")


def test_the_independent_switch_does_what_strict_does_as_far_as_it_was_tried(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    address = f"unix:{tmp_path / 's'}"
    with running_switch(address):
        run = sdnloom(*RUN, address)
    assert (run.code, run.err) == (3, "")
    assert json.loads(run.out)["root_causes"] == []


def test_three_planted_deviations_are_three_root_causes(sdnloom: CommandLine, tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 's'}"
    with running_switch(address, "in-port", "short-miss", "no-command-error"):
        run = sdnloom(*RUN, address)
    assert run.code == 1
    causes = json.loads(run.out)["root_causes"]
    assert [cause["condition"] for cause in causes] == [
        "Packet Out, output port == OFPP_IN_PORT",
        "Set Config, miss_send_len > 0x00ff",
        "FlowMod, command > DELETE_STRICT",
    ]
    assert all(cause["confirmed"] for cause in causes)


def test_a_switch_on_a_socket_is_explored_by_trying_and_compared_from_files_alone(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    address, options = f"unix:{tmp_path / 's'}", ("--test", str(TEST), "--max-inputs", "90")
    with running_switch(address, "in-port", "short-miss", "no-command-error"):
        run = sdnloom("crosscheck", "explore", address, *options, "-o", "tried.jsonl")
    assert (run.code, run.err) == (3, "")
    assert sdnloom("crosscheck", "explore", "strict:buffers=0", *options, "-o", "strict.jsonl").code == 0
    run = sdnloom("crosscheck", "compare", "strict.jsonl", "tried.jsonl", "--format", "json")
    assert run.code == 1
    fields = {name for cause in json.loads(run.out)["root_causes"] for name in cause["fields"]}
    assert {"miss_send_len", "command"} <= fields
