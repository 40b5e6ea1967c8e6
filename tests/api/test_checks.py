"""`run_check` and `assert_holds`: one call for everything that can be checked."""

import pickle
from functools import partial
from pathlib import Path
from typing import get_type_hints

import pytest

from sdnloom import (
    Client,
    Network,
    NoBlackHoles,
    NoForwardingLoops,
    PythonProgram,
    Replier,
    Scenario,
    SdnloomError,
    assert_holds,
    run_check,
    run_resume,
    single,
)
from sdnloom.actors.search.options import ActorOptions
from sdnloom.api.checks import prepare_check
from sdnloom.check.options.keywords import CheckCallError, CheckKeywords, NetworkKeywords
from sdnloom.check.options.search_options import CheckOptions

EXAMPLES = Path(__file__).parents[2] / "examples"
BUG2, FIXED = (EXAMPLES / "mac_learning" / f"{name}.toml" for name in ("bug2", "bug2_fixed"))


class Hub:
    def packet_in(self, net, switch, message):
        net.flood(switch, message)


NETWORK = Network(single(2), (Client("h1", to=("h2",)), Replier("h2")))
SCENARIO = Scenario(NETWORK, PythonProgram(Hub), (NoForwardingLoops(), NoBlackHoles()))


def test_the_counterexample_is_the_message_of_the_assertion() -> None:
    with pytest.raises(AssertionError, match=r"^VIOLATED StrictDirectPaths: .*\nshortest counterexample, 18 steps:\n"):
        assert_holds(BUG2)
    assert assert_holds(SCENARIO).verdict == "holds"
    with pytest.raises(AssertionError, match=r"^INCOMPLETE"):
        assert_holds(SCENARIO, max_states=2)
    assert assert_holds(SCENARIO, max_states=2, allow=["incomplete"]).verdict == "incomplete"


def test_options_are_those_of_the_command_line() -> None:
    report = run_check(BUG2, properties=["NoForwardingLoops"], pings=["A,B,1"], reduce=True, max_states=5000)
    assert (report.verdict, report.checked) == ("holds", ("NoForwardingLoops",))
    assert report.bounds[:1] == ("A: at most 1 packet",)


def test_properties_of_python_and_names_keep_their_order() -> None:
    report = run_check(BUG2, properties=[NoBlackHoles(name="mine"), "NoForwardingLoops"], pings=["A,B,1"])
    assert report.checked == ("mine", "NoForwardingLoops")
    assert run_check(SCENARIO, properties=[NoForwardingLoops()]).checked == ("NoForwardingLoops",)


def test_workers_of_a_cluster_load_what_the_call_names() -> None:
    options = {"properties": [NoBlackHoles(name="mine"), "NoForwardingLoops"], "pings": ["A,B,1"], "order": "bfs"}
    alone = run_check(BUG2, **options)
    found = run_check(BUG2, **options, cluster="in process", workers=2)
    assert (found.checked, found.verdict) == (alone.checked, alone.verdict)
    assert found.result.statistics.states == alone.result.statistics.states
    assert found.result.statistics.engine == "cluster"


def test_names_of_files_mean_the_same_to_a_worker(monkeypatch, tmp_path: Path) -> None:
    options = {"cluster": "local", "max_states": 7}

    def for_worker(subject: str | Path | None, app: str | None = None) -> partial[Scenario]:
        made = prepare_check(subject, app, None, options).subject.options.cluster.scenario
        return pickle.loads(pickle.dumps(made))

    monkeypatch.chdir(BUG2.parent)
    for each in (for_worker("bug2.toml"), for_worker(None, "../apps/learning_switch.py")):
        monkeypatch.chdir(tmp_path)  # where a worker's process begins
        loaded = each()
        assert loaded.options.cluster is None
        assert loaded.options.limits.states == 7
        assert loaded.ready().code
        monkeypatch.chdir(BUG2.parent)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    (gone / "bug2.toml").write_text(f'include = ["{BUG2}"]')
    relative, absolute = for_worker("bug2.toml"), for_worker(BUG2)
    monkeypatch.chdir(tmp_path)
    (gone / "bug2.toml").unlink()
    gone.rmdir()
    assert absolute().file == BUG2
    with pytest.raises(SdnloomError, match=r"bug2.toml: cannot read .*gone' is not on the machine of a worker"):
        relative()


def test_a_program_of_actors_takes_its_own_options() -> None:
    file = EXAMPLES / "actors" / "ssh.py"
    report = run_check(file, reduction="none", symmetry=False, order="bfs")
    assert (report.verdict, report.violations[0].property) == ("violated", "NoContradictoryEntries")
    assert run_check(f"{file}:program", reduce=False).verdict == "violated"


