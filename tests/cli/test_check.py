"""`sdnloom check` as a user runs it: what it prints, where it writes, how it ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sdnloom.cli.actors.check import KNOWN_TO_ACTORS
from sdnloom.cli.check import CHECK_GROUPS
from sdnloom.cli.options.option_groups import OTHER
from tests.check.scenarios import SCENARIO, write
from tests.cli.running import CommandLine

HOLDS = SCENARIO.replace('host = "h2" }', 'host = "h2", most = 1 }, { file = "hub.py", name = "reached" }')

VIOLATED_TEXT = """\
VIOLATED quiet h2: h2 received 1
shortest counterexample, 8 steps:
  1  h1: sends h1 > h2 ICMP echo request
  2  s1: receives h1 > h2 ICMP echo request at port 1 -> to the controller
  3  controller: PacketIn from s1 port 1: h1 > h2 ICMP echo request, in hub.py:11 packet_in
       -> s1: PacketOut flood
  4  s1: obeys PacketOut of step 3 -> out 2
  5  s2: receives h1 > h2 ICMP echo request at port 2 -> to the controller
  6  controller: PacketIn from s2 port 2: h1 > h2 ICMP echo request, in hub.py:11 packet_in
       -> s2: PacketOut flood
  7  s2: obeys PacketOut of step 6 -> out 1
  8  h2: receives h1 > h2 ICMP echo request

