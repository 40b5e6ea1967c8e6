"""Ctrl-C in a process of its own, at several moments: the command ends with what it has found."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import taking_interrupts
from tests.cli.test_inputs import HEAD, SCENARIO

# Each run of the handler and each import is told through a pipe, and waits until the test has read of it, so that an
# interrupt comes at that moment however busy the machine is. The many comparisons give many classes.
PROGRAM = """
import os

TOLD, GO = int(os.environ["TOLD"]), int(os.environ["GO"])


def tell(what):
    os.write(TOLD, what)
    os.read(GO, 1)


tell(b"i")


class Many:
    def __init__(self):
        self.seen = 0

    def packet_in(self, net, switch, message):
        tell(b"r")
        self.seen = min(self.seen + 1, 2)
        frame = decode(message.data).headers[0]
        for number in range(300):
            if frame.type == 0x9000 + number:
                net.flood(switch, message)
"""


def interrupted(folder: Path, moment: str, *arguments: str) -> tuple[int, str, str]:
    """Run a command and interrupt it when it has told so much, and before it goes on."""
    (folder / "switch.py").write_text(HEAD + PROGRAM)
    (folder / "net.toml").write_text(SCENARIO)
    reads, writes = os.pipe()
    waits, lets_go = os.pipe()
    command = (sys.executable, "-m", "sdnloom", arguments[0], str(folder / "net.toml"), *arguments[1:])
    with (
        (folder / "out").open("w") as out,
        (folder / "err").open("w") as err,
        taking_interrupts(),
        subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            pass_fds=(writes, waits),
            cwd=folder,
            env={**os.environ, "TOLD": str(writes), "GO": str(waits)},
        ) as process,
    ):
        os.close(writes)
        os.close(waits)
        told = ""
        while True:
            read = os.read(reads, 1)
            assert read, "the command ended too early"
            told += read.decode()
            if moment in told:
                break
            os.write(lets_go, b".")
        process.send_signal(signal.SIGINT)
        os.close(lets_go)  # whatever waits goes on, now and later
        while os.read(reads, 1 << 16):
            pass
        os.close(reads)
    out_text, err_text = (folder / "out").read_text(), (folder / "err").read_text()
    assert "Traceback" not in out_text + err_text
    return process.returncode, out_text, err_text


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, 2, 20])
def test_inputs_reports_the_classes_found_when_it_is_interrupted(tmp_path: Path, runs: int) -> None:
    code, out, err = interrupted(
        tmp_path, "r" * runs, "inputs", "--port", "1", "--stack", "ethernet", "--format", "json"
    )
    document = json.loads(out)
    assert (code, document["complete"]) == (3, False)
    assert any("ethernet: interrupted" in each for each in document["reasons"])
    assert runs - 1 <= len(document["classes"]) < 300
    assert "note: stopping after the present step" in err


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, 20])
def test_check_reports_what_was_found_when_it_is_interrupted(tmp_path: Path, runs: int) -> None:
    code, out, _ = interrupted(tmp_path, "r" * runs, "check", "--discover", "--no-trace", "--format", "json")
    document = json.loads(out)
    assert (code, document["verdict"]) == (3, "incomplete")
    assert document["bounds"][-1].startswith("searched in part: interrupted")
    assert not document["discovery"]["complete"]


@pytest.mark.slow
def test_an_interrupt_while_the_program_is_loaded_ends_with_one_line(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path, "i", "inputs", "--port", "1")
    assert (code, out, err.splitlines()[-1]) == (130, "", "interrupted")
