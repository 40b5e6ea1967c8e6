"""Counterexamples taken on controllers that are not the scenario's program, with switches of the model."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdnloom.check.run import Run
from sdnloom.confirm.controller.foreign_controller import (
    StartedController,
    free_ports,
    reachable_from_outside,
    start_by_command,
    use_running,
)
from sdnloom.confirm.controller.listening_sockets import listening_addresses, takes_loopback
from sdnloom.confirm.open_parts import OpenParts
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.outcome import ConfirmOutcome, Obstacle, PartKind
from sdnloom.confirm.real_parts import HandshakeAnswer, NotEnforceable, RealPartError
from sdnloom.confirm.run import confirm_trace, confirm_with
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.openflow import V10, FeaturesRequest, Hello, decode, encode
from sdnloom.network.program import MessageIn, SwitchDown, SwitchUp
from sdnloom.network.usercode import run_file
from sdnloom.platforms.python.program import PythonProgram
from tests.confirm.model_parts import model_parts
from tests.confirm.test_lockstep import OPTIONS, counterexample, run_of
from tests.platforms.server.random_inputs import any_input

EXAMPLES = Path(__file__).parents[2] / "examples"
PERL = f"perl '{EXAMPLES}/mac_learning/learning.pl' {{port}}"


pytestmark = pytest.mark.usefixtures("perl")
UNSEEN = "its exceptions are not seen"


@pytest.fixture
def perl(need_tool: Callable[..., None]) -> None:
    need_tool("perl")


def changed_perl(folder: Path, before: str, after: str) -> str:
    """The command of the controller in Perl with one place changed."""
    source = (EXAMPLES / "mac_learning/learning.pl").read_text()
    assert source.count(before) == 1
    (folder / "other one.pl").write_text(source.replace(before, after))
    return f"perl '{folder}/other one.pl' {{port}}"


def parts_with(started: StartedController) -> Any:
    """Switches of the model, and that controller."""

    @contextmanager
    def parts(run: Run, built: BuiltNetwork, options: ConfirmOptions) -> Iterator[OpenParts]:
        with model_parts(run, built, options) as model:
            yield OpenParts(model.switches, started.controller, {"controller": started.name}, started.warnings)

    return parts


def confirm_on(started: StartedController, file: str) -> Any:
    try:
        return confirm_with(parts_with(started), run_of(file), counterexample(file), OPTIONS)
    finally:
        started.controller.close()


@pytest.mark.parametrize("file", ["mac_learning/bug1.toml", "mac_learning/bug2.toml", "mac_learning/bug3.toml"])
def test_the_defects_of_pyswitch_are_confirmed_on_its_translation_into_perl(file: str) -> None:
    found = confirm_on(start_by_command(PERL), file)
    assert (found.outcome, found.difference, found.impossible) == (ConfirmOutcome.CONFIRMED, None, None)
    assert found.parts == {"controller": f"{PERL} ({UNSEEN})"}
    assert found.warnings == ()


def test_a_controller_of_a_command_is_used_with_real_switches(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    file = "mac_learning/bug1.toml"
    found = confirm_trace(run_of(file), counterexample(file), replace(OPTIONS, controller_command=PERL))
    assert (found.outcome, found.difference, found.impossible) == (ConfirmOutcome.CONFIRMED, None, None)
    assert found.parts["controller"] == f"{PERL} ({UNSEEN})"


def test_a_controller_that_already_runs_is_used_and_goes_on_to_run() -> None:
    (port,) = free_ports(1)
    running = subprocess.Popen(["perl", f"{EXAMPLES}/mac_learning/learning.pl", str(port)])
    try:
        while not listening_addresses(port):
            assert running.poll() is None
        # It has one thread: when it has answered an echo request, it has done everything before.
        found = confirm_on(use_running(f"127.0.0.1:{port}", quiet=0.0), "mac_learning/bug1.toml")
        assert found.outcome is ConfirmOutcome.CONFIRMED
        assert found.parts == {"controller": f"at 127.0.0.1:{port} ({UNSEEN})"}
        assert running.poll() is None
    finally:
        running.kill()
        running.wait()
    with pytest.raises(RealPartError, match=f"--controller '127.0.0.1:{port}': nobody listens at that port"):
        use_running(f"127.0.0.1:{port}")


def test_a_controller_that_does_something_else_is_a_difference(tmp_path: Path) -> None:
    command = changed_perl(tmp_path, "0xffff, 5);", "0xffff, 6);")
    found = confirm_on(start_by_command(command), "mac_learning/bug1.toml")
    assert found.outcome is ConfirmOutcome.DIFFERENT
    assert (found.difference.part, found.difference.name) == (PartKind.APP, "PySwitch")
    (contrast,) = found.difference.contrasts
    assert contrast == ("the controller to s1: FlowMod, idle_timeout", "5", "6")


def test_a_controller_may_ask_more_in_its_handshake(tmp_path: Path) -> None:
    more = (
        'send_message($switch, $_, 7, "") for (5, 7, 18);'  # features, the configuration, a barrier
        'send_message($switch, 9, 8, pack "nn", 0, 0xffff);'  # the configuration is set
        'send_message($switch, 16, 9, pack "nn", 0, 0)'  # the description of the switch
    )
    command = changed_perl(tmp_path, 'send_message($switch, $FEATURES_REQUEST, 1, "")', more)
    found = confirm_on(start_by_command(command), "mac_learning/bug1.toml")
    assert (found.outcome, found.difference) == (ConfirmOutcome.CONFIRMED, None)


def test_a_controller_that_pauses_is_waited_for(tmp_path: Path) -> None:
    source = (EXAMPLES / "mac_learning/learning.pl").read_text()
    # Longer than the pause after which an app of the scenario is taken not to answer.
    (tmp_path / "slow.pl").write_text(
        source.replace("return if length $frame < 14;", "select undef, undef, undef, 0.1;")
    )
    assert "select" in (tmp_path / "slow.pl").read_text()
    found = confirm_on(start_by_command(f"perl {tmp_path}/slow.pl {{port}}"), "mac_learning/bug3.toml")
    assert (found.outcome, found.difference) == (ConfirmOutcome.CONFIRMED, None)


def test_an_exception_cannot_be_confirmed_on_a_controller_that_does_not_report_it(tmp_path: Path) -> None:
    (tmp_path / "raises.py").write_text("class Raises:\n    def packet_in(self, *given):\n        raise KeyError(5)\n")
    (tmp_path / "raises.toml").write_text(
        """
        properties = ["NoHandlerException"]
        program = { file = "raises.py" }
        topology = { shape = "single", hosts = 2 }
        hosts = [{ name = "h1", kind = "client", to = ["h2"] }]
        """
    )
    found = confirm_on(start_by_command(PERL), str(tmp_path / "raises.toml"))
    assert found.outcome is ConfirmOutcome.NOT_POSSIBLE
    assert found.impossible.obstacle is Obstacle.CONTROLLER
    assert found.impossible.reason == "whether it raises an exception (KeyError: 5) is not seen from outside"


def _answering(joined: SwitchUp) -> HandshakeAnswer:
    def answer(data: bytes) -> list[bytes] | None:
        match decode(data, V10):
            case Hello():
                return [encode(Hello(), V10)]
            case FeaturesRequest():
                assert joined.features is not None
                return [encode(joined.features, V10)]
        return None

    return answer


def test_the_controller_in_perl_reacts_as_pyswitch_does() -> None:
    program = PythonProgram(run_file(EXAMPLES / "mac_learning/learning.py").PySwitch)
    program.keep_order()
    controller = start_by_command(PERL).controller
    chance, connected, core, count = random.Random(3), set[str](), program.initial(), 0
    try:
        for _ in range(150):
            given = any_input(chance, connected, (), "1.0")
            reactions = program.handle(core, given)
            assert isinstance(reactions, tuple)
            core = reactions[0].core
            match given:
                case SwitchUp():
                    connected.add(given.switch)
                    reaction = controller.join(given.switch, _answering(given))
                case SwitchDown():
                    connected.remove(given.switch)
                    reaction = controller.leave(given.switch)
                case MessageIn():
                    reaction = controller.receive(given.switch, encode(given.message, V10))
            if reactions[0].events:
                assert not reaction  # PySwitch raises where the other one drops a frame that was cut
                continue
            seen = [(switch, decode(data, V10)) for switch, data in reaction.messages]
            assert seen == list(reactions[0].messages)
            count += len(seen)
    finally:
        controller.close()
    assert count == 47


WEB = """
import http.server, socket, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode() + b" " + body)