searched 9 states, 8 transitions, depth 8, 2 handler runs
bounds: h1: at most 1 packet
tried: h1 pings h2: at most 1 packet; h2 only receives
reduction: none (small search)
view: sdnloom view hub.quiet-h2.sdnloom-trace.json
confirm: sdnloom confirm hub.quiet-h2.sdnloom-trace.json
replay: sdnloom replay hub.quiet-h2.sdnloom-trace.json
"""


def test_a_violation_is_shown_with_its_shortest_counterexample_and_a_replay_command(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    write(tmp_path)
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out) == (1, VIOLATED_TEXT)
    assert re.fullmatch(
        r"found: quiet h2 violated after 8 steps\n\d+\.\d\d s, [\d,]+ transitions/s, loop engine\n", run.err
    )
    replayed = sdnloom(*VIOLATED_TEXT.splitlines()[-1].split()[2:])
    lines = VIOLATED_TEXT.splitlines()
    assert (replayed.code, replayed.err) == (1, "")
    assert replayed.out.splitlines() == ["CONFIRMED quiet h2: h2 received 1", *lines[2:12]]


def test_what_holds_is_said_with_counts_bounds_and_witnesses(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS)
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out) == (
        0,
        "HOLDS quiet h2: no violation in an exhaustive search within the bounds below\n"
        "searched 9 states, 8 transitions, depth 8, 2 handler runs\n"
        "bounds: h1: at most 1 packet\n"
        "tried: h1 pings h2: at most 1 packet; h2 only receives\n"
        "not tried:\n"
        "  hosts that move: --move\n"
        "  timeouts of flow entries: --timeouts\n"
        "  packets that are lost, duplicated or reordered: --drop, --duplicate, --reorder\n"
        "  links, switches or control connections that fail: --fail-link, --restart-switch,\n"
        "    --disconnect-switch\n"
        "  TCP connections: --host HOST,kind=tcp_client,to=OTHER\n"
        "  packets that nobody listed, and counters in statistics other than 0: --discover\n"
        "  lines of the program that were never reached: --coverage\n"
        "  hosts that sent no packet (h2): --ping\n"
        "  hosts that no packet reached (h1)\n"
        "reduction: none (small search)\n"
        "seen: h2 is reached: h2 received a packet\n",
    )
    assert list(tmp_path.glob("*trace*")) == []


def test_what_never_happens_is_said(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS.replace('to = ["h2"]', 'to = ["h2"]\nsends = 0'))
    run = sdnloom("check", "hub.toml")
    nothing = "nothing ever happens; `sends` of a client in [[hosts]] lets a host send"
    assert (run.code, run.out) == (
        3,
        "VACUOUS quiet h2: no violation within the bounds below, but too little happened\n"
        "  h2 is reached was never seen\n"
        f"  {nothing}\n"
        "searched 1 state, 0 transitions, depth 0, 0 handler runs\n"
        "bounds: h1: at most 0 packets\n"
        "tried: h1 sends nothing; h2 only receives\n"
        "reduction: none (small search)\n",
    )
    document = json.loads(sdnloom("check", "hub.toml", "--format", "json").out)
    assert (document["verdict"], document["vacuous"]) == ("vacuous", ["h2 is reached was never seen", nothing])


def test_a_reason_for_a_vacuous_result_names_what_would_change_it(sdnloom: CommandLine, tmp_path: Path) -> None:
    never = '{ name = "Sometimes", event = "HostMoved" }'
    write(tmp_path, HOLDS.replace("properties = [", f"properties = [{never}, "))
    run = sdnloom("check", "hub.toml")
    assert (run.code, run.out.splitlines()[:2]) == (
        3,
        [
            "VACUOUS quiet h2: no violation within the bounds below, but too little happened",
            "  sometimes HostMoved was never seen; [[hosts]] and [topology] decide which packets are sent; "
            "--discover finds others",
        ],
    )
    assert "seen: h2 is reached: h2 received a packet" in run.out
    incomplete = sdnloom("check", "hub.toml", "--max-states", "3")
    assert (incomplete.code, incomplete.out.split()[0]) == (3, "INCOMPLETE")


def test_what_a_search_did_not_see_before_it_stopped_is_not_called_impossible(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    write(tmp_path, HOLDS)
    run = sdnloom("check", "hub.toml", "--max-states", "3")
    assert (run.code, run.out.splitlines()[-1]) == (3, "not seen so far: h2 is reached")


def test_a_search_that_stops_early_says_why_and_what_to_raise(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("check", "hub.toml", "--max-states", "3")
    assert (run.code, run.out.splitlines()[1:]) == (
        3,
        [
            "to see more, raise --max-states",
            "or search less, or deeper:",
            "  --reduce: of several orders that lead to the same result one is taken",
            "  --strategy no-delay: switches obey at once; finds much with few orders, never says HOLDS",
            "  --order dfs: depth first at once, for violations that are many steps away",
            "  sdnloom walk: random paths, many in a short time; they find deep violations and prove nothing",
            "  sdnloom walk --swarm: deep searches in little memory, with an estimate of what they have seen",
            "searched 3 states, 2 transitions, depth 2, 1 handler run",
            "bounds: h1: at most 1 packet; at most 3 states",
            "tried: h1 pings h2: at most 1 packet; h2 only receives",
            "reduction: none (small search)",
        ],
    )
    assert run.out.startswith("INCOMPLETE no violation so far, but ")


def test_hints_after_a_limit_propose_nothing_that_is_in_use_or_cannot_help(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    write(tmp_path, SCENARIO.replace('to = ["h2"]', 'to = ["h2"]\nsends = 5'))

    def hints(*options: str) -> list[str]:
        lines = sdnloom("check", "hub.toml", "--max-states", "3", "--no-trace", *options).out.splitlines()
        return [line.partition(":")[0].strip() for line in lines if line.startswith("  --") or "  without --" in line]

    assert hints() == ["--reduce", "--pkt-seq 2", "--strategy no-delay", "--order dfs"]
    assert hints("--order", "bfs") == ["--reduce", "--pkt-seq 2", "--strategy no-delay", "--order auto"]
    assert hints("--order", "dfs", "--reduce") == ["--pkt-seq 2", "--strategy no-delay", "--order auto"]
    assert hints("--all", "--strategy", "no-delay", "--pkt-seq", "1") == ["--reduce", "without --all"]
    assert hints("--engine", "kernel") == ["--reduce", "--pkt-seq 2", "--strategy no-delay"]
    assert hints("--disk", ".") == ["--reduce", "--pkt-seq 2", "--strategy no-delay"]
    assert hints("--checkpoint", "search.ckpt") == ["--reduce", "--pkt-seq 2", "--strategy no-delay"]


def test_limits_of_one_are_one(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS)
    run = sdnloom("check", "hub.toml", "--max-states", 1, "--max-depth", 1, "--time-limit", 1)
    bounds = next(line for line in run.out.splitlines() if line.startswith("bounds: "))
    assert bounds == "bounds: h1: at most 1 packet; at most 1 state; at most 1 step deep; at most 1 second"


def test_only_the_limit_that_was_reached_is_to_be_raised(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS)
    limits = ("--max-states", 1000, "--time-limit", 1000, "--memory-limit", 100_000)
    run = sdnloom("check", "hub.toml", "--max-depth", 2, *limits)
    assert run.out.splitlines()[:2] == [
        "INCOMPLETE no violation so far, but the depth limit of 2 was reached",
        "to see more, raise --max-depth",
    ]
    skipped = sdnloom("check", "hub.toml", "--strategy", "no-delay", *limits)
    assert skipped.code == 3
    assert "to see more" not in skipped.out


def test_a_search_goes_on_in_a_folder_and_says_how_much_was_there(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, HOLDS)
    (tmp_path / "spill").mkdir()
    monkeypatch.setattr("sdnloom.engine.kernel.disk.search.SPILL_AT", 1)
    whole, stored = sdnloom("check", "hub.toml"), sdnloom("check", "hub.toml", "--disk", "spill")
    assert stored.code == whole.code
    assert re.sub(r", 0\.\d MB on disk", "", stored.out) == whole.out != stored.out
    assert "the memory is full: the search goes on with files in spill (states so far: 1)\n" in stored.err
    assert json.loads(sdnloom("check", "hub.toml", "--disk", "spill", "--format", "json").out)["disk_bytes"] > 0
    refused = sdnloom("check", "hub.toml", "--disk", "gone")
    assert (refused.code, "the folder for --disk is 'gone': No such file or directory" in refused.err) == (2, True)
    write(tmp_path, HOLDS + '\n[search]\ndisk = "nowhere"\n')
    said = f"search.disk is '{tmp_path / 'nowhere'}': No such file or directory; expected a folder to write in"
    refused = sdnloom("check", tmp_path / "hub.toml")
    assert (refused.code, refused.err) == (2, f"error: {tmp_path / 'hub.toml'}: {said}\n")
    assert "the folder for --disk is 'gone'" in sdnloom("check", "hub.toml", "--disk", "gone").err
    assert sdnloom("check", "hub.toml", "--disk", "spill").code == whole.code


def test_a_printed_scenario_has_no_options_of_the_machine_and_the_help_says_so(
    sdnloom: CommandLine, tmp_path: Path
) -> None:
    write(tmp_path)
    machine = ("--threads", 2, "--cluster", "local", "--workers", 2, "--checkpoint", "search.ckpt")
    printed = sdnloom("check", "hub.toml", "--seed", 3, "--print-scenario")
    assert sdnloom("check", "hub.toml", "--seed", 3, *machine, "--print-scenario") == printed
    assert printed.code == 0
    help_text = " ".join(sdnloom("check", "--help").out.split())
    assert "options of the machine, such as --threads, are not in it." in help_text


KEYS = [
    "schema",
    "verdict",
    "vacuous",
    "property",
    "bounds",
    "states",
    "transitions",
    "depth",
    "seconds",
    "handler_runs",
    "reduction",
    "reduction_choice",
    "restarts",
    "discovery",
    "sometimes",
    "traffic",
    "not_tried",
    "coverage",
    "output",
    "trace",
    "violations",
]


TRAFFIC = {"to": [], "packets": 0, "unanswered": None, "discovered": 0, "moves": 0, "tcp": False}


def test_json_is_one_object_with_the_documented_keys(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("check", "hub.toml", "--format", "json")
    document = json.loads(run.out)
    assert (run.code, list(document)) == (1, KEYS)
    assert document.pop("seconds") > 0
    assert {"what": "hosts that move", "options": ["--move"]} in document.pop("not_tried")
    assert document == {
        "schema": "sdnloom-check-1",
        "verdict": "violated",
        "vacuous": [],
        "property": "quiet h2",
        "bounds": ["h1: at most 1 packet", "searched in part: the search ended at the first violation"],
        "states": 9,
        "transitions": 8,
        "depth": 8,
        "handler_runs": 2,
        "reduction": None,
        "reduction_choice": "small search",
        "restarts": [],
        "output": None,
        "discovery": None,
        "sometimes": [],
        "traffic": [
            {**TRAFFIC, "host": "h1", "text": "pings h2: at most 1 packet", "to": ["h2"], "packets": 1},
            {**TRAFFIC, "host": "h2", "text": "only receives"},
        ],
        "coverage": None,
        "trace": "hub.quiet-h2.sdnloom-trace.json",
        "violations": [
            {
                "property": "quiet h2",
                "message": "h2 received 1",
                "steps": 8,
                "shortest": True,
                "path": [line[5:] for line in sdnloom("check", "hub.toml", "--long").out.splitlines()[2:10]],
                "trace": "hub.quiet-h2.sdnloom-trace.json",
                "confirmation": None,
            }
        ],
    }


@pytest.mark.parametrize(("arguments", "verdict", "code"), [((), "holds", 0), (("--max-depth", 2), "incomplete", 3)])
def test_json_without_a_violation_has_no_property_and_no_trace(
    sdnloom: CommandLine, tmp_path: Path, arguments: tuple, verdict: str, code: int
) -> None:
    write(tmp_path, HOLDS)
    run = sdnloom("check", "hub.toml", "--format", "json", *arguments)
    document = json.loads(run.out)
    assert (run.code, list(document)) == (code, KEYS)
    assert [document[key] for key in ("verdict", "property", "trace", "violations")] == [verdict, None, None, []]


ALL = SCENARIO.replace(
    'host = "h2" }', 'host = "h3" }, { file = "hub.py", name = "quiet", host = "h2" }, "NoHandlerException"'
).replace("switches = 2", "switches = 3")


def test_all_reports_each_distinct_violation_smallest_first(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, ALL)
    run = sdnloom("check", "hub.toml", "--all", "--format", "json")
    found = json.loads(run.out)["violations"]
    assert [(one["property"], one["steps"]) for one in found] == [("quiet h2", 8), ("quiet h3", 11)]
    assert [one["trace"] for one in found] == [f"hub.quiet-h{n}.sdnloom-trace.json" for n in (2, 3)]
    for one in found:
        replayed = sdnloom("replay", one["trace"])
        assert replayed.out.startswith(f"CONFIRMED {one['property']}: {one['message']}\n")
    text = sdnloom("check", "hub.toml", "--all").out.splitlines()
    assert [line for line in text if line.startswith("VIOLATED")] == [
        "VIOLATED quiet h2: h2 received 1",
        "VIOLATED quiet h3: h3 received 1",
    ]
    assert text[-2:] == [f"replay: sdnloom replay hub.quiet-h{n}.sdnloom-trace.json" for n in (2, 3)]


def test_violations_of_one_property_have_traces_of_their_own(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace('"quiet", host = "h2"', '"silence"').replace("switches = 2", "switches = 3"))
    found = json.loads(sdnloom("check", "hub.toml", "--all", "--format", "json").out)["violations"]
    assert [(one["message"], one["trace"]) for one in found] == [
        ("h2 heard something", "hub.silence.sdnloom-trace.json"),
        ("h3 heard something", "hub.silence.2.sdnloom-trace.json"),
    ]
    for one in found:
        assert sdnloom("replay", one["trace"]).out.startswith(f"CONFIRMED silence: {one['message']}\n")


def test_coverage_names_the_lines_and_branches_that_were_not_reached(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    lines = sdnloom("check", "hub.toml", "--coverage").out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("coverage of hub.py: "))
    assert re.fullmatch(r"coverage of hub\.py: 5 of \d+ lines, 1 of \d+ branches", lines[start])
    assert lines[start + 1].startswith("  lines never reached: 14, ")
    assert lines[start + 2] == "  branches never taken: 13->14"
    assert lines[-1].startswith("replay: ")
    as_json = sdnloom("check", "hub.toml", "--coverage", "--format", "json")
    document = json.loads(as_json.out)
    assert list(document) == KEYS
    [covered] = document["coverage"]
    assert (Path(covered["file"]).name, covered["reached_lines"], covered["missed_branches"]) == (
        "hub.py",
        5,
        [[13, 14]],
    )
    assert covered["lines"] == covered["reached_lines"] + len(covered["missed_lines"])
    assert not [each for each in document["not_tried"] if "lines of the program" in each["what"]]
    assert "coverage of hub.py: 5 of" in as_json.err


def test_an_exception_in_a_handler_is_reported_with_its_line(sdnloom: CommandLine, tmp_path: Path) -> None:
    text = SCENARIO.replace('class = "Hub"', 'class = "Hub"\narguments = { broken = true }')
    write(tmp_path, text.replace("properties = [", 'properties = ["NoHandlerException", '))
    run = sdnloom("check", "hub.toml")
    assert run.code == 1
    assert run.out.startswith("VIOLATED NoHandlerException: hub.py:14: packet_in of Hub raised KeyError: 's1'\n")
    assert run.out.splitlines()[5].endswith("-> packet_in raised KeyError: 's1' (hub.py:14)")


def test_options_of_the_command_line_win_over_the_file(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO + "[search]\nmax_states = 3\n")
    assert sdnloom("check", "hub.toml").code == 3
    assert sdnloom("check", "hub.toml", "--max-states", 1000).code == 1


STRATEGIES = """
[search]
strategies = ["no-delay"]
pkt_seq = { length = 1 }
"""
BELONGING = "def together(one, other):\n    return True\n"


@pytest.mark.parametrize(
    ("arguments", "bounds"),
    [
        ((), ["h1: at most 1 packet", "NO-DELAY"]),
        (("--strategy", ""), ["h1: at most 1 packet"]),
        (("--strategy", "unusual, no-delay"), ["h1: at most 1 packet", "UNUSUAL", "NO-DELAY"]),
        (("--pkt-seq", "2,1"), ["h1: at most 2 packets (1 unanswered)", "NO-DELAY"]),
        (("--pkt-seq", "2", "--strategy", "pkt-seq"), ["h1: at most 2 packets"]),
        (
            ("--strategy", "flow-ir", "--same-flow", "flows.py:together", "--pkt-seq", "3"),
            ["h1: at most 3 packets", "FLOW-IR"],
        ),
        (("--strategy", "flow-ir", "--same-flow", "same_connection"), ["h1: at most 1 packet", "FLOW-IR"]),
    ],
)
def test_each_strategy_and_its_bounds_can_be_had_from_the_command_line(
    sdnloom: CommandLine, tmp_path: Path, arguments: tuple, bounds: list[str]
) -> None:
    (tmp_path / "flows.py").write_text(BELONGING)
    write(tmp_path, HOLDS.replace("most = 1", "most = 9").replace('to = ["h2"]', 'to = ["h2"]\nsends = 3') + STRATEGIES)
    run = sdnloom("check", "hub.toml", "--format", "json", *arguments)
    document = json.loads(run.out)
    stated = [re.sub(r"without .* \((.*)\)", r"\1", bound) for bound in document["bounds"]]
    skips = [bound for bound in bounds if bound.isupper()]
    assert stated[: len(bounds)] == bounds
    assert (document["verdict"], run.code) == (("incomplete", 3) if skips else ("holds", 0))


def test_a_scenario_in_which_nothing_happens_says_so(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, SCENARIO.replace('to = ["h2"]', "sends = 0"))
    run = sdnloom("check", "hub.toml")
    assert run.code == 3
    assert run.out.splitlines()[:3] == [
        "VACUOUS quiet h2: no violation within the bounds below, but too little happened",
        "  nothing ever happens; `sends` of a client in [[hosts]] lets a host send",
        "searched 1 state, 0 transitions, depth 0, 0 handler runs",
    ]


@pytest.mark.slow
def test_both_engines_and_every_seed_print_the_same(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, HOLDS.replace('to = ["h2"]', 'to = ["h2"]\nsends = 2'))
    expected = sdnloom("check", "hub.toml").out
    assert expected.startswith("VIOLATED")
    for arguments in (["--engine", "loop"], ["--engine", "kernel"]):
        assert sdnloom("check", "hub.toml", *arguments).out == expected
    counts = {sdnloom("check", "hub.toml", "--all", "--seed", seed).out.splitlines()[-8] for seed in range(4)}
    assert len(counts) == 1
    assert counts.pop().startswith("searched ")


def test_a_reduction_says_that_its_counterexample_need_not_be_shortest(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("check", "hub.toml", "--reduce", "--no-trace")
    assert (run.code, run.out.splitlines()[1]) == (1, "counterexample, 8 steps, none can be left out:")
    assert "replay:" not in run.out
    assert list(tmp_path.glob("*trace*")) == []


def test_traces_go_to_the_folder_of_the_option(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    write(tmp_path / "scenarios")
    run = sdnloom("check", "scenarios/hub.toml", "--trace-dir", "some/where")
    last = run.out.splitlines()[-1]
    assert last == "replay: sdnloom replay some/where/hub.quiet-h2.sdnloom-trace.json"
    document = json.loads((tmp_path / last.split()[-1]).read_text())
    assert document["source"] == {"scenario": "../../scenarios/hub.toml"}
    assert sdnloom("replay", last.split()[-1]).code == 1


def test_what_was_found_is_shown_even_if_its_trace_cannot_be_written(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    run = sdnloom("check", "hub.toml", "--trace-dir", "x" * 300)
    assert (run.code, run.out) == (1, VIOLATED_TEXT.rpartition("view: ")[0])
    assert run.err.splitlines()[-1].endswith("x: cannot make the folder for traces: File name too long")
    assert run.err.splitlines()[-1].startswith("warning: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "gone.toml"], ["error: gone.toml: cannot read the scenario: No such file", "expected a TOML file"]),
        (["check", "nowhere"], ["error: nowhere: cannot read the scenario", "expected a TOML file"]),
        (["check"], ["there is nothing to run", "a scenario file, or an app: --app FILE.py"]),
        (["check", "hub.toml", "--max-states", "0"], ["--max-states", "0", "x>=1"]),
        (["check", "hub.toml", "--engine", "fast"], ["--engine", "'fast'", "kernel"]),
        (["check", "hub.toml", "--engine", "kernel", "--order", "dfs"], ["error: the kernel engine searches breadth"]),
        (["check", "hub.toml", "--strategy", "no-delay,"], ["error: strategy '' is unknown", "pkt-seq, no-delay"]),
        (
            ["check", "hub.toml", "--strategy", "flow-ir"],
            ["error: strategy 'flow-ir'", "which packets belong together"],
        ),
        (["check", "hub.toml", "--same-flow", "hub.py"], ["same_flow is 'hub.py'", 'as "file.py:function"']),
        (["check", "hub.toml", "--same-flow", "hub.py:x"], ["same_flow: hub.py: has no 'x'", "quiet"]),
        (["check", "hub.toml", "--pkt-seq", "1,2,3"], ["--pkt-seq is '1,2,3'", "LENGTH or LENGTH,BURST"]),
        (["check", "hub.toml", "--pkt-seq", ""], ["--pkt-seq is ''", "LENGTH or LENGTH,BURST"]),
        (["check", "hub.toml", "--field", "eth.type=1"], ["--field is given", "expected --discover"]),
        (["check", "hub.toml", "--stack", "arp"], ["--stack is given", "expected --discover"]),
        (
            ["check", "hub.toml", "--trace-dir", "hub.py/x"],
            ["error: hub.py/x: cannot write traces there; expected a folder"],
        ),
        (["check", "bad.toml"], ["error: bad.toml: topology.switches is -2; expected a whole number from 1 to 10000"]),
        (["check", "loop.toml"], ["error: loop.toml: include 'loop.toml' comes back to itself"]),
    ],
)
def test_a_users_mistake_ends_with_one_message_and_exit_code_2(
    sdnloom: CommandLine, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    write(tmp_path)
    write(tmp_path, SCENARIO.replace("switches = 2", "switches = -2"), "bad.toml")
    write(tmp_path, 'include = "loop.toml"', "loop.toml")
    run = sdnloom(*arguments)
    assert (run.code, run.out) == (2, "")
    for word in words:
        assert word in run.err


def test_help_names_every_option_and_exit_code(sdnloom: CommandLine) -> None:
    run = sdnloom("check", "--help")
    assert run.code == 0
    for word in (
        *("--format", "--all", "--engine", "--order", "--reduce", "--seed", "--max-states", "--max-depth"),
        *("--time-limit", "--memory-limit", "--coverage", "--trace-dir", "--no-trace", "Exit code: 0"),
    ):
        assert word in run.out
    for heading in CHECK_GROUPS:
        assert f"\n{heading}:\n" in run.out
    assert run.out.rpartition(f"{OTHER}:")[2].split() == ["-h,", "--help", "Show", "this", "message", "and", "exit."]
    assert KNOWN_TO_ACTORS.issuperset(CHECK_GROUPS["Limits"])  # the help says that programs of actors have them
    listed = sdnloom("--help").out
    assert all(f"  {name} " in listed for name in ("check", "replay", "step", "walk"))


@pytest.mark.slow
def test_stdout_and_trace_are_the_same_under_any_hash_seed(tmp_path: Path) -> None:
    write(tmp_path, ALL)
    results = set()
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-m", "sdnloom", "check", "hub.toml", "--all"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            timeout=120,
        )
        traces = [file.read_text() for file in sorted(tmp_path.glob("*trace.json"))]
        assert (run.returncode, len(traces)) == (1, 2)
        results.add((run.stdout, *traces))
    assert len(results) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "--nonsense"), "error: No such option '--nonsense'."),
        (
            ("check", "--engine", "magic", "x"),
            "error: Invalid value for '--engine': 'magic' is not one of 'auto', 'loop'",
        ),
        (("nothing",), "error: there is no command 'nothing'; expected one of check, "),
        (("replay",), "error: Missing argument 'TRACE'."),
    ],
)
def test_a_mistake_in_the_options_is_one_line(sdnloom: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    run = sdnloom(*arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(message)
    assert run.err.count("\n") == 1


def test_a_reduction_says_what_it_used_and_explains_its_conflicts(sdnloom: CommandLine, tmp_path: Path) -> None:
    write(tmp_path)
    assert sdnloom("check", "hub.toml", "--no-trace").out.endswith("\nreduction: none (small search)\n")
    assert "reduction" not in sdnloom("check", "hub.toml", "--no-trace", "--no-reduce").out
    every = sdnloom("check", "hub.toml", "--no-trace", "--reduce-auto", "--all").out
    assert every.endswith("\nreduction: none (all violations are asked for, and a reduction may find fewer)\n")
    reduced = sdnloom("check", "hub.toml", "--no-trace", "--reduce").out
    assert "\nreduction: stubborn sets" in reduced
    assert "  <->  " not in reduced
    explained = sdnloom("check", "hub.toml", "--no-trace", "--explain-reduction")
    assert "\n  s1: packets  <->  s1: of   cells: " in explained.out
    found = json.loads(sdnloom("check", "hub.toml", "--no-trace", "--explain-reduction", "--format", "json").out)
    assert found["reduction"]["used"][0] == "stubborn sets"
    pairs = [conflict["actions"] for conflict in found["reduction"]["conflicts"]]
    assert [["s1", "packets"], ["s1", "of"]] in pairs
    assert json.loads(sdnloom("check", "hub.toml", "--no-trace", "--format", "json").out)["reduction"] is None
    both = sdnloom("check", "hub.toml", "--reduce-auto", "--no-reduce")
    assert (both.code, both.err[:75]) == (
        2,
        "error: --reduce-auto and --no-reduce are given; expected one or the other (",
    )
    wrong = sdnloom("check", "hub.toml", "--explain-reduction", "--no-reduce")
    assert (wrong.code, wrong.err[:59]) == (2, "error: --explain-reduction and --no-reduce are given; expec")
