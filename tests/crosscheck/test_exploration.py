"""Phase 1: classes, completeness and limits of the exploration of an agent."""

from pathlib import Path

import pytest

from sdnloom.crosscheck.agent import AgentError
from sdnloom.crosscheck.agents.load import class_in_file
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.exploration import ExploreOptions, ExploreProgress, explore_agent
from sdnloom.crosscheck.output import concrete_output
from sdnloom.crosscheck.switch_test import Part, Variable
from sdnloom.symbolic.terms.evaluate import evaluate_term
from tests.crosscheck.cases import OUTPUT, OUTPUT_TEST, PORT, TYPE, case, made_test, message, packet_out, small_agent


def test_each_behaviour_of_an_agent_is_a_class() -> None:
    found = explore_agent(small_agent(), OUTPUT_TEST)
    assert (found.complete, found.reasons, found.kind, found.agent) == (True, (), "paths", "small")
    kinds = sorted([event.kind for event in each.output[0]] for each in found.classes)
    assert kinds == [["Error"]] * 3 + [["crash"], ["frame"], ["frame"] * 3]
    assert found.statistics.runs == 6


def test_the_output_of_a_class_is_what_the_agent_does_with_each_of_its_inputs() -> None:
    """Every port number with two action types, on the agent as it is."""
    found = explore_agent(small_agent(), OUTPUT_TEST)
    only = OUTPUT_TEST.cases[0]
    with small_agent().open(1) as agent:
        for kind in (0, 5):
            for port in [*range(8), *range(0xFF00 - 2, 0x10000)]:
                values = {TYPE.name: kind, PORT.name: port}
                (mine,) = [c for c in found.classes if all(evaluate_term(each, values) for each in c.condition)]
                assert concrete_output(mine.output, values) == run_case(agent, only, 1, values)


def test_an_exception_of_the_agent_is_a_crash_with_its_line() -> None:
    found = explore_agent(small_agent(), OUTPUT_TEST)
    (crash,) = [event for each in found.classes for event in each.output[0] if event.kind == "crash"]
    assert crash.note == "ValueError: to the controller (small_agent.py, line 29)"
    assert crash.fields == ()


def test_ranges_of_variables_limit_the_classes() -> None:
    port = Variable(PORT.name, 16, 2, ((1, 2), (9, 9)))
    found = explore_agent(small_agent(), made_test(case(OUTPUT, variables=(TYPE, port))))
    assert found.complete
    assert {event.kind for each in found.classes for event in each.output[0]} == {"Error", "frame"}
    assert all(port.allows(each.witness[PORT.name]) for each in found.classes)


def test_symbolic_data_stays_a_term() -> None:
    data = Variable("m1.data", 160)
    step = packet_out(Part(64, 0x0000_0008_0002_0000), data=Part(160, data.name))
    found = explore_agent(small_agent(), made_test(case(step, variables=(data,))))
    (only,) = found.classes
    assert concrete_output(only.output, {"m1.data": 5})[0][0].values() == {"port": 2, "data": bytes(19) + b"\5"}


def test_further_inputs_of_each_class_are_checked() -> None:
    found = explore_agent(small_agent(), OUTPUT_TEST, ExploreOptions(check_classes=3))
    assert (found.complete, found.statistics.checked) == (True, 8)  # 2 + 3 + 3 + 0 + 0 + 0: three classes are one input


def test_progress_is_reported_after_each_run() -> None:
    seen: list[ExploreProgress] = []
    test = made_test(case(OUTPUT, variables=(TYPE, PORT)), case(message(18), name="two"))
    explore_agent(small_agent(), test, None, seen.append)
    assert [each.runs for each in seen] == [1, 2, 3, 4, 5, 6, 7]
    assert (seen[-1].case, seen[-1].classes, seen[-1].agent, seen[-1].test) == ("two", 7, "small", "made-by-hand")


def test_the_budget_of_paths_makes_a_partition_incomplete() -> None:
    test = made_test(case(OUTPUT, variables=(TYPE, PORT)), case(message(18), name="two"))
    found = explore_agent(small_agent(), test, ExploreOptions(paths=2))
    assert not found.complete
    assert found.reasons == ("case one: the budget of 2 paths is used up", "cases not explored: two")
    assert len(found.classes) == 2


