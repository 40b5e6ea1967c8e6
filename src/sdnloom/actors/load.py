"""Programs of actors in Python files of the user.

The file runs once, as a module of its own, and can import files of its folder while it does. What it defines as
`program` is the program: a Program, or a function without parameters that returns one.
"""

import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from sdnloom.actors.actor import ActorError
from sdnloom.actors.program import Origin, Program
from sdnloom.errors import SdnloomError
from sdnloom.network.usercode import UserCodeError, imports_beside, run_file, user_code_errors

PROGRAM = "program"  # the name that is looked up if no other is given
_EXPECTED = "a Program of sdnloom.actors, or a function without parameters that returns one"


def load_program(file: str | Path, name: str = PROGRAM) -> Program:
    """The program of a Python file that is defined there under this name.

    Raises an SdnloomError that names the file, and the line where there is one.
    """
    file = Path(file)
    with _places(file):
        module = run_file(file)
        found = _made(file, name, _defined(file, module, name))
    label = file.stem if name == PROGRAM else f"{file.stem}.{name}"
    return replace(found, name=found.name or label, origin=Origin(file, name))


def _defined(file: Path, module: ModuleType, name: str) -> Any:
    if name in vars(module):
        return vars(module)[name]
    others = [each for each, value in vars(module).items() if _offers_program(module, value)]
    if others:
        hint = f"it has {', '.join(others)}: choose one with {file}:{others[0]}"
    else:
        hint = f"expected {_EXPECTED} (an os-ken or Ryu app is given with --app)"
    raise ActorError(f"{file}: defines no {name!r}; {hint}")


def _offers_program(module: ModuleType, value: Any) -> bool:
    """Whether a value of a module can be chosen: a program, or a function of it that says that it returns one."""
    if isinstance(value, Program):
        return True
    if getattr(value, "__module__", None) != module.__name__:
        return False
    annotated = getattr(value, "__annotations__", {}).get("return") if inspect.isfunction(value) else None
    return annotated in (Program, Program.__name__)


def _made(file: Path, name: str, found: Any) -> Program:
    if isinstance(found, Program):
        return found
    if not inspect.isfunction(found) or inspect.iscoroutinefunction(found):
        shown = "an `async def` function" if inspect.iscoroutinefunction(found) else repr(found)[:80]
        raise ActorError(f"{file}: {name} is {shown}; expected {_EXPECTED}")
    required = [
        each.name
        for each in inspect.signature(found).parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    if required:
        raise ActorError(f"{file}: {name}() has the parameter {required[0]!r}; expected {_EXPECTED}")
    with imports_beside(file.resolve()), user_code_errors(file, f"{name}()"):
        program = found()
    if not isinstance(program, Program):
        shown = repr(program)
        raise ActorError(f"{file}: {name}() returns {shown[:80]}; expected a Program of sdnloom.actors")
    return program


@contextmanager
def _places(file: Path) -> Iterator[None]:
    """Add the file, and the line in it, to errors that the program's own declarations cause."""
    try:
        yield
    except UserCodeError:
        raise
    except SdnloomError as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(file.resolve())]
        if not lines:
            raise
        raise ActorError(f"{file}, line {lines[-1]}: {error}") from error
