"""The independent switch of the tests in its own process."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SWITCH = Path(__file__).parent / "independent_switch.py"
TEST = Path(__file__).parent / "independent_switch.toml"


@contextmanager
def running_switch(address: str, *deviations: str) -> Iterator[str]:
    """Start the switch at an address and end it after the block; return what it printed: where it listens."""
    words = [sys.executable, str(SWITCH), address, *deviations]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield "" if address.startswith("connect:") else process.stdout.readline().strip()
        finally:
            process.kill()
