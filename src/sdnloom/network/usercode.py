"""Python files that the user chose: controller programs, Mininet topologies, hosts and properties of one's own.

They run in this process, with all rights of the user. What goes wrong in them is one message with their line.
"""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from sdnloom.errors import SdnloomError


class UserCodeError(SdnloomError):
    """A Python file that cannot be used. The message names file, line and reason."""


def run_file(file: Path) -> ModuleType:
    """The file as a module, run afresh. It can import its neighbours while it runs."""
    place = file.resolve()
    try:
        source = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserCodeError(f"{file}: cannot read the Python file: {reason}") from error
    try:
        code = compile(source, str(place), "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise UserCodeError(f"{file}{line}: not Python: {getattr(error, 'msg', error)}") from error
    module = ModuleType(f"sdnloom_file_{place.stem}")
    module.__file__ = str(place)
    sys.modules[module.__name__] = module  # dataclasses and the like look their module up by name
    with imports_beside(place), user_code_errors(file, "the file"):
        exec(code, module.__dict__)  # the user named this file to have it run
    return module


@contextmanager
def user_code_errors(file: Path, what: str) -> Iterator[None]:
    """Turn what the user's code raises into one message with its line."""
    try:
        yield
    except SdnloomError:
        raise
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(file.resolve())]
        where = f", line {lines[-1]}" if lines else ""
        raise UserCodeError(f"{file}{where}: {what} raised {type(error).__name__}: {error}") from error


@contextmanager
def imports_beside(place: Path) -> Iterator[None]:
    """Let a file import its neighbours; afterwards their names are free for another file's."""
    folder, known = str(place.parent), set(sys.modules)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).parent.is_relative_to(folder):
                del sys.modules[name]
