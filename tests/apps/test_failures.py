"""Apps that cannot be checked, and handlers that raise: one clear message each."""

import json
from pathlib import Path

import pytest

from tests.apps.conftest import ROOT
from tests.cli.running import CommandLine

HEAD = """\
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0
"""
APP = "class App(app_manager.OSKenApp):\n    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]\n"
MADE = f"{APP}    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n"
HANDLER = f"{APP}    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)\n    def packet_in(self, ev):\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"import no_such_module\n{APP}", ["needs the module 'no_such_module'", "not installed"]),
        ("class App(:\n", ["mine.py:5", "not Python: invalid syntax"]),
        ("x = 1\n", ["mine.py", "no app in it", "OSKenApp"]),
        (f"{MADE}        self.rate = 1 / 0\n", ["mine.py:9", "ZeroDivisionError"]),
        (f"import socket\nsocket.create_connection(('127.0.0.1', 1))\n{APP}", ["mine.py:6", "ConnectionRefusedError"]),
        (f"{MADE}        import subprocess; subprocess.run(['true'])\n", ["mine.py:9: runs the command 'true'"]),
        (f"{MADE}        import os; os._exit(0)\n", ["mine.py:9: making the apps ends their process (os._exit(0))"]),
        (APP.replace("[ofproto_v1_0.OFP_VERSION]", "[5]"), ["speaks none of OpenFlow 1.0, 1.3"]),
        ("raise SystemExit(0)\n", ["mine.py:5", "SystemExit"]),
        ("print('no log folder'); exit(1)\n", ["mine.py:5", "SystemExit: 1; before that it printed: no log folder"]),
        ("import os; print('bye'); os._exit(1)\n", ["mine.py:5", "(os._exit(1))", "before that it printed: bye"]),
    ],
)
def test_an_app_that_cannot_run_gives_one_message(
    sdnloom: CommandLine, tmp_path: Path, text: str, words: list[str]
) -> None:
    (tmp_path / "mine.py").write_text(HEAD + text)
    run = sdnloom("check", "--app", "mine.py")
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    for word in words:
        assert word in run.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone.py", ["gone.py: no such file"]),
        ("no.such.module", ["no.such.module: no such module"]),
        ("ryu.app.gone", ["ryu.app.gone: no such module"]),
        ("..", [".."]),
    ],
)
def test_an_app_that_is_not_there_gives_one_message(sdnloom: CommandLine, name: str, words: list[str]) -> None:
    run = sdnloom("check", "--app", name)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    for word in words:
        assert word in run.err


@pytest.mark.parametrize("content", [b"\0", b'x = "\xff"\n', b"x = " + b"(" * 5000])
def test_files_that_are_no_text_are_no_apps(sdnloom: CommandLine, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.py").write_bytes(content)
    run = sdnloom("check", "--app", "mine.py")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)


NATIVE = "the app's event loop ends, silently: nothing that comes later is handled"
EVENTLET = "it is logged, and the app's event loop goes on"


@pytest.mark.parametrize(
    ("scenario", "place", "library"),
    [
        (
            "malformed_cfm",
            "simple_switch_13.py:79: _packet_in_handler of SimpleSwitch13 raised AttributeError: ",
            "os_ken/lib/packet/cfm.py:112",
        ),
        (
            "malformed_bpdu",
            "stplib.py:488: packet_in_handler of stplib raised AssertionError ",
            "os_ken/lib/packet/bpdu.py:288",
        ),
    ],
)
@pytest.mark.parametrize(("hub", "effect"), [("native", NATIVE), ("eventlet", EVENTLET)])
def test_malformed_frames_escape_the_packet_library(
    ryu: Path, sdnloom: CommandLine, tmp_path: Path, scenario: str, place: str, library: str, hub: str, effect: str
) -> None:
    base = ROOT / "examples" / "ryu" / f"{scenario}.toml"
    (tmp_path / "frame.toml").write_text(f'include = "{base}"\n[program]\nhub = "{hub}"\n')
    run = sdnloom("check", "frame.toml")
    first = run.out.splitlines()[0]
    assert run.code == 1
    assert first.startswith(f"VIOLATED NoHandlerException: {place}")
    assert first.endswith(f"(raised at {library}); {effect}")


@pytest.mark.parametrize(
    "line",
    [
        "self.seen = os.stat('.').st_mtime_ns; os.utime('.', ns=(0, self.seen + 1))",
        "os.makedirs(f'{len(os.listdir())}'); self.seen = len(os.listdir())",
    ],
)
def test_an_app_that_does_something_else_when_it_runs_again_gives_one_message(
    sdnloom: CommandLine, tmp_path: Path, line: str
) -> None:
    (tmp_path / "mine.py").write_text(f"import os\n{HEAD}{HANDLER}        {line}\n")
    run = sdnloom("check", "--app", "mine.py", "--topology", "single,2", "--no-trace")
    assert (run.code, run.out) == (2, "")
    assert "leads elsewhere when it is taken again" in run.err
    assert "Traceback" not in run.err


def test_what_an_app_prints_is_no_part_of_the_result(sdnloom: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{HEAD}print('loaded')\n{HANDLER}        print('came')\n")
    run = sdnloom("check", "--app", "mine.py", "--topology", "single,2", "--format", "json", "--no-trace")
    assert json.loads(run.out)["verdict"] == "violated"
    assert not {"loaded", "came"} & set(run.err.splitlines())


def test_apps_of_ryu_in_a_package_that_os_ken_does_not_have_are_found(sdnloom: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "ryu" / "app" / "mine"
    folder.mkdir(parents=True)
    for place in (tmp_path / "ryu", tmp_path / "ryu" / "app", folder):
        (place / "__init__.py").touch()
    (folder / "switch.py").write_text(HEAD + APP)
    run = sdnloom("check", "--path", ".", "--app", "ryu.app.mine.switch", "--topology", "single,2", "--no-trace")
    assert run.code == 1
    assert "VIOLATED PingsAnswered" in run.out
