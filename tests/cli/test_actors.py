"""`sdnloom check`, `replay`, `step` and `walk` on programs of actors, as a user runs them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import CommandLine

ACCOUNT = Path(__file__).parents[2] / "examples" / "actors" / "account.py"
TRACE = "account.nothing_is_lost.sdnloom-trace.json"
# The shape of a program with one actor: {fields}, {tasks}, {program}.
ONE = """\
from sdnloom.actors import Actor, Monitor, Program

class Worker(Actor):
    done: int = 0
    async def work(self):
        {work}

    async def other(self, value=1):
        self.done += value

worker = Worker("worker")
program = Program([worker], {start}{more})
"""


@pytest.fixture(autouse=True)
def account(tmp_path: Path) -> Path:
    """The program of the example, in the current folder."""
    (tmp_path / "account.py").write_text(ACCOUNT.read_text())
    return tmp_path / "account.py"


def one(folder: Path, work: str = "self.done += 1", start: str = "[worker.work()]", more: str = "") -> str:
    (folder / "one.py").write_text(ONE.format(work=work, start=start, more=more and f", {more}"))
    return "one.py"


# -- check ---------------------------------------------------------------------------------------------------------


def test_a_violation_is_shown_with_its_steps_and_a_replay_command(sdnloom: CommandLine) -> None:
    run = sdnloom("check", "account.py", "--no-reduce", "--no-symmetry")
    lines = run.out.splitlines()
    assert run.code == 1
    assert lines[0] == "VIOLATED nothing_is_lost: 10 and 20 were put in, and the balance is 20"
    assert lines[1] == "shortest counterexample, 10 steps:"
    assert lines[-5].startswith(
        "searched 53 states, 77 transitions, depth 10, "
    )  # and runs of code, once for each case
    assert lines[-4:] == [
        "bounds: 2 messages at the start",
        "reduction: none; symmetry: not used",
        f"view: sdnloom view {TRACE}",
        f"replay: sdnloom replay {TRACE}",
    ]
    replayed = sdnloom("replay", TRACE)
    assert (replayed.code, replayed.err) == (1, "")
    assert replayed.out.splitlines() == [lines[0].replace("VIOLATED", "CONFIRMED"), *lines[2:12]]


def test_the_reduced_search_sees_fewer_states_and_finds_the_same(sdnloom: CommandLine) -> None:
    run = sdnloom("check", "account.py", "--format", "json")
    document = json.loads(run.out)
    assert (run.code, document["verdict"], document["property"]) == (1, "violated", "nothing_is_lost")
    assert document["states"] < 53
    assert document["reduction"] == {"used": ["context"]}
    assert sdnloom("replay", document["trace"]).code == 1


def test_what_holds_is_said_with_counts_and_final_states(sdnloom: CommandLine) -> None:
    run = sdnloom("check", "account.py:corrected", "--reduction", "none", "--no-symmetry")
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[1].startswith("searched 16 states, 24 transitions, depth 6, ")
    assert [lines[0], *lines[2:]] == [
        "HOLDS NoTaskErrors, NoDeadlock, nothing_is_lost: no violation in an exhaustive search within the bounds below",
        "bounds: 2 messages at the start",
        "reduction: none; symmetry: not used",
        "final states: 1",
    ]
    assert list(Path().glob("*trace*")) == []


def test_json_has_the_keys_of_every_check_and_those_of_actors(sdnloom: CommandLine) -> None:
    document = json.loads(sdnloom("check", "account.py:corrected", "--format", "json", "--no-reduce").out)
    assert list(document) == [
        *("schema", "verdict", "vacuous", "property", "bounds", "states", "transitions", "depth", "seconds"),
        *("task_runs", "reduction", "symmetry", "final_states", "executions", "execution_count", "notes"),
        *("restarts", "output", "trace", "violations"),
    ]
    assert (document["schema"], document["verdict"]) == ("sdnloom-check-1", "holds")
    assert (document["final_states"], document["executions"], document["reduction"]) == (1, None, None)
    assert (document["violations"], document["trace"], document["output"]) == ([], None, None)


def test_all_violations_are_found_and_each_has_a_trace(sdnloom: CommandLine) -> None:
    run = sdnloom("check", "account.py", "--all", "--format", "json")
    document = json.loads(run.out)
    assert [each["message"][-2:] for each in document["violations"]] == ["10", "20"]
    assert document["final_states"] == 3
    traces = [each["trace"] for each in document["violations"]]
    assert traces == [TRACE, TRACE.replace("lost.", "lost.2.")]
    assert [sdnloom("replay", trace).code for trace in traces] == [1, 1]


def test_a_program_without_a_property_of_its_own_says_so(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("check", one(tmp_path))
    assert run.code == 0
    assert run.out.splitlines()[:2] == [
        "HOLDS NoTaskErrors, NoDeadlock: no violation in an exhaustive search within the bounds below",
        "note: the program has no property of its own; `monitors`, `final` and `always` of a program add some",
    ]


def test_a_program_in_which_nothing_happens_is_vacuous(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("check", one(tmp_path, start="[]"))
    assert run.code == 3
    assert run.out.splitlines()[:2] == [
        "VACUOUS NoTaskErrors, NoDeadlock: no violation within the bounds below, but too little happened",
        "  nothing ever happens; messages at the start let tasks run: `start` of Program, `sends` of network_program",
    ]


def test_a_monitor_that_sees_no_event_makes_the_result_vacuous(sdnloom: CommandLine, tmp_path: Path) -> None:
    program = one(tmp_path, more="monitors=[Quiet('quiet')]")
    quiet = "class Quiet(Monitor):\n    def on_event(self, event): ...\n\n"
    (tmp_path / program).write_text((tmp_path / program).read_text().replace("worker = ", f"{quiet}worker = "))
    run = sdnloom("check", program)
    assert run.code == 3
    assert run.out.splitlines()[1] == (
        "  no task ever emits an event, so quiet saw none; tasks emit them with self.emit(event)"
    )


@pytest.mark.parametrize(
    ("work", "message"),
    [
        ("raise ValueError('no')", "NoTaskErrors: worker.work() raised ValueError: no (one.py:6)"),
        (
            "self.later.other([1])",
            "NoTaskErrors: worker.work() has a mutable value: argument 1 of the message worker.other: [1] is a list;",
        ),
        ("self.other()", "NoTaskErrors: worker.work() calls Worker.other and does not await it;"),
        (
            "await self.until(lambda: self.done > 1)",
            "NoDeadlock: worker.work() waits at one.py:6 for a condition that does not hold",
        ),
    ],
)
def test_an_error_in_a_task_is_a_violation_with_actor_task_and_line(
    sdnloom: CommandLine, tmp_path: Path, work: str, message: str
) -> None:
    run = sdnloom("check", one(tmp_path, work))
    assert run.code == 1
    assert run.out.startswith(f"VIOLATED {message}")
    assert sdnloom("replay", run.out.split()[-1]).code == 1


# One program for each row of the table of errors in docs/actors.md.
DOCUMENTED = (
    "raise ValueError('no')",
    "self.later.other([1])",
    "while True: pass",
    "while self.done == 0: pass",
    "self.other()",
    "await __import__('asyncio').sleep(1)",
    "self.later.done",
    "await self.until(lambda: self.done > 1)",
)


def test_the_page_has_the_messages_of_errors(
    sdnloom: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdnloom.actors.runtime.line_limit.MOST_LINES", 1_000)  # so that nobody has to wait
    monkeypatch.setattr("sdnloom.actors.runtime.line_limit.MOST_ACCESSES", 300)
    page = (Path(__file__).parents[2] / "docs" / "actors.md").read_text()
    [table] = re.findall(r"^## Errors$(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE)
    assert len(rows) == len(DOCUMENTED)
    for row, work in zip(rows, DOCUMENTED, strict=True):
        run = sdnloom("check", one(tmp_path, work), "--no-trace")
        parts = [
            re.escape(part)
            for part in re.split(r"\.\.\.|FILE:LINE", row.replace("1,000,000", "1,000").replace("20,000", "300"))
        ]
        assert run.code == 1
        assert re.search(".*".join(parts), run.out.splitlines()[0]), row


@pytest.mark.parametrize(
    ("options", "reason", "hint"),
    [
        (("--max-states", "3"), "the limit of 3 states was reached", "--max-states"),
        (("--max-depth", "2"), "the depth limit of 2 was reached", "--max-depth"),
    ],
)
def test_a_limit_ends_the_search_as_incomplete(
    sdnloom: CommandLine, options: tuple[str, str], reason: str, hint: str
) -> None:
    run = sdnloom("check", "account.py", *options)
    assert run.code == 3
    assert run.out.splitlines()[:2] == [f"INCOMPLETE no violation so far, but {reason}", f"to see more, raise {hint}"]
    document = json.loads(sdnloom("check", "account.py", *options, "--format", "json").out)
    assert (document["verdict"], document["final_states"]) == ("incomplete", None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("check", "account.py", "--engine", "loop"),
            "--engine is for scenarios and apps, but account.py is a program",
        ),
        (("check", "account.py", "--app", "x.py"), "--app is for scenarios and apps, but account.py is a program"),
        (("check", "account.py", "--discover"), "--discover is for scenarios and apps, but account.py is a program of"),
        (("walk", "account.py", "--ticks", "1"), "--ticks is for scenarios and apps, but account.py is a program of"),
        (("step", "account.py", "--ping", "a,b"), "--ping is for scenarios and apps, but account.py is a program of"),
        (("check", "hub.toml", "--count", "executions"), "--count is for programs of actors; expected FILE.py or FILE"),
        (("check", "hub.toml", "--no-symmetry"), "--symmetry/--no-symmetry is for programs of actors; expected FILE"),
        (("check", "account.py", "--reduce", "--reduction", "none"), "--reduce and --reduction none are given; expect"),
        (("check", "account.py", "--no-reduce", "--reduction", "actor"), "--no-reduce and --reduction actor are given"),
        (("check", "account.py", "--reduction", "much"), "Invalid value for '--reduction': 'much' is not one of"),
        (("check", "account.py", "--format", "html"), "Invalid value for '--format': 'html' is not one of 'text', 'j"),
        (("check", "account.py:other"), "account.py: defines no 'other'; expected a Program of sdnloom.actors, or a"),
        (("check", "account.py:"), "account.py: defines no ''; expected a Program of sdnloom.actors"),
        (("walk", "account.py:ann"), "account.py: defines no 'ann'; expected a Program of sdnloom.actors"),
        (
            ("inputs", "account.py", "--port", "1"),
            "'account.py' is a Python file; expected a scenario file, or an app: ",
        ),
        (("check", "none.py"), "none.py: cannot read the Python file: No such file or directory"),
        (("check", "account.py", "--trace-dir", "account.py"), "Invalid value for '--trace-dir'"),
    ],
)
def test_a_mistake_is_one_message(sdnloom: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    run = sdnloom(*arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"error: {message}")
    assert run.err.count("\n") == 1


def test_what_tasks_print_is_kept_out_of_the_results_and_shown_on_request(sdnloom: CommandLine, tmp_path: Path) -> None:
    program = one(tmp_path, "print('at', 'work'); assert False")
    (tmp_path / program).write_text("print('loading')\n" + (tmp_path / program).read_text())
    document = json.loads(sdnloom("check", program, "--format", "json").out)
    assert (document["violations"][0]["path"], document["output"]) == (
        ["worker: work, in one.py:6 work -> FAILS: raised AssertionError (one.py:7)"],
        None,
    )
    shown = json.loads(sdnloom("check", program, "--format", "json", "--show-output").out)
    assert [(line["when"], line["text"]) for line in shown["output"]] == [("load", "loading"), ("run", "at work")]
    text = sdnloom("check", program, "--show-output").out.splitlines()
    assert text[2] == "  1  worker: work, in one.py:6 work -> prints 'at work', FAILS: raised AssertionError (one.py:7)"
    assert text[-6:-3] == [
        "output of the program while it was loaded:",
        "  loading",
        "output of the program in its tasks and checks:",
    ]
    assert sdnloom("step", program, "--show-output", stdin="1\n").out.splitlines()[:3] == [
        "output of the program while it was loaded:",
        "  loading",
        "  1  worker: work -> prints 'at work', FAILS: raised AssertionError (one.py:7)",
    ]


def test_what_a_check_prints_is_kept_out_of_the_results(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom(
        "check", one(tmp_path, more="final=[lambda state: print('looking')]"), "--format", "json", "--show-output"
    )
    assert [line["text"] for line in json.loads(run.out)["output"]] == ["looking"]


@pytest.mark.slow
def test_results_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    runs = {
        subprocess.run(
            [sys.executable, "-m", "sdnloom", "check", "account.py", "--all"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_a_check_of_every_state_turns_the_reduction_off_and_says_so(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("check", one(tmp_path, more="always=[lambda state: None]"))
    assert "note: checks of every state (`always`) need every state, so nothing is reduced" in run.out.splitlines()
    assert "\nreduction: none; " in run.out


# -- replay --------------------------------------------------------------------------------------------------------


def test_a_trace_is_gone_or_diverges_when_the_program_changes(sdnloom: CommandLine, account: Path) -> None:
    sdnloom("check", "account.py")
    text = account.read_text()
    account.write_text(text.replace("self.balance = balance", "self.balance += 15"))
    gone = sdnloom("replay", TRACE)
    assert (gone.code, gone.out.split()[0]) == (0, "GONE")
    assert gone.err == "warning: the code has changed since the trace was recorded\n"
    account.write_text(text.replace("before + amount", "before + 2 * amount"))
    diverged = sdnloom("replay", TRACE, "--no-search")
    assert (diverged.code, diverged.out.split()[0]) == (3, "DIVERGED")
    assert "next would be: account: write(10)" in diverged.out


def test_after_a_change_all_orders_of_the_messages_are_searched(sdnloom: CommandLine, account: Path) -> None:
    sdnloom("check", "account.py")
    text = account.read_text()
    account.write_text(text.replace("before + amount", "before + 2 * amount"))
    still = sdnloom("replay", TRACE, "-o", "still.json")
    assert (still.code, still.out.splitlines()[:4]) == (
        1,
        [
            "STILL THERE nothing_is_lost: 10 and 20 were put in, and the balance is 40",
            "of the trace's 10 steps the first 6 can be taken as recorded; step 7 cannot:",
            "    account: write(10)",
            "  possible instead:",
        ],
    )
    assert "a way with the same inputs, 10 steps:" in still.out
    assert sdnloom("replay", "still.json").out.split()[0] == "CONFIRMED"
    account.write_text(text.replace("self.balance = balance", "self.balance += 15"))
    gone = json.loads(sdnloom("replay", TRACE, "--format", "json").out)
    assert (gone["outcome"], gone["search"]["states"]) == ("gone", 25)
    short = sdnloom("replay", TRACE, "--max-states", 1)
    assert (short.code, short.out.split()[0]) == (3, "INCOMPLETE")


def test_a_trace_is_confirmed_in_a_file_with_other_lines(sdnloom: CommandLine, account: Path) -> None:
    sdnloom("check", "account.py")
    account.write_text("# A comment.\n\n" + account.read_text())
    confirmed = sdnloom("replay", TRACE)
    assert (confirmed.code, confirmed.out.split()[0]) == (1, "CONFIRMED")
    assert "[resumed at line 28]" in confirmed.out


def test_a_trace_of_another_program_is_refused(sdnloom: CommandLine, account: Path) -> None:
    sdnloom("check", "account.py")
    account.write_text(account.read_text().replace("ann.deposit(10), ", ""))
    run = sdnloom("replay", TRACE)
    assert run.code == 2
    assert run.err == (
        f"error: {TRACE}: recorded with another program than 'account.py'; expected one with the same actors, messages "
        "at the start and properties (after a change of these, check it anew)\n"
    )


def test_a_trace_finds_its_program_beside_it_or_where_it_is_told(
    sdnloom: CommandLine, account: Path, tmp_path: Path
) -> None:
    sdnloom("check", "account.py", "--trace-dir", "traces")
    assert json.loads((tmp_path / "traces" / TRACE).read_text())["source"] == {"program": "../account.py"}
    account.rename(tmp_path / "moved.py")
    missing = sdnloom("replay", f"traces/{TRACE}")
    assert (missing.code, missing.err) == (
        2,
        f"error: traces/{TRACE}: its program 'account.py' is not there; say where it is with --scenario FILE\n",
    )
    assert sdnloom("replay", f"traces/{TRACE}", "--scenario", "moved.py").code == 1
    assert sdnloom("replay", f"traces/{TRACE}", "--scenario", "moved.py:corrected").code == 2


def test_a_trace_names_the_program_that_was_chosen_and_has_clocks(sdnloom: CommandLine, account: Path) -> None:
    account.write_text(account.read_text().replace("== 30", "== 31"))
    sdnloom("check", "account.py:corrected")
    trace = "account.corrected.nothing_is_lost.sdnloom-trace.json"
    document = json.loads(Path(trace).read_text())
    assert document["source"] == {"program": "account.py:corrected"}
    clocks = {(step["component"], step["action"], step["choice"][:7]): step["clock"] for step in document["steps"]}
    assert clocks["ann", "deposit", "resumed"]["account"] >= 1  # the answer came from the account
    assert clocks["account", "add", ""]["account"] == 2
    assert sdnloom("replay", trace, "--format", "json").code == 1


# -- step and walk -------------------------------------------------------------------------------------------------

SESSION = """\
  1  ann: deposit(10) -> account.read()
  2  bob: deposit(20) -> account.read()
