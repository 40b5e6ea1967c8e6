"""The engine's example runs as its page says, and shows what it is there to show."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "engine" / "lost_update.py"


def test_the_lost_update_is_found_and_the_corrected_twin_holds() -> None:
    ran = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert lines[0] == "reading, then writing: Violated, 26 states"
    assert lines[1] == "  2 clients are done, but the number is 1"
    assert len([line for line in lines if line.startswith("  ")]) == 9
    assert lines[-1] == "adding in one message: Holds, 9 states"
