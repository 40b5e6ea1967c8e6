"""What kind of program a file holds, without running it."""

from pathlib import Path

import pytest

from sdnloom.check.starter.program_kind import ProgramKind, program_kind

SWITCHES = ("PySwitch", "HardTimeout", "Following", "ReverseSecond", "ReverseFirst", "SpanningTree")
EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("apps/learning_switch.py", ProgramKind("os-ken")),
        ("apps/learning_switch_fixed.py", ProgramKind("os-ken")),  # its base is in the file beside it
        ("apps/delayed_switch.py", ProgramKind("os-ken", timers=("delayed_switch.py:17: hub.sleep(1)",))),
        ("mac_learning_nox/learning.py", ProgramKind("NOX")),
        ("mac_learning/learning.py", ProgramKind("plain Python", SWITCHES)),
        ("actors/first_program.py", ProgramKind("actors")),
        ("no_such_file.py", ProgramKind("os-ken")),
        ("mac_learning/bug1.toml", ProgramKind("os-ken")),
    ],
)
def test_kinds_of_examples(file: str, kind: ProgramKind) -> None:
    assert program_kind(EXAMPLES / file) == kind


def test_a_handler_whose_base_class_is_an_app_beside_it_is_no_plain_class(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("from ryu.base import app_manager\nfrom ryu.topology.api import get_switch\n")
    (tmp_path / "app.py").write_text("import base\n\n\nclass App(base.Base):\n    def packet_in(self, event): ...\n")
    assert program_kind(tmp_path / "app.py") == ProgramKind("os-ken", asks_for_links=True)


def test_files_that_import_each_other_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("import two\nimport one\n\n\nclass Hub:\n    def packet_in(self, *given): ...\n")
    (tmp_path / "two.py").write_text("import one\n")
    assert program_kind(tmp_path / "one.py") == ProgramKind("plain Python", ("Hub",))


def test_a_program_of_plain_python_may_use_the_public_names(tmp_path: Path) -> None:
    text = "from sdnloom import openflow\n\n\nclass Hub:\n    def switch_join(self, *given): ...\n"
    (tmp_path / "hub.py").write_text(text)
    assert program_kind(tmp_path / "hub.py") == ProgramKind("plain Python", ("Hub",))
