"""`sdnloom explore` as a user runs it: it prints an address, serves, and ends with Ctrl-C."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.cli.running import taking_interrupts

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_it_serves_the_page_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sdnloom", "explore", str(EXAMPLES / "load_balancer/bug7.toml"), "--no-open"]
    with taking_interrupts():
        running = subprocess.Popen(
            [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
    try:
        assert running.stdout is not None
        first = running.stdout.readline()
        assert first.startswith("exploring bug7 at http://127.0.0.1:")
        address = first.split()[-1]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with opener.open(address, timeout=30) as page:
            assert "bug7 - sdnloom explore" in page.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address.partition("?")[0], timeout=30)
    finally:
        running.send_signal(signal.SIGINT)
        try:
            _, errors = running.communicate(timeout=30)
        finally:
            running.kill()
    assert running.returncode == 0
    assert errors.splitlines()[-1] == "ended"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([EXAMPLES / "none.toml"], "cannot read the scenario"),
        (["--port", "70000", EXAMPLES / "load_balancer/bug7.toml"], "70000 is not in the range"),
        ([EXAMPLES / "actors/first_program.py", "--topology", "linear,2"], "--topology is for scenarios and apps"),
        (["none.sdnloom-trace.json"], "none.sdnloom-trace.json"),
    ],
)
def test_bad_arguments_are_one_message(sdnloom, arguments, error) -> None:
    run = sdnloom("explore", "--no-open", *arguments)
    assert run.code == 2
    assert error in run.err
