"""Apps of os-ken in a process of their own do what the model says of them, on both hubs."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sdnloom.confirm.controller.process_controller import start_controller
from sdnloom.confirm.real_parts import NotEnforceable, RealPartError
from sdnloom.network.openflow import BarrierReply, decode
from sdnloom.network.program import ControllerCommand
from sdnloom.platforms.osken.program import OskenProgram
from tests.confirm.controller.twin import NETWORK, Twin, packet_in, switch_answers, switch_of
from tests.platforms.osken.helpers import APPS

RYU = Path(__file__).parents[3] / ".cache" / "ryu-4.34"
NATIVE, EVENTLET = "native", "eventlet"
TIDY = """
import os, signal, sys
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls

class Tidy(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        signal.signal(signal.SIGTERM, self.clean)

    def clean(self, number, frame):
        with open(os.environ["PLACE"], "w") as file:
            file.write(f"at SIGTERM, with nothing on standard input: {sys.stdin.read()!r}")
        os._exit(0)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        pass
"""


@pytest.fixture(params=[NATIVE, EVENTLET])
def twin(request: pytest.FixtureRequest) -> Iterator[Twin]:
    with Twin(OskenProgram([APPS / "wild_process.py"], hub=request.param, config={"observe_links": False})) as made:
        made.hub = request.param
        yield made


def order(number: int) -> bytes:
    return bytes([number]) + bytes(59)


def test_exceptions_requests_and_ends_are_those_of_the_model(twin: Twin) -> None:
    """Each line compares what the process did with the model."""
    twin.join(1)
    twin.join(2)
    raised = {}
    for number in (0, 3, 4, 5, 6, 7, 8, 10):
        raised[number] = [each.text for each in twin.receive("s1", packet_in(order(number))).raised]
    in_threads = {3: ["KeyError: 3"], 5: ["KeyError: 5"], 6: ["KeyError: 6"], 7: ["SystemExit: 7"]}
    assert raised == {0: [], 4: ["SystemExit: 4"], 8: [], 10: [], **in_threads}
    # Requests.
    (answered,) = twin.call("POST /echo/a b?c=%20d", "the body, ü").answers
    assert (answered.status, answered.body) == (201, "a b, c=%20d, the body, ü, text/plain, localhost:80")
    assert [each.status for each in twin.call("GET /nothing").answers] == [404]
    failed = twin.call("GET /fail")
    assert [each.status for each in failed.answers] == [500]
    assert [each.text for each in failed.raised] == ["KeyError: 'request'"]
    assert not twin.call("GET /barrier").answers
    assert [each.body for each in twin.receive("s1", BarrierReply()).answers] == ["passed"]
    with pytest.raises(NotEnforceable):
        twin.real.fire("timer")
    # A switch that leaves: eventlet's hub tells the app at once, the native hub when it sends something.
    assert len(twin.leave("s2").messages) == (twin.hub == EVENTLET)
    assert len(twin.receive("s1", packet_in(order(11))).messages) == (twin.hub == NATIVE)
    twin.join(2)
    # An exception of a handler ends the loop of the app on the native hub, silently.
    assert [each.text for each in twin.receive("s1", packet_in(order(2))).raised] == [
        "AttributeError: 'NoneType' object has no attribute 'parser'"
    ]
    assert len(twin.receive("s1", packet_in(order(0))).messages) == (twin.hub == EVENTLET)
    again = [each.text for each in twin.receive("s1", packet_in(order(9))).raised]
    assert again == ([] if twin.hub == NATIVE else ["KeyError: 'two\\nlines\\x07'"])


def test_the_process_listens_on_loopback_only_refuses_other_versions_and_its_end_is_told(twin: Twin) -> None:
    twin.join(1)
    refused = twin.real.join("s3", switch_answers(switch_of(3, 1)))
    assert [data[1] for _, data in refused.messages] == [1]  # an error, and nothing else
    assert refused.closed == ("s3",)
    listening = listening_addresses(twin.real.process_id)
    assert listening
    assert all(address.startswith("0100007F:") for address in listening)  # 127.0.0.1
    ended = twin.receive("s1", packet_in(order(12)))
    assert ended.ended.startswith("exit code 12: ")


def listening_addresses(process: int) -> list[str]:
    """The local addresses of the process's sockets that listen, as the kernel writes them."""
    sockets = {os.readlink(each) for each in Path(f"/proc/{process}/fd").iterdir() if each.is_symlink()}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


def test_a_message_that_os_ken_cannot_read_is_reported_where_it_is_received() -> None:
    program = OskenProgram([APPS / "sender_to_all.py"], version="1.3")
    with closing(start_controller(program.controller_command(NETWORK))) as controller:
        controller.join("s1", switch_answers(switch_of(1, 4)))
        reaction = controller.receive("s1", bytes.fromhex("09000008 00000001"))
        assert [each.text for each in reaction.raised] == ["os_ken.exception.OFPUnknownVersion: unknown version 9"]
        assert reaction.closed == ("s1",)


@pytest.mark.skipif(not RYU.is_dir(), reason="needs the apps of Ryu (make ryu)")
def test_unchanged_apps_of_ryu_learn_switches_and_packets_as_in_the_model() -> None:
    with Twin(OskenProgram(["ryu.app.simple_switch_13"], path=[RYU])) as twin:
        twin.join(1)
        a, b = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
        flooded = twin.receive("s1", packet_in(b + a + bytes(48), 1))
        learned = twin.receive("s1", packet_in(a + b + bytes(48), 2))
        assert [[type(decode(data, 4)).__name__ for _, data in each.messages] for each in (flooded, learned)] == [
            ["PacketOut"],
            ["FlowMod", "PacketOut"],
        ]


def test_an_app_may_clean_up_before_its_process_ends(tmp_path: Path) -> None:
    (tmp_path / "tidy.py").write_text(TIDY)
    program = OskenProgram([tmp_path / "tidy.py"], environment={"PLACE": str(tmp_path / "cleaned")}, hub=EVENTLET)
    with closing(start_controller(program.controller_command(NETWORK))):
        assert not (tmp_path / "cleaned").exists()
    assert (tmp_path / "cleaned").read_text() == "at SIGTERM, with nothing on standard input: ''"


def test_an_app_that_cannot_be_loaded_is_one_error_with_the_reason(tmp_path: Path) -> None:
    program = OskenProgram([APPS / "sender_to_all.py"], version="1.3")
    command = program.controller_command(NETWORK)
    app = tmp_path / "broken.py"
    app.write_text("import a_module_that_nobody_has\n")
    document = {**command.document, "apps": ["broken"], "places": {"broken": str(app)}}
    with pytest.raises(RealPartError, match="ModuleNotFoundError: No module named 'a_module_that_nobody_has'"):
        start_controller(ControllerCommand(command.module, document, command.environment))
