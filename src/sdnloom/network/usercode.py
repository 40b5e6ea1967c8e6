"""Loading of Python files that the user names; `check`, `crosscheck` and `actors` share it.

The files hold controller programs, Mininet topologies, hosts and properties. They run in this process with all rights
of the user. An exception in them becomes one error message with its file and line.
"""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from sdnloom.engine.stop_points import interruptible
from sdnloom.errors import SdnloomError


class UserCodeError(SdnloomError):
    """A Python file that cannot be used. The message names file, line and reason."""


def run_file(file: Path) -> ModuleType:
    """Run the file and return it as a new module. It can import files of its folder while it runs."""
    path = file.resolve()
    try:
        source = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserCodeError(f"{file}: cannot read the Python file: {reason}") from error
    try:
        code = compile(source, str(path), "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise UserCodeError(f"{file}{line}: not Python: {getattr(error, 'msg', error)}") from error
    module = ModuleType(f"sdnloom_file_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up by name
    with imports_beside(path), user_code_errors(file, "the file"), interruptible():
        exec(code, module.__dict__)
    return module


@contextmanager
def user_code_errors(file: Path, what: str) -> Iterator[None]:
    """Turn exceptions of the user's code into a UserCodeError that names `what`, the file and the line."""
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
def imports_beside(path: Path) -> Iterator[None]:
    """Let a file import files of its folder; afterwards these are unloaded and their names are free."""
    folder, known = str(path.parent), set(sys.modules)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).parent.is_relative_to(folder):
                del sys.modules[name]
