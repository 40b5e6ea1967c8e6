"""`sdnloom init`: files that it writes, what it prints, and mistakes."""

from pathlib import Path

import pytest

from tests.cli.running import CommandLine

EXAMPLES = Path(__file__).parents[2] / "examples"
APP = EXAMPLES / "apps" / "learning_switch.py"


def test_the_scenario_of_an_app_can_be_checked_at_once(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("init", APP, "--topology", "single,2")
    assert run == (
        0,
        "wrote learning_switch.toml: a scenario for the os-ken program LearningSwitch, OpenFlow 1.3, "
        "topology single,2\n"
        "next: sdnloom check learning_switch.toml\n",
        "",
    )
    assert sdnloom("check", "learning_switch.toml", "--no-trace").out.startswith("VIOLATED NoBlackHoles: ")


def test_without_an_app_it_writes_an_example(sdnloom: CommandLine, tmp_path: Path) -> None:
    run = sdnloom("init")
    assert run.code == 0
    assert run.out.splitlines() == [
        "wrote my_switch.py: a learning switch with a defect",
        "wrote my_switch.toml: a scenario for the os-ken program MySwitch, OpenFlow 1.3, topology single,2",
        "next: sdnloom check my_switch.toml",
    ]
    assert {file.name for file in tmp_path.iterdir()} == {"my_switch.py", "my_switch.toml"}


def test_nothing_is_overwritten_without_force(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "learning_switch.toml").write_text("mine")
    (tmp_path / "my_switch.py").write_text("mine")
    run = sdnloom("init", APP)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: 'learning_switch.toml' exists; expected another name (-o FILE), or --force")
    assert sdnloom("init").code == 2
    assert {file.read_text() for file in tmp_path.iterdir()} == {"mine"}
    assert sdnloom("init", APP, "--force").code == 0
    assert "mine" not in (tmp_path / "learning_switch.toml").read_text()


def test_a_program_of_actors_needs_no_file(sdnloom: CommandLine, tmp_path: Path) -> None:
    file = EXAMPLES / "actors" / "first_program.py"
    run = sdnloom("init", file)
    assert (run.code, run.out.splitlines()[-1]) == (0, f"next: sdnloom check {file}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.py"], "error: nope.py: no such file\n"),
        (["."], "error: program.app is '.'; expected a Python file"),
        ([APP, "-o", "no/folder.toml"], "error: cannot write 'no/folder.toml': there is no folder 'no'"),
        ([APP, "--topo", "ring,0"], "error: command line: --topology.switches is 0; expected a whole number from 1"),
        (["no.such.module"], "error: no.such.module: no such module; expected a Python file or a module"),
    ],
)
def test_mistakes_end_with_one_message(
    arguments: list[object], message: str, sdnloom: CommandLine, tmp_path: Path
) -> None:
    run = sdnloom("init", *arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(message)
    assert list(tmp_path.iterdir()) == []