def test_ctrl_c_keeps_the_classes_found_so_far() -> None:
    def interrupt(event: ExploreProgress) -> None:
        if event.runs == 3:
            raise KeyboardInterrupt

    test = made_test(case(OUTPUT, variables=(TYPE, PORT)), case(message(18), name="two"))
    found = explore_agent(small_agent(), test, None, interrupt)
    assert (len(found.classes), found.complete) == (3, False)
    assert found.reasons == ("case one: interrupted from the keyboard", "cases not explored: two")


def agent_with(tmp_path: Path, body: str) -> Path:
    """A file with an agent whose `message` has this body."""
    file = tmp_path / "own_agent.py"
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    file.write_text(
        "import zlib\n\n\nclass Own:\n    def reset(self):\n        return []\n\n"
        f"    def message(self, data):\n{lines}\n"
        "    def packet(self, port, frame):\n        return []\n\n    advance = packet\n"
    )
    return file


def test_a_lost_constraint_is_a_reason_with_file_and_line(tmp_path: Path) -> None:
    file = agent_with(tmp_path, "if zlib.crc32(data) == 5:\n    return [(1, b'')]\nreturn []")
    found = explore_agent(class_in_file(file, "Own"), OUTPUT_TEST, ExploreOptions(paths=20))
    assert not found.complete
    assert any(f"constraints were lost at 1 site, first {file}:9" in reason for reason in found.reasons), found.reasons


def test_a_value_that_is_no_observation_is_an_error(tmp_path: Path) -> None:
    file = agent_with(tmp_path, "return [5]")
    with pytest.raises(AgentError, match="the agent returned 5; expected a list of messages"):
        explore_agent(class_in_file(file, "Own"), OUTPUT_TEST)


def test_an_agent_that_never_stops_sending_is_an_error(tmp_path: Path) -> None:
    file = agent_with(tmp_path, "while True:\n    yield (1, b'')")
    with pytest.raises(AgentError, match=r"Own: the agent returned more than 10,000 observations for one step"):
        explore_agent(class_in_file(file, "Own"), OUTPUT_TEST)


@pytest.mark.parametrize("kind", ["GeneratorExit", "BaseException", "SystemExit", "MemoryError", "StopIteration"])
def test_an_exception_of_any_kind_is_a_crash(tmp_path: Path, kind: str) -> None:
    found = explore_agent(class_in_file(agent_with(tmp_path, f"raise {kind}"), "Own"), OUTPUT_TEST)
    assert [[[event.kind for event in step] for step in each.output] for each in found.classes] == [[["crash"]]]
    assert found.complete


def test_an_agent_that_changes_outside_of_its_state_is_not_pure(tmp_path: Path) -> None:
    body = "COUNT.append(0)\nreturn [(len(COUNT), data)] if data[16:18] == bytes(2) else []"
    file = agent_with(tmp_path, body)
    file.write_text(f"COUNT = []\n{file.read_text()}")
    found = explore_agent(class_in_file(file, "Own"), OUTPUT_TEST, ExploreOptions(check_classes=3))
    assert not found.complete
    assert any("behave differently, first class" in reason for reason in found.reasons), found.reasons


@pytest.mark.parametrize(
    "body",
    [
        "self.__class__.runs = getattr(self, 'runs', 0) + 1\nreturn [(1, b'')] * self.runs",
        "import random\nreturn [(1, random.randbytes(9))]",
        "import time\nreturn [(1, time.perf_counter_ns().to_bytes(8, 'big'))]",
    ],
    ids=["memory", "random", "clock"],
)
def test_an_agent_that_does_something_else_with_the_same_input_has_no_complete_partition(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], body: str
) -> None:
    """Each has one path, so nothing but a second run shows it."""
    found = explore_agent(class_in_file(agent_with(tmp_path, f"print('seen')\n{body}"), "Own"), OUTPUT_TEST)
    assert (len(found.classes), found.complete) == (1, False)
    (reason,) = found.reasons
    assert reason.startswith(
        "the agent did something else when it ran again on the same input, first on the harmless input: "
    )
    assert capfd.readouterr() == ("", "")


def test_the_text_of_an_exception_may_have_symbolic_parts(tmp_path: Path) -> None:
    file = agent_with(tmp_path, "raise KeyError(f'port {data[21]}', data[20:22]) if data[1] == 13 else ValueError()")
    found = explore_agent(class_in_file(file, "Own"), OUTPUT_TEST)
    assert (found.complete, found.reasons, len(found.classes)) == (True, (), 1)
    assert found.classes[0].output[0][0].note == "ValueError (own_agent.py, line 9)"  # of the Hello


