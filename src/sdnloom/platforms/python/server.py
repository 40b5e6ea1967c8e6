"""Runs a program in plain Python in a process of its own (`python -m sdnloom.platforms.python.server`).

There is one live instance, which keeps its state: nothing is captured or restored. Handlers are called with a `Net`
whose messages are sent when they return; an exception ends its handler, and what was sent before stays, as in the
model.
"""

import importlib.util
import operator
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from sdnloom.network.program import Input
from sdnloom.network.usercode import UserCodeError, run_file, user_code_errors
from sdnloom.platforms.handler_errors import error_line
from sdnloom.platforms.python.handlers import Net, call_of, handlers_of, raising_line
from sdnloom.platforms.server.report_lines import RaisedReport
from sdnloom.platforms.server.serve import serve
from sdnloom.platforms.server.served_program import ServedProgram, ServedReaction


class ServedPython(ServedProgram):
    """An instance of a class: that of a module if this is the module of the file, else that of the file, run anew."""

    def __init__(self, file: Path, name: str, arguments: Mapping[str, Any], module_name: str = "") -> None:
        module = _imported(module_name, file) or run_file(file)
        try:
            kind = operator.attrgetter(name)(module)
        except AttributeError:
            raise UserCodeError(f"{file}: has no class {name!r}") from None
        self._handlers = handlers_of(kind)
        with user_code_errors(file, f"{name}({arguments!r})"):
            self._instance = kind(**arguments)

    def handle(self, given: Input) -> ServedReaction:
        """Call the handler of the input, if the class has one."""
        name, arguments = call_of(given)
        handler = self._handlers.get(name)
        if handler is None:
            return ServedReaction()
        net = Net()
        try:
            handler(self._instance, net, *arguments)
        except (Exception, SystemExit) as error:  # the program's; the model goes on, too
            frames = traceback.extract_tb(error.__traceback__)[1:]  # without this one
            lines = [(frame.filename, frame.lineno or 0) for frame in frames]
            raised = RaisedReport(error_line(error), *raising_line(handler, error), lines)
            return ServedReaction(net.messages, (raised,))
        return ServedReaction(net.messages)


def _imported(name: str, file: Path) -> ModuleType | None:
    """Return the module of that name, which may have relative imports; None if it is not that of the file."""
    if not name or name == "__main__":
        return None
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if found is None or found.origin is None or Path(found.origin).resolve() != file:
        return None
    with user_code_errors(file, "the file"):
        return importlib.import_module(name)


def _make(document: Mapping[str, Any]) -> ServedProgram:
    return ServedPython(Path(document["file"]), document["class"], document["arguments"], document["module"])


if __name__ == "__main__":
    serve(_make)
