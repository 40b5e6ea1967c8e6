"""Programs of actors are loaded from Python files; a mistake is one message with file and line."""

import sys
from pathlib import Path

import pytest

from sdnloom.actors import Program, load_program
from sdnloom.errors import SdnloomError

ONE = """\
from sdnloom.actors import Actor, Program

class Counter(Actor):
    count: int = 0

    async def add(self):
        self.count += 1

counter = Counter("counter")
"""
PROGRAM = f"{ONE}program = Program([counter], [counter.add()])\n"


def loaded(folder: Path, text: str, name: str = "program") -> Program:
    (folder / "counting.py").write_text(text)
    return load_program(folder / "counting.py", name)


def refusal(folder: Path, text: str, name: str = "program") -> str:
    with pytest.raises(SdnloomError) as error:
        loaded(folder, text, name)
    return str(error.value).replace(str(folder), "FOLDER")


def test_a_program_is_found_under_its_name_and_knows_its_file(tmp_path: Path) -> None:
    program = loaded(tmp_path, PROGRAM)
    assert [actor.name for actor in program.actors] == ["counter"]
    assert (program.name, program.origin) == ("counting", (tmp_path / "counting.py", "program"))
    assert loaded(tmp_path, PROGRAM.replace("program = ", "other = "), "other").name == "counting.other"


def test_a_name_that_the_program_gives_itself_is_kept(tmp_path: Path) -> None:
    assert loaded(tmp_path, PROGRAM.replace("add()])", "add()], name='count')")).name == "count"


def test_a_function_without_required_parameters_makes_the_program(tmp_path: Path) -> None:
    text = f"{ONE}def program(times=2):\n    return Program([counter], [counter.add() for _ in range(times)])\n"
    assert len(loaded(tmp_path, text).start) == 2


def test_a_file_imports_modules_of_its_folder_which_are_unloaded_afterwards(tmp_path: Path) -> None:
    (tmp_path / "counters_of_mine.py").write_text(ONE)
    text = "from counters_of_mine import counter, Program\nprogram = Program([counter], [counter.add()])\n"
    path = list(sys.path)
    assert len(loaded(tmp_path, text).start) == 1
    assert "counters_of_mine" not in sys.modules
    assert sys.path == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 1\n",
            "FOLDER/counting.py: defines no 'program'; expected a Program of sdnloom.actors, or a function without "
            "parameters that returns one (an os-ken or Ryu app is given with --app)",
        ),
        (
            f"{PROGRAM.replace('program = ', 'first = ')}def second() -> Program: ...\n",
            "FOLDER/counting.py: defines no 'program'; it has first, second: choose one with FOLDER/counting.py:first",
        ),
        (
            "program = 3\n",
            "FOLDER/counting.py: program is 3; expected a Program of sdnloom.actors, or a function without parameters "
            "that returns one",
        ),
        (
            "async def program(): ...\n",
            "FOLDER/counting.py: program is an `async def` function; expected a Program of sdnloom.actors",
        ),
        (
            "def program(size, limit=1): ...\n",
            "FOLDER/counting.py: program() has the parameter 'size'; expected a Program of sdnloom.actors, or a "
            "function without parameters that returns one",
        ),
        (
            "def program():\n    return [1]\n",
            "FOLDER/counting.py: program() returns [1]; expected a Program of sdnloom.actors",
        ),
        (
            "def program():\n    return 1 // 0\n",
            "FOLDER/counting.py, line 2: program() raised ZeroDivisionError: integer division or modulo by zero",
        ),
        ("import nothing_at_all\n", "FOLDER/counting.py, line 1: the file raised ModuleNotFoundError: No module"),
        ("raise SystemExit(0)\n", "FOLDER/counting.py, line 1: the file raised SystemExit: 0"),
        ("def (\n", "FOLDER/counting.py, line 1: not Python: invalid syntax"),
        (
            f"{ONE}program = Program([counter, counter.add], [])\n",
            "FOLDER/counting.py, line 10: actors has <bound method Counter.add of counter>; expected actors, such as",
        ),
        (
            f"{ONE}\n\nclass Bad(Actor):\n    name: str = 'x'\n",
            "FOLDER/counting.py, line 12: class Bad has a field 'name'; expected another name: actors have it",
        ),
    ],
)
def test_a_file_without_a_program_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, text).startswith(message)


def test_an_unknown_name_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    assert refusal(tmp_path, PROGRAM, "other") == (
        "FOLDER/counting.py: defines no 'other'; it has program: choose one with FOLDER/counting.py:program"
    )


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SdnloomError, match=r"none.py: cannot read the Python file: No such file or directory"):
        load_program(tmp_path / "none.py")
