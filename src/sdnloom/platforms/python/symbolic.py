"""Plain-Python programs under exploration: their file is run again, rewritten to follow symbolic values."""

import dataclasses
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import MessageIn
from sdnloom.network.usercode import UserCodeError, imports_beside, user_code_errors
from sdnloom.platforms.explorable import HandlerRun, Holders, MessageContent
from sdnloom.platforms.python.program import ProgramError, PythonProgram
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.values.make import concrete

_HERE = Path(__file__).parents[2]  # the package
_PACKETS = _HERE / "network" / "packet"


class SymbolicPython(PythonProgram):
    """A class as a program that can be explored. Law: it reacts as the class without rewriting."""

    def __init__(self, kind: type, *arguments: Any, **options: Any) -> None:
        self.original = kind
        super().__init__(_rewritten(kind), *arguments, **options)

    def rewritten(self) -> "SymbolicPython":
        """The program itself."""
        return self

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The file of the class."""
        return (Path(inspect.getfile(self.original)).resolve(),)

    @property
    def library(self) -> tuple[str, ...]:
        """None: the packet codec has no function that a program would branch in."""
        return ()

    @property
    def quiet(self) -> tuple[str, ...]:
        """The packet codec, the OpenFlow messages and the platforms."""
        network = _HERE / "network"
        folders = (_PACKETS, network / "openflow", network / "bitstruct.py", network / "value.py", _HERE / "platforms")
        return tuple(map(str, folders))

    @property
    def parsers(self) -> tuple[str, ...]:
        """The packet codec."""
        return (str(_PACKETS),)

    def attempt(self, core: Any, given: MessageIn, content: MessageContent | None = None) -> HandlerRun:
        """Run the handler of a message in a state, with other content in the message."""
        return self._run_once(core, given, None, content)

    def _run_once(
        self,
        core: Any,
        given: MessageIn,
        change: Callable[[Holders], None] | None = None,
        content: MessageContent | None = None,
    ) -> HandlerRun:
        messages, raised = super()._run_once(core, given, change, content)
        return HandlerRun(tuple((str(concrete(switch)), _plain(message)) for switch, message in messages), raised)


def _plain(value: Any) -> Any:
    """A message with concrete values."""
    if isinstance(value, OpenFlowMessage) or dataclasses.is_dataclass(value):
        parts = {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)  # type: ignore[type-var]
    return tuple(map(_plain, value)) if isinstance(value, tuple) else concrete(value)


def _rewritten(kind: type) -> type:
    """The class of the same name in its file, rewritten."""
    try:
        file = Path(inspect.getfile(kind)).resolve()
        source = file.read_bytes()
    except (OSError, TypeError) as error:
        raise ProgramError(f"{kind.__name__} cannot be explored: its source is not there ({error})") from error
    module = ModuleType(f"{kind.__module__}_symbolic")
    module.__file__ = str(file)
    try:
        code = rewrite(source, str(file), watched=True)
    except (SyntaxError, ValueError) as error:
        raise UserCodeError(f"{file}: not Python: {error}") from error
    sys.modules[module.__name__] = module
    with imports_beside(file), user_code_errors(file, "the file"):
        exec(code, module.__dict__)  # running the user's file is the purpose
    found = getattr(module, kind.__qualname__, None)
    if not isinstance(found, type):
        raise ProgramError(f"{kind.__qualname__} cannot be explored; expected a class at the top level of {file.name}")
    return found
