"""The exit code of each verdict, and of each outcome of a confirmation."""

from collections.abc import Mapping
from typing import Final

from sdnloom.confirm.outcome import ConfirmOutcome
from sdnloom.engine.result import VerdictName

EXIT_CODES: Final[Mapping[VerdictName, int]] = {"holds": 0, "violated": 1, "vacuous": 3, "incomplete": 3}
DIFFERENT_EXIT: Final = 4  # the real system does something else than the model
CONFIRM_EXIT_CODES: Final[Mapping[ConfirmOutcome, int]] = {
    ConfirmOutcome.CONFIRMED: 1,
    ConfirmOutcome.AGREED: 0,
    ConfirmOutcome.NOT_POSSIBLE: 3,
    ConfirmOutcome.DIFFERENT: DIFFERENT_EXIT,
}
