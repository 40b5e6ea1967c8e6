"""Requests to an app's web interface are calls from outside, answered without a server."""

import pytest

from sdnloom.network.events import CallAnswered, HandlerRaised
from sdnloom.network.openflow import BarrierReply, BarrierRequest
from sdnloom.network.program import Call, MessageIn
from sdnloom.platforms.osken.errors import AppError
from sdnloom.platforms.osken.program import OskenProgram
from tests.platforms.osken.helpers import app, joined, program, run


def test_routes_are_listed():
    assert sorted(program("web").routes) == [
        ("GET", "/table/{key}", "read"),
        ("POST", "/barrier/{dpid}", "wait"),
        ("PUT", "/table/{key}", "write"),
    ]
    assert program("learning").routes == ()


def test_requests_change_and_read_the_state():
    under_test = program("web", version="1.3")
    missing, put, got, wrong = run(
        under_test,
        Call("GET /table/a"),
        Call("PUT /table/a", ('{"x": 1}',)),
        Call("GET /table/a"),
        Call("PUT /table/9", ("{}",)),
    )
    assert [each.status for each in missing.events] == [404]
    assert put.events == (CallAnswered("PUT /table/a", 201),)
    assert got.events == (CallAnswered("GET /table/a", 200, '{"x": 1}'),)
    assert [each.status for each in wrong.events] == [404]
    assert put.core != missing.core
    assert (got.core, wrong.core) == (put.core, put.core)  # reading changes nothing
    assert under_test.capture == "snapshot"


def test_a_request_that_waits_for_a_switch_is_answered_when_it_can_be():
    under_test = program("web", version="1.3")
    _, asked, answered = run(under_test, joined(), Call("POST /barrier/1"), MessageIn("s1", BarrierReply(xid=1)))
    assert asked.messages == (("s1", BarrierRequest(xid=1)),)
    assert asked.events == ()
    assert answered.events == (CallAnswered("POST /barrier/1", 200, "done"),)


def test_an_exception_of_a_controller_is_reported_with_its_line():
    (raised,) = run(program("web", version="1.3"), Call("PUT /table/a", ("{",)))
    answer, event = raised.events
    assert answer == CallAnswered("PUT /table/a", 500)
    assert isinstance(event, HandlerRaised)
    assert (event.handler, event.file) == ("PUT /table/a", "web.py")
    assert event.effect == "the request is answered with an internal error"
    assert event.text.startswith(("json.decoder.JSONDecodeError", "JSONDecodeError"))


@pytest.mark.parametrize("name", ["table", "GET table", "GET"])
def test_a_call_that_is_no_request_is_refused(name):
    under_test = program("web")
    with pytest.raises(AppError, match="expected METHOD /path and a body: "):
        under_test.handle(under_test.initial(), Call(name))


def test_an_app_without_routes_takes_no_calls():
    under_test = program("learning")
    with pytest.raises(AppError, match="none: the app has no routes"):
        under_test.handle(under_test.initial(), Call("GET /x"))


SOCKETS = """
from ryu.app.wsgi import *
from ryu.base import app_manager
class App(app_manager.RyuApp):
    _CONTEXTS = {"wsgi": WSGIApplication}
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        kwargs["wsgi"].register(Controller, {"app": self})
        kwargs["wsgi"].websocketmanager.broadcast("to nobody")
        self.port = CONF.wsapi_port
    @rpc_public
    def table(self):
        return {}
    @rpc_public("other")
    def named(self):
        return {}
class Controller(ControllerBase):
    @websocket("table", "/table/ws")
    def connected(self, ws):
        WebSocketRPCServer(ws, self).serve_forever()
"""


def test_nobody_connects_to_a_web_socket_and_the_bounds_say_so(tmp_path):
    (tmp_path / "mine.py").write_text(SOCKETS)
    under_test = OskenProgram([tmp_path / "mine.py"], config={"wsapi_port": 9})
    (asked,) = run(under_test, Call("GET /table/ws"))
    assert [each.status for each in asked.events] == [400]
    assert "nobody connects to the web socket /table/ws of the program" in under_test.notes
    mine = app(under_test, "App")
    assert (mine.port, mine.table._rpc_public_name, mine.named._rpc_public_name) == (9, "table", "other")
    assert under_test.capture == "snapshot"


def test_every_public_name_of_ryus_module_is_there(tmp_path):
    names = (
        "CONF ControllerBase DEFAULT_WSGI_HOST DEFAULT_WSGI_PORT DIGIT_PATTERN HEX_PATTERN JSONRPCProtocol Mapper "
        "RPCClient RPCDispatcher RPCServer Request Response ServerTransport ClientTransport URLGenerator "
        "WSGIApplication WSGIServer WebSocketClientTransport WebSocketDisconnectedError WebSocketManager "
        "WebSocketRPCClient WebSocketRPCServer WebSocketRegistrationWrapper WebSocketServerTransport cfg hub inspect "
        "route rpc_public start_service webob webob_Request webob_Response websocket wsgify_hack"
    )
    (tmp_path / "mine.py").write_text(f"from ryu.app.wsgi import {', '.join(names.split())}\n" + SOCKETS)
    assert OskenProgram([tmp_path / "mine.py"]).name == "App"
