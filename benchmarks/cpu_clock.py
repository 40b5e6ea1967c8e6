"""`python -m benchmarks.cpu_clock ARGUMENTS`: runs `sdnloom` with its own CPU time as the clock of its limits.

So a busy machine gives the times of a quiet one, except for waiting; a process that compiles beside it does not count.
"""

import signal
import time
from typing import Any


def install() -> None:
    """Replace the clock and the timer of this process. Call it before sdnloom is imported."""
    set_timer, set_handler = signal.setitimer, signal.signal

    def timer(which: Any, *seconds: float) -> Any:
        return set_timer(signal.ITIMER_PROF if which == signal.ITIMER_REAL else which, *seconds)

    def handler(number: Any, action: Any) -> Any:
        return set_handler(signal.SIGPROF if number == signal.SIGALRM else number, action)

    time.monotonic, signal.setitimer, signal.signal = time.process_time, timer, handler


if __name__ == "__main__":
    install()
    from sdnloom.cli import main

    main()
