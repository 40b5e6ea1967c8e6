"""Agents of the user's own: found by file and module, as private copies; wrong names are errors that say why."""

from pathlib import Path

import pytest

from sdnloom.crosscheck.agent import AgentError
from sdnloom.crosscheck.agents.load import class_in_module, load_agent
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.exploration import ExploreOptions, explore_agent
from sdnloom.crosscheck.test_document import load_test
from sdnloom.errors import SdnloomError
from tests.crosscheck.cases import OUTPUT_TEST, PORT, SMALL_AGENT, TYPE

AGENT = """\
from __future__ import annotations

from dataclasses import dataclass

from ports import allowed


@dataclass
class Rule:
    port: int


class Own:
    def __init__(self, version=9):
        self.version = version

    def reset(self):
        return []

    def message(self, data):
        from late import offset

        rule = Rule(int.from_bytes(data[20:22], "big") + offset)
        return [(rule.port, bytes([self.version]))] if data[1] == 13 and allowed(rule.port) else []

    def packet(self, port, frame):
        return []

    def advance(self, milliseconds):
        return []
"""


def own_agent(folder: Path, most: int) -> Path:
    """An agent with two modules beside it, one of which is imported in a function."""
    folder.mkdir()
    (folder / "own.py").write_text(AGENT)
    (folder / "ports.py").write_text(f"def allowed(port):\n    return port <= {most}\n")
    (folder / "late.py").write_text("offset = 0\n")
    return folder / "own.py"


def test_an_old_and_a_new_version_with_the_same_names_do_not_clash(tmp_path: Path) -> None:
    old, new = (load_agent(f"{own_agent(tmp_path / name, most)}:Own") for name, most in (("old", 3), ("new", 5)))
    only = OUTPUT_TEST.cases[0]
    with old.open(1) as first, new.open(1) as second:
        for port, forwards in ((3, (True, True)), (4, (False, True)), (6, (False, False))):
            outputs = [run_case(agent, only, 1, {TYPE.name: 0, PORT.name: port}) for agent in (first, second)]
            assert tuple(bool(output[0]) for output in outputs) == forwards
    bounds = []
    for source in (old, new):
        partition = explore_agent(source, OUTPUT_TEST)
        assert partition.complete, partition.reasons
        assert len(partition.classes) == 2
        bounds.append({str(condition) for each in partition.classes for condition in each.condition})
    assert bounds[0] != bounds[1]


def test_the_version_is_passed_to_a_constructor_that_has_it(tmp_path: Path) -> None:
    source = load_agent(f"{own_agent(tmp_path / 'old', 3)}:Own")
    with source.open(4) as agent:
        ((event,),) = run_case(agent, OUTPUT_TEST.cases[0], 4, {TYPE.name: 0, PORT.name: 1})
    assert event.values() == {"port": 1, "data": b"\4"}


def test_a_class_of_a_module_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_agent(tmp_path / "package", 3)
    (tmp_path / "package" / "__init__.py").write_text("")
    file = tmp_path / "package" / "own.py"
    file.write_text(file.read_text().replace("from ports", "from .ports").replace("from late", "from package.late"))
    monkeypatch.chdir(tmp_path)
    partition = explore_agent(load_agent("package.own:Own"), OUTPUT_TEST)
    assert (partition.agent, partition.complete, len(partition.classes)) == ("package.own:Own", True, 2)


def test_a_module_of_the_current_folder_may_import_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_agent(tmp_path / "agents", 3)
    monkeypatch.chdir(tmp_path / "agents")
    partition = explore_agent(load_agent("own:Own"), OUTPUT_TEST)
    assert (partition.reasons, partition.complete, len(partition.classes)) == ((), True, 2)