step 1: ann: deposit(10), in account.py:25 deposit -> account.read()
  1  account: read -> returns 0
  2  bob: deposit(20) -> account.read()
account
  read()
ann
  deposit(10), waits at account.py:26 for a future
bob
  deposit(20)
step 2: account: read, in account.py:12 read -> returns 0
  1  ann: deposit(10) [resumed at line 26] -> account.write(10)
  2  bob: deposit(20) -> account.read()
ann
  deposit(10), can go on at account.py:26
account
  balance = 0
account
  no task
there is no actor 'eve'
8 steps, now 10 in all
  nothing can happen any more
account
  balance = 30
no task is left
saved 10 steps; replay: sdnloom replay saved.json
"""


def test_a_session_shows_fields_and_mailboxes(sdnloom: CommandLine) -> None:
    commands = "1\nm\n1\nmailboxes ann\nfields account\nm account\nf eve\nrest\nf account\nm\nsave saved.json\nq\n"
    run = sdnloom("step", "account.py", stdin=commands)
    assert (run.code, run.err, run.out) == (0, "", SESSION)
    assert sdnloom("replay", "saved.json").out.startswith("REPLAYED all 10 steps can be taken\n")


def test_a_session_does_not_follow_a_program_for_ever(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("step", one(tmp_path, "self.done += 1; self.later.work()"), stdin="rest\n")
    assert run.out.splitlines()[1:3] == ["it does not come to rest", "1,000 steps, now 1000 in all"]


def test_a_walk_finds_the_violation_and_writes_a_trace(sdnloom: CommandLine) -> None:
    run = sdnloom("walk", "account.py", "--seed", "1", "--format", "json")
    document = json.loads(run.out)
    assert (run.code, document["verdict"], document["violation"]["trace"]) == (1, "violated", TRACE)
    assert sdnloom("replay", TRACE).code == 1
    assert sdnloom("walk", "account.py:corrected", "--runs", "5").code == 3