def test_an_exception_without_a_usable_text_is_a_crash_too(tmp_path: Path) -> None:
    file = agent_with(tmp_path, "raise Odd()")
    file.write_text(f"class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\n{file.read_text()}")
    found = explore_agent(class_in_file(file, "Own"), OUTPUT_TEST)
    assert [each.output[0][0].note for each in found.classes] == ["Odd (own_agent.py, line 12)"]


def test_the_time_limit_ends_the_check_of_classes() -> None:
    now = 0.0

    def clock() -> float:
        return now

    def slow(event: ExploreProgress) -> None:
        nonlocal now
        now += 10 * (event.checked == 3)

    test = made_test(case(OUTPUT, variables=(TYPE, PORT)), case(message(18), name="two"))
    found = explore_agent(small_agent(), test, ExploreOptions(seconds=9, check_classes=3), slow, clock)
    assert found.reasons == (
        "case one: the time limit of 9 s is reached: not all classes were checked",
        "cases not explored: two",
    )
    assert (len(found.classes), found.complete, found.statistics.checked) == (6, False, 3)


def test_the_time_limit_is_that_of_the_whole_test_and_ends_it_without_a_check() -> None:
    now = 0.0

    def slow(event: ExploreProgress) -> None:
        nonlocal now
        now += 1.5

    test = made_test(*(case(OUTPUT, variables=(TYPE, PORT), name=name) for name in ("one", "two", "three")))
    found = explore_agent(small_agent(), test, ExploreOptions(seconds=15, check_classes=0), slow, lambda: now)
    assert found.reasons == ("case two: the time limit of 15 s is reached", "cases not explored: three")
    now = 0.0
    found = explore_agent(small_agent(), test, ExploreOptions(seconds=4, check_classes=3), slow, lambda: now)
    assert found.reasons == ("case one: the time limit of 4 s is reached", "cases not explored: two, three")
    assert found.statistics.checked == 0


def test_a_limit_that_ends_an_agent_ends_the_exploration(tmp_path: Path) -> None:
    """`LimitReached` is what ends an agent that never ends."""
    file = agent_with(tmp_path, "if data[1] == 13 and data[21] == 3:\n    raise LimitReached('too long')\nreturn []")
    file.write_text(f"from sdnloom.engine.stop_points import LimitReached\n{file.read_text()}")
    test = made_test(case(OUTPUT, variables=(TYPE, PORT)), case(message(18), name="two"))
    found = explore_agent(class_in_file(file, "Own"), test)
    assert found.reasons == ("case one: too long", "cases not explored: two")
    assert len(found.classes) == 1


def test_what_an_agent_prints_is_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = agent_with(tmp_path, "print('called', data[1])\nsys.stderr.write('logged\\n')\nreturn []")
    file.write_text(f"import sys\nprint('loaded')\n{file.read_text()}")
    source = class_in_file(file, "Own")
    assert explore_agent(source, OUTPUT_TEST).complete
    assert capsys.readouterr() == ("", "loaded\nloaded\n")  # once as it is, once rewritten
    with source.open(1) as agent:
        run_case(agent, OUTPUT_TEST.cases[0], 1, OUTPUT_TEST.cases[0].defaults())
    assert capsys.readouterr() == ("", "called 0\nlogged\ncalled 13\nlogged\n")


def test_a_very_long_reason_is_cut(tmp_path: Path) -> None:
    file = agent_with(tmp_path, "COUNT.append(0)\nreturn [(len(COUNT), data)] if data[1] == 13 else []")
    file.write_text(f"COUNT = []\n{file.read_text()}")
    octets = tuple(Variable(f"m1.data[{number}]", 8) for number in range(300))
    wide = Variable("m1.tail", 20_000)
    parts = (Part(each.bits, each.name) for each in (*octets, wide))
    step = message(13, Part(64, 0xFFFFFFFF_FFFF_0008), Part(64, 0x0000_0008_0002_0000), *parts)
    test = made_test(case(step, variables=(*octets, wide)))
    found = explore_agent(class_in_file(file, "Own"), test, ExploreOptions(check_classes=1))
    assert len(found.reasons) == 2  # it did something else when it ran again, too
    assert max(len(reason) for reason in found.reasons) == 2_004


def test_a_black_box_is_not_explored() -> None:
    source = small_agent()
    source.black_box = True
    with pytest.raises(AgentError, match="small cannot be explored: it is a black box"):
        explore_agent(source, OUTPUT_TEST)
