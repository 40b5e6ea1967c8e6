"""Apps written for the NOX controller, on Python 3.

The program is imported when it is first used: a server of apps (`server.py`) does without it and its capture of states.
"""

from typing import TYPE_CHECKING, Any

from sdnloom.platforms.nox.kernel import NoxError

if TYPE_CHECKING:
    from sdnloom.platforms.nox.program import NoxProgram

__all__ = ["NoxError", "NoxProgram"]


def __getattr__(name: str) -> Any:
    if name != "NoxProgram":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sdnloom.platforms.nox.program import NoxProgram

    return NoxProgram
