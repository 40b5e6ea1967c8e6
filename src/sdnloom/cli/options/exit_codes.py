"""The exit code of each verdict."""

from collections.abc import Mapping
from typing import Final

from sdnloom.engine.result import VerdictName

EXIT_CODES: Final[Mapping[VerdictName, int]] = {"holds": 0, "violated": 1, "vacuous": 3, "incomplete": 3}
