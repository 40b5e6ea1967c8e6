"""Plain-Python programs under exploration: their files are run again, rewritten to follow symbolic values.

These are the file of the class, and the modules of its folder that it imports. A handler that is inherited from any
other file is not followed, which is noted in each of its runs.
"""

import dataclasses
import importlib.machinery
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sdnloom.network import packet as packets
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import MessageIn
from sdnloom.network.usercode import UserCodeError, imports_beside, user_code_errors
from sdnloom.platforms.explorable import HandlerRun, Holders, MessageContent
from sdnloom.platforms.python.handlers import ProgramError, call_of
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.symbolic.execution import Site, current
from sdnloom.symbolic.operations.builtin_calls import register_replacement
from sdnloom.symbolic.operations.calls import HOOKS_ALIAS
from sdnloom.symbolic.rewrite.module import rewrite
from sdnloom.symbolic.shims.address_libraries import number_written_in
from sdnloom.symbolic.values.make import IPV4, IPV6, MAC, Ipv6Style, NumberStyle, SymInt, SymStr, concrete
from sdnloom.symbolic.values.sym_str import text_of_number

_HERE = Path(__file__).parents[2]  # the package
_PACKETS = _HERE / "network" / "packet"


class SymbolicPython(PythonProgram):
    """A class as a program that can be explored. Law: it reacts as the class without rewriting."""

    def __init__(self, kind: type, *arguments: Any, **options: Any) -> None:
        self.original = kind
        twin, self._files = _rewritten(kind)
        super().__init__(twin, *arguments, **options)

    def rewritten(self) -> "SymbolicPython":
        """The program itself."""
        return self

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The file of the class, and those of its folder that it imports."""
        return self._files

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
        self._note_plain_handler(call_of(given)[0])
        messages, raised = super()._run_once(core, given, change, content)
        return HandlerRun(tuple((str(concrete(switch)), _plain(message)) for switch, message in messages), raised)

    def _note_plain_handler(self, name: str) -> None:
        """Note in the present run that the branches of an inherited handler are not seen."""
        handler, execution = self.handlers.get(name), current()
        code = getattr(handler, "__code__", None)
        if execution is None or code is None or HOOKS_ALIAS in getattr(handler, "__globals__", ()):
            return
        site = Site(code.co_filename, code.co_firstlineno, f"{name} of a file that is not rewritten")
        execution.concretisations[site] = execution.concretisations.get(site, 0) + 1


def _plain(value: Any) -> Any:
    """A message with concrete values."""
    if isinstance(value, OpenFlowMessage) or dataclasses.is_dataclass(value):
        parts = {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)  # type: ignore[type-var]
    return tuple(map(_plain, value)) if isinstance(value, tuple) else concrete(value)


def _rewritten(kind: type) -> tuple[type, tuple[Path, ...]]:
    """The class of the same name in its file, rewritten, and the files that were."""
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
    finder = _RewritingFinder(str(file.parent))
    with imports_beside(file), finder.first(), user_code_errors(file, "the file"):
        exec(code, module.__dict__)  # running the user's file is the purpose
    found = getattr(module, kind.__qualname__, None)
    if not isinstance(found, type):
        raise ProgramError(f"{kind.__qualname__} cannot be explored; expected a class at the top level of {file.name}")
    return found, tuple(sorted({file, *finder.files}))


class _RewritingFinder:
    """Finds the modules of a folder and rewrites them, while the file of a program is run."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.files: set[Path] = set()

    @contextmanager
    def first(self) -> Iterator[None]:
        """Context in which this finder is asked before all others."""
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module in the folder; None leaves it to the other finders."""
        if name in sys.stdlib_module_names:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, [self._folder] if path is None else path)
        if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        if not Path(spec.origin).resolve().is_relative_to(self._folder):
            return None
        self.files.add(Path(spec.origin).resolve())
        spec.loader = _RewritingLoader(name, spec.origin)
        return spec


class _RewritingLoader(importlib.machinery.SourceFileLoader):
    """Runs a module with rewritten code."""

    def get_code(self, fullname: str) -> CodeType:
        """Rewrite the file; no bytecode is kept."""
        path = self.get_filename(fullname)
        return rewrite(self.get_data(path), str(Path(path).resolve()), watched=True)


# Addresses as text: conditions on them are conditions on the number.


def _writer(plain: Callable[[int], str], style: NumberStyle, bits: int) -> Callable[[Any], str]:
    def text(address: Any) -> str:
        if isinstance(address, SymInt) and 0 <= address < 1 << bits:
            return text_of_number(address, style)
        return plain(concrete(address))

    return text


def _reader(plain: Callable[[str], int], accepts: Callable[[NumberStyle], bool]) -> Callable[[Any], int]:
    def number(text: Any) -> int:
        found = number_written_in(text, accepts)
        if found is not None:
            return found
        return plain(text.concretise("address of unusual text") if isinstance(text, SymStr) else text)

    return number


def _is_ip(style: NumberStyle) -> bool:
    return style == IPV4 or isinstance(style, Ipv6Style)


register_replacement(packets.mac_text, _writer(packets.mac_text, MAC, 48))
register_replacement(packets.ip4_text, _writer(packets.ip4_text, IPV4, 32))
register_replacement(packets.ip6_text, _writer(packets.ip6_text, IPV6, 128))
register_replacement(packets.mac, _reader(packets.mac, lambda style: style == MAC))
register_replacement(packets.ip, _reader(packets.ip, _is_ip))
