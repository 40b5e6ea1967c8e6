"""Python files of a scenario."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.network.usercode import UserCodeError, run_file


class CodeFiles:
    """The Python files of one scenario, each run once."""

    def __init__(self) -> None:
        self._modules: dict[Path, ModuleType] = {}

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were run."""
        return tuple(self._modules)

    @contextmanager
    def errors_with_lines(self) -> Iterator[None]:
        """Turn exceptions of code in these files into one message with the line; others pass."""
        try:
            yield
        except SdnloomError:
            raise
        except (Exception, SystemExit) as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in frames if Path(frame.filename) in self._modules]
            if not own:
                raise
            where = f"{own[-1].filename}, line {own[-1].lineno}"
            raise UserCodeError(f"{where}: {own[-1].name} raised {type(error).__name__}: {error}") from error

    def get(self, file: Path, name: str) -> Any:
        """The object of that name in the file."""
        module = self.module(file)
        found = getattr(module, name, None)
        if found is None:
            known = ", ".join(names_in(module)) or "none"
            raise UserCodeError(f"{file}: has no {name!r}; the classes and functions in it are: {known}")
        return found

    def get_class(self, file: Path, name: str | None) -> type:
        """The class of that name, or the only one that the file defines."""
        if name is not None:
            found = self.get(file, name)
            if not isinstance(found, type):
                raise UserCodeError(f"{file}: {name!r} is a {type(found).__name__}; expected a class")
            return found
        module = self.module(file)
        classes = [one for one in names_in(module) if isinstance(getattr(module, one), type)]
        if len(classes) != 1:
            known = ", ".join(classes) or "none"
            raise UserCodeError(
                f"{file}: the classes in it are: {known}; expected exactly one, or the key `class` to choose one"
            )
        chosen: type = getattr(module, classes[0])
        return chosen

    def module(self, file: Path) -> ModuleType:
        """The file as a module."""
        place = file.resolve()
        if place not in self._modules:
            self._modules[place] = run_file(file)
        return self._modules[place]


def names_in(module: ModuleType) -> list[str]:
    """The classes and functions that a file defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
