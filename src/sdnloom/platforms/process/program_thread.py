"""The thread of this process in which a program under test runs now.

Names of real modules are rebound while a program runs. Other threads of this process see the same names, so whatever
is bound to them asks here whether it was called by the program.
"""

from collections.abc import Callable
from threading import get_ident
from typing import Any


class ProgramThread:
    """The thread; 0 while no program runs."""

    ident = 0


def in_program() -> bool:
    """Whether the caller is in the thread of a program that runs."""
    return get_ident() == ProgramThread.ident


def for_program(fake: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `fake` in the program's thread and `real` in others."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        return (fake if get_ident() == ProgramThread.ident else real)(*args, **kwargs)

    chosen.__name__ = chosen.__qualname__ = getattr(real, "__name__", "chosen")
    return chosen


class ForProgram(type):
    """Metaclass of a class that stands for a real one: called in another thread, it makes an object of the real one."""

    real: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "real" in vars(cls) and get_ident() != ProgramThread.ident:
            return cls.real(*args, **kwargs)
        return super().__call__(*args, **kwargs)