def test_a_class_of_an_installed_module() -> None:
    assert class_in_module("tests.crosscheck.small_agent", "Small").versions == {1, 4}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nobody", "agent 'nobody': expected one of strict, "),
        ("", "agent '': expected one of"),
        (":Own", "agent ':Own': expected one of"),
        ("no such module:Own", "'no such module' is no name of a module"),
        ("no_such_module:Own", "there is no module 'no_such_module' in this folder or installed"),
        ("no/such/file.py:Own", "no/such/file.py: cannot read the agent: No such file or directory"),
        (f"{SMALL_AGENT}:Nobody", "small_agent.py has no class Nobody"),
        (f"{SMALL_AGENT}:HELLO", "small_agent.py has no class HELLO"),
        ("pathlib:Path", "agent pathlib:Path: the class lacks reset, message, packet, advance"),
    ],
)
def test_a_wrong_name_is_an_error(name: str, reason: str) -> None:
    with pytest.raises(SdnloomError) as caught:
        load_agent(name)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("class Own(:\n", "own.py, line 1: not Python"),
        ("x = 1\nraise ValueError('no')\n", "own.py, line 2: the agent raised ValueError: no"),
        ("import nothing_there\n", "own.py, line 1: the agent raised ModuleNotFoundError"),
        (
            "class Own:\n    versions = '1.0'\n    reset = message = packet = advance = print\n",
            "versions is '1.0'; expected numbers such as (1, 4)",
        ),
        (
            "class Own:\n    versions = None\n    reset = message = packet = advance = print\n",
            "versions is None; expected",
        ),
        ("class Own:\n    versions = (7,)\n    reset = message = packet = advance = print\n", "version 1"),
        (
            "class Own:\n    def __init__(self, a):\n        pass\n    reset = message = packet = advance = print\n",
            "Own() raised TypeError",
        ),
    ],
)
def test_an_agent_that_cannot_be_used_is_an_error(tmp_path: Path, source: str, reason: str) -> None:
    file = tmp_path / "own.py"
    file.write_text(source)
    with pytest.raises(SdnloomError) as caught, load_agent(f"{file}:Own").open(1):
        pass
    assert reason in str(caught.value)


def test_an_agent_that_speaks_one_version_says_so(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("class Own:\n    versions = (7,)\n    reset = message = packet = advance = print\n")
    with pytest.raises(AgentError, match="does not speak OpenFlow version 1"):
        load_agent(f"{file}:Own").symbolic(1)


WRAPPER = """
{imported}

class Own:
    versions = (1,)

    def __init__(self):
        self.inner = {made}
        self.reset, self.packet, self.advance = self.inner.reset, self.inner.packet, self.inner.advance

    reset = packet = advance = None.__class__

    def message(self, data):
        return self.inner.message(data)
"""


@pytest.mark.parametrize(
    ("agent", "imported", "made"),
    [
        ("strict", "from sdnloom.crosscheck.agents.strict import StrictAgent", "StrictAgent(1)"),
        (
            "reference-like",
            "from sdnloom.crosscheck.agents.compact.agent_names import named_agent",
            "named_agent('reference-like', 1)",
        ),
    ],
)
def test_an_agent_around_one_of_sdnlooms_own_is_explored_like_it(
    tmp_path: Path, agent: str, imported: str, made: str
) -> None:
    """The code inside is rewritten too: as it is, it would read symbolic bytes as plain ones and have one class."""
    file = tmp_path / "own.py"
    file.write_text(WRAPPER.format(imported=imported, made=made))
    test = load_test("queue-config")
    own, known = (explore_agent(load_agent(name), test) for name in (f"{file}:Own", agent))
    assert (own.complete, known.complete) == (True, True)
    assert {(each.condition, each.output) for each in own.classes} == {
        (each.condition, each.output) for each in known.classes
    }


def test_an_agent_of_sdnlooms_own_that_is_not_rewritten_loses_constraints(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    loaded = "import sdnloom.crosscheck.agents.load as load"
    made = "load.load_agent('reference-like').open(1).__enter__()"
    file.write_text(WRAPPER.format(imported=loaded, made=made))
    found = explore_agent(load_agent(f"{file}:Own"), load_test("queue-config"), ExploreOptions(paths=5))
    assert not found.complete
    assert any("own.py:14 (call of sdnloom.crosscheck" in reason for reason in found.reasons), found.reasons
