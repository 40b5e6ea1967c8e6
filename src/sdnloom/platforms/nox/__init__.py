"""Apps written for the NOX controller, on Python 3."""

from sdnloom.platforms.nox.kernel import NoxError
from sdnloom.platforms.nox.program import NoxProgram

__all__ = ["NoxError", "NoxProgram"]
