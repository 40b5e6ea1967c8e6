"""A connection to a unix socket that a process just started is about to listen on."""

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sdnloom.switches.errors import RealSwitchError

_SECONDS: Final = 20.0
_PAUSE: Final = 0.002


def connect_unix(path: Path, check: Callable[[], None] = lambda: None) -> socket.socket:
    """Return a connection; `check` is called while nobody listens yet, and raises if nobody will."""
    deadline = time.monotonic() + _SECONDS
    while True:
        attempt = socket.socket(socket.AF_UNIX)
        try:
            attempt.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            attempt.close()
            check()
            if time.monotonic() > deadline:
                raise RealSwitchError(f"{path.name}: no process listens there after {_SECONDS:g} s") from None
            time.sleep(_PAUSE)
        except BaseException:
            attempt.close()
            raise
        else:
            return attempt