with socket.create_server(("127.0.0.1", int(sys.argv[1]))):
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
"""


def test_a_command_with_a_web_port_takes_requests(tmp_path: Path) -> None:
    (tmp_path / "web.py").write_text(WEB)
    command = f"{sys.executable} {tmp_path}/web.py {{port}} {{web_port}}"
    controller = start_by_command(command).controller
    try:
        (answer,) = controller.call("PUT /path", ('{"a": 1}',)).answers
        assert (answer.name, answer.status, answer.body) == ("PUT /path", 200, '/path {"a": 1}')
        with pytest.raises(NotEnforceable, match="timer 'poll': the controller has timers of its own only"):
            controller.fire("poll")
    finally:
        controller.close()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("perl \0 {port}", "it has a character of code 0; expected a command as in a shell"),
        ("perl 'x {port}", "No closing quotation; expected a command as in a shell"),
        ("perl x.pl 6653", "has no {port}; expected a command with {port} in place of its OpenFlow port"),
        ("", "has no {port}; expected a command with {port} in place of its OpenFlow port"),
        ("{port}", "has no {port}; expected a command with {port} in place of its OpenFlow port"),
        (
            "no-such-program-here {port}",
            "'no-such-program-here' is not found, or cannot be run; expected a program and its arguments",
        ),
        ('perl -e \'warn "one\\n"; die "two\\n"\' {port}', "it ended when it started: \n  one\n  two"),
    ],
)
def test_a_command_that_cannot_be_used_is_one_message(command: str, reason: str) -> None:
    with pytest.raises(RealPartError) as raised:
        start_by_command(command)
    assert str(raised.value).endswith(reason)


def test_a_command_that_never_listens_is_one_message() -> None:
    with pytest.raises(RealPartError, match=r"does not listen on 127.0.0.1:\d+ within 0 s; .* log: it wrote no log"):
        start_by_command("perl -e 'sleep 60' {port}", seconds=0)


@pytest.mark.parametrize("address", ["192.0.2.1:6653", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "::1:80", ""])
def test_an_address_of_another_machine_is_refused(address: str) -> None:
    with pytest.raises(RealPartError, match=r"expected an address of this machine, such as 127\.0\.0\.1:6653"):
        use_running(address)


TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:19FD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 00000000:19FD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1 0 100 0 0 10 0
   2: 0100007F:19FD 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 3 1 0 100 0 0 10 0
   3: 0101A8C0:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4 1 0 100 0 0 10 0
"""
TABLE6 = """\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when
   0: 00000000000000000000000001000000:19FD 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000
   1: 0000000000000000FFFF00000100007F:19FD 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000
   2: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000
"""


def test_listening_addresses_are_those_of_the_tables_of_linux(tmp_path: Path) -> None:
    (tmp_path / "tcp").write_text(TABLE)
    (tmp_path / "tcp6").write_text(TABLE6)
    tables = [f"{tmp_path}/tcp", f"{tmp_path}/tcp6", f"{tmp_path}/none"]
    found = listening_addresses(0x19FD, tables)
    assert [str(each) for each in found] == ["127.0.0.1", "0.0.0.0", "::1", "127.0.0.1"]
    assert [takes_loopback(each) for each in found] == [True, True, False, True]
    assert [str(each) for each in listening_addresses(0x1F90, tables)] == ["192.168.1.1", "::"]
    assert listening_addresses(5, tables) == ()


def test_a_port_that_other_hosts_may_reach_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "tcp").write_text(TABLE)
    warnings = reachable_from_outside(0x1F90, [f"{tmp_path}/tcp"])
    assert warnings == ("the controller listens on 192.168.1.1 port 8080, so other hosts may reach it",)
    assert reachable_from_outside(5, [f"{tmp_path}/tcp"]) == ()