@pytest.mark.parametrize(
    ("subject", "options", "message"),
    [
        (None, {}, "neither is given"),
        (SCENARIO, {"app": "x.py"}, "both are given: Scenario and app"),
        (SCENARIO, {"pings": ["h1,h2"]}, "pings varies a scenario file or an app"),
        (SCENARIO, {"properties": ["NoBlackHoles"]}, "properties has the name 'NoBlackHoles'"),
        (BUG2, {"order_": "bfs"}, "the option 'order_' is unknown; did you mean order?"),
        (BUG2, {"zoom": 1}, "the option 'zoom' is unknown; expected one of app, app_threads, checkpoint, "),
        (BUG2, {"chekpoint": "x"}, "the option 'chekpoint' is unknown; did you mean checkpoint?"),
        (BUG2, {"checkpoint": 3}, "checkpoint is 3; expected the name of a file"),
        (EXAMPLES / "actors" / "ssh.py", {"topology": "single,2"}, "topology is for scenarios and apps"),
        (EXAMPLES / "actors" / "ssh.py", {"properties": ["X"]}, "properties is for scenarios and apps"),
    ],
)
def test_mistakes_name_the_argument(subject, options, message) -> None:
    with pytest.raises(CheckCallError) as error:
        run_check(subject, **options)
    assert message in str(error.value)


def test_a_checkpoint_is_named_in_the_call_that_takes_names() -> None:
    with pytest.raises(CheckCallError) as error:
        SCENARIO.check(checkpoint="x.ckpt")  # type: ignore[arg-type]
    assert str(error.value) == """checkpoint is 'x.ckpt'; expected run_check(scenario, checkpoint="x.ckpt")"""


@pytest.mark.parametrize(
    ("checkpoint", "options", "message"),
    [
        ("x.ckpt", {"max_state": 1}, "the option 'max_state' is unknown; did you mean max_states?"),
        ("x.ckpt", {"zoom": 1}, "expected one of max_states, memory_limit, scenario, time_limit"),
        (3, {}, "checkpoint is 3; expected the name of a file"),
    ],
)
def test_mistakes_in_a_call_that_resumes_name_the_argument(checkpoint, options, message) -> None:
    with pytest.raises(CheckCallError) as error:
        run_resume(checkpoint, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topology": 5}, "topology is 5; expected a text"),
        ({"pings": 5}, "pings is 5; expected a list of texts"),
        ({"pings": [("A", "B")]}, "pings is [('A', 'B')]; expected a list of texts"),
        ({"hosts": -1}, "hosts is -1; expected a whole number of at least 0"),
        ({"ticks": True}, "ticks is true; expected a whole number of at least 0"),
        ({"no_arp": "yes"}, "no_arp is 'yes'; expected true or false"),
        ({"warmup": "long"}, "warmup is 'long'; expected a whole number"),
        ({"hub": "fast"}, "program is a class in plain Python"),
        ({"engine": "fast"}, "engine is 'fast'; expected one of auto, loop, kernel"),
        ({"order": "best"}, "order is 'best'; expected one of auto, bfs, dfs"),
        ({"discover": "all"}, "discover is 'all'; expected true, false"),
        ({"seed": -1}, "seed is -1; expected a whole number of at least 0"),
        ({"memory_limit": "1G"}, "memory_limit is '1G'; expected a whole number of at least 1"),
        ({"threads": 1025}, "threads is 1025; expected at most 1,024"),
        ({"disk": ""}, "disk is ''; expected a folder to write in"),
        ({"cluster": ""}, "cluster is ''; expected local or the address of a Ray cluster"),
        ({"max_states": 0}, "limit states is 0; expected a positive whole number"),
        ({"stacks": "arp"}, "stacks is 'arp'; expected a list of texts"),
        ({"strategy": ["no-delay"]}, "strategy is ['no-delay']; expected a text"),
    ],
)
def test_values_of_a_wrong_type_are_named(options, message) -> None:
    with pytest.raises(SdnloomError) as error:
        run_check(BUG2, **options)
    assert message in str(error.value)


def test_every_option_has_a_type_and_a_meaning() -> None:
    known = set(get_type_hints(CheckKeywords))
    search = set(CheckOptions.__dataclass_fields__) - {"explain"}
    actors = set(ActorOptions.__dataclass_fields__) - {"limits", "only"}
    assert known == (set(get_type_hints(NetworkKeywords)) - {"properties"}) | search | actors
