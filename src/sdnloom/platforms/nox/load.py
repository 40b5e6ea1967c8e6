"""Loads the modules of a NOX program, with an `import` that finds the modules that NOX provides.

A program's own modules are those beside its file. They belong to the program alone and are not in `sys.modules`.
"""

import ast
import builtins
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from sdnloom.engine.stop_points import interruptible
from sdnloom.network.usercode import UserCodeError, user_code_errors
from sdnloom.platforms.handler_errors import own_line
from sdnloom.platforms.python2 import port_advice, python2_sign
from sdnloom.platforms.sandbox.own_modules import Compiler, compile_source

CLOCKS = frozenset({"time", "datetime", "uuid", "twisted"})  # modules by which a program can read the time


class Loader:
    """Loads the modules of one program."""

    def __init__(
        self,
        provided: Mapping[str, ModuleType],
        write: Callable[[str], object],
        compiler: Compiler = compile_source,
    ) -> None:
        self.provided, self.compiler, self._write = provided, compiler, write
        self.folders: list[Path] = []
        self.modules: dict[str, ModuleType] = {}
        self.files: dict[str, Path] = {}
        self.tells_time = False
        self._builtins = {**vars(builtins), "__import__": self._import, "print": self._print}

    def load(self, file: Path) -> ModuleType:
        """Return the module of a file; UserCodeError says why there is none."""
        if not file.is_file():
            raise UserCodeError(f"{file}: cannot read the Python file: No such file")
        self.folders.append(file.resolve().parent)
        with user_code_errors(file, "the file"):
            try:
                return self._run(file.stem, file.resolve(), file)
            except (ImportError, NameError, AttributeError, TypeError) as error:
                place = own_line(error, frozenset(map(str, self.files.values())))
                if place is None or (sign := python2_sign(error)) is None:
                    raise
                raise UserCodeError(f"{place[0]}, line {place[1]}: {port_advice(sign, place[0])}") from error

    def _run(self, name: str, place: Path, shown: Path) -> ModuleType:
        if name in self.modules:
            return self.modules[name]
        module = ModuleType(name)
        module.__file__ = str(place)
        package = place.name == "__init__.py"
        module.__package__ = name if package else name.rpartition(".")[0]
        if package:
            module.__path__ = [str(place.parent)]
        vars(module)["__builtins__"] = self._builtins
        code = self._compiled(place, shown)
        self.modules[name], self.files[name] = module, place
        with quiet(), interruptible():
            exec(code, vars(module))  # running the user's file is the purpose
        return module

    def _compiled(self, place: Path, shown: Path) -> Any:
        try:
            source = place.read_bytes()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # warnings about the style of an app are not our business
                self.tells_time |= _tells_time(ast.parse(source, str(place)))
                return self.compiler(source, str(place))
        except OSError as error:
            raise UserCodeError(f"{shown}: cannot read the Python file: {error.strerror}") from error
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            sign = python2_sign(error)
            reason = f"not Python 3: {getattr(error, 'msg', error)}" if sign is None else port_advice(sign, str(place))
            raise UserCodeError(f"{shown}{line}: {reason}") from error

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """`__import__` of the program."""
        if level:
            package = str((globals or {}).get("__package__") or "")
            parts = package.split(".")[: len(package.split(".")) - level + 1]
            name = ".".join([*parts, name] if name else parts).strip(".")
        module = self._find(name)
        if module is None:
            return builtins.__import__(name, globals, locals, fromlist, 0)
        if not fromlist:
            return self._find(name.partition(".")[0])
        for each in fromlist:
            if each != "*" and not hasattr(module, each) and name in self.modules:
                inner = self._find(f"{name}.{each}")
                if inner is not None:
                    setattr(module, each, inner)
        return module

    def _print(self, *values: Any, **options: Any) -> None:
        """`print` of the program, wherever it prints to: a search runs handlers in no readable order."""
        options.pop("file", None)
        text = io.StringIO()
        builtins.print(*values, **options, file=text)
        self._write(text.getvalue())

    def _find(self, name: str) -> ModuleType | None:
        """Return a module of NOX or of the program; None leaves it to the normal import."""
        if name in self.provided:
            return self.provided[name]
        if name.partition(".")[0] in ("nox", "twisted"):
            known = sorted(each for each in self.provided if each.startswith(("nox.", "twisted.")))
            raise ModuleNotFoundError(f"sdnloom has no {name!r}; it has {', '.join(known)}", name=name)
        if name in self.modules:
            return self.modules[name]
        for folder in self.folders:
            place = folder.joinpath(*name.split("."))
            for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
                if file.is_file():
                    module = self._run(name, file, file)
                    package, _, last = name.rpartition(".")
                    if package and (holder := self._find(package)) is not None:
                        setattr(holder, last, module)
                    return module
        return None


def _tells_time(tree: ast.AST) -> bool:
    """Whether a module imports, anywhere, a module by which it can read the time."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return any(name.partition(".")[0] in CLOCKS for name in names)


@contextmanager
def quiet() -> Iterator[None]:
    """Context in which the log of the program is discarded."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
