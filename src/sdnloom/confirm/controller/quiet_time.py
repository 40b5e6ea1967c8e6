"""Stands for the process of a controller that sdnloom did not start, and cannot look into.

The end of its reactions is found with echo requests, which it has to answer, and with quiet time: what it sends later
than that belongs, for a confirmation, to its next step.
"""

import time
from typing import Any, Final

from sdnloom.confirm.real_parts import NotEnforceable

QUIET_SECONDS: Final = 0.1


class NoProcess:
    """A process that reports nothing, has no log that we know, and is not ours to end.

    `quiet` is the time in seconds after which it is taken to rest.
    """

    def __init__(self, quiet: float = QUIET_SECONDS) -> None:
        self.quiet = quiet

    process_id = 0
    report_file = -1
    ended = ""
    log = ""

    def reports(self) -> list[dict[str, Any]]:
        """Return none."""
        return []

    def write_line(self, text: str) -> None:
        """Refuse: its standard input is not ours."""
        raise NotEnforceable("a controller that already runs takes no lines")

    def close(self) -> None:
        """Leave it alone."""


class QuietTime:
    """Rest that is only assumed: some time passes, whatever the controller does."""

    awake = ""  # what runs instead is not known

    def __init__(self, quiet: float) -> None:
        self._quiet = quiet

    def at_rest(self) -> None:
        """Return None: that a controller rests cannot be known."""

    def wait(self, seconds: float) -> None:
        """Let the quiet time pass."""
        time.sleep(min(seconds, self._quiet))

    def close(self) -> None:
        """Nothing is open."""
