"""Replacement for `ryu.app.wsgi` without a server: requests are calls from outside and are routed as in Ryu.

It has all names that Ryu's module exports. Nobody ever connects to a web socket: it needs a connection that stays
open, which no scenario has. So a broadcast reaches nobody, and a plain request is answered as Ryu's server would answer
it. An app that makes a server of its own gets that of the hub.
"""

import inspect
from collections.abc import Callable, Iterator
from types import MethodType, ModuleType
from typing import Any, NamedTuple

import webob
import webob.dec
import webob.exc
from os_ken import cfg
from os_ken.lib import hub as hub_module
from routes import Mapper
from routes.util import URLGenerator

from sdnloom.platforms.sandbox.threads import HubError

_MODULE = "ryu.app.wsgi"
_HOST, _PORT = "0.0.0.0", 8080
# As in Ryu, for apps that read them and for `config`.
_OPTIONS = (
    cfg.StrOpt("wsapi-host", default=_HOST, help=f"webapp listen host (default {_HOST})"),
    cfg.IntOpt("wsapi-port", default=_PORT, help=f"webapp listen port (default {_PORT})"),
)


class Route(NamedTuple):
    """A route: "PUT", "/router/{id}", and the controller that answers."""

    method: str
    path: str
    action: str


class RestAnswer(NamedTuple):
    """The response to a request."""

    status: int
    body: str


class Request(webob.Request):  # type: ignore[misc]
    """A request whose text is UTF-8."""

    def __init__(self, environ: Any, charset: str = "UTF-8", *args: Any, **kwargs: Any) -> None:
        super().__init__(environ, *args, charset=charset, **kwargs)


class Response(webob.Response):  # type: ignore[misc]
    """A response whose text is UTF-8."""

    def __init__(self, charset: str = "UTF-8", *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, charset=charset, **kwargs)


class ControllerBase:
    """Answers one request; a subclass has a method for each action that a route names."""

    special_vars = ("action", "controller")

    def __init__(self, req: Any, link: Any, data: Any, **config: Any) -> None:
        self.req, self.link, self.data = req, link, data
        self.parent: Any = None
        for name, value in config.items():
            setattr(self, name, value)

    def __call__(self, req: Any) -> Any:
        """Call the method that the route names."""
        before = getattr(self, "__before__", None)
        if before is not None:
            before()
        given = {name: value for name, value in self.req.urlvars.items() if name not in self.special_vars}
        return getattr(self, self.req.urlvars.get("action", "index"))(req, **given)


class WSGIApplication:
    """Routes requests to controllers. Apps get it as a context and register with it."""

    def __init__(self, **config: Any) -> None:
        self.config = config
        self.mapper = Mapper()
        self.registory: dict[str, Any] = {}  # sic: apps write to it
        self.websocketmanager = WebSocketManager()

    def answer(self, req: Any) -> Any:
        """Return the response of the controller that the request is for."""
        found = self.mapper.match(environ=req.environ)
        if not found:
            return webob.exc.HTTPNotFound()
        req.urlvars = found
        kind = found["controller"]
        link = URLGenerator(self.mapper, req.environ)
        controller = kind(req, link, self.registory.get(kind.__name__), **self.config)
        controller.parent = self
        return controller(req)

    __call__: Any = webob.dec.wsgify(answer, RequestClass=Request)

    def register(self, controller: Any, data: Any = None) -> None:
        """Connect the methods of a controller that `route` has marked."""
        for name, method in inspect.getmembers(controller, callable):
            info = getattr(method, "routing_info", None)
            if info is not None:
                self.mapper.connect(
                    info["name"],
                    info["path"],
                    controller=controller,
                    requirements=info.get("requirements") or {},
                    action=name,
                    conditions={"method": info["methods"]} if info.get("methods") else {},
                )
        if data:
            self.registory[controller.__name__] = data


def route(name: str, path: str, methods: Any = None, requirements: Any = None) -> Callable[[Any], Any]:
    """Mark a method as the handler of requests for a path."""

    def mark(method: Any) -> Any:
        method.routing_info = {"name": name, "path": path, "methods": methods, "requirements": requirements}
        return method

    return mark


class WebSocketManager:
    """The connected web sockets: those that an app adds itself."""

    def __init__(self) -> None:
        self._connections: list[Any] = []

    def add_connection(self, ws: Any) -> None:
        """Take a web socket."""
        self._connections.append(ws)

    def delete_connection(self, ws: Any) -> None:
        """Drop a web socket."""
        self._connections.remove(ws)

    def broadcast(self, msg: Any) -> None:
        """Send a message to all."""
        for each in self._connections:
            each.send(msg)


def websocket(name: str, path: str) -> Callable[[Any], Any]:
    """Mark a method as the handler of a web socket; a plain request for its path is a bad one."""

    def mark(method: Any) -> Any:
        def refuse(self: Any, req: Any, **_: Any) -> Any:
            return webob.exc.HTTPBadRequest("expected a web socket")

        refuse.routing_info = {"name": name, "path": path, "websocket": True}  # type: ignore[attr-defined]
        return refuse

    return mark


def rpc_public(name: Any = None) -> Any:
    """Mark a method that may be called over a web socket."""

    def mark(method: Any) -> Any:
        method._rpc_public_name = name if isinstance(name, str) else method.__name__
        return method

    return mark(name) if callable(name) else mark


class WebSocketDisconnectedError(Exception):
    """Raised in Ryu when a web socket ends."""


class WSGIServer:
    """The server of the hub, for the address that is configured."""

    def __init__(self, application: Any, **config: Any) -> None:
        address = cfg.CONF.wsapi_host, cfg.CONF.wsapi_port
        self._server: Any = hub_module.WSGIServer(address, application, **config)

    def serve_forever(self) -> None:
        """Serve, as the server of the hub does."""
        self._server.serve_forever()

    def __call__(self) -> None:
        """Serve."""
        self.serve_forever()


def _unconnected(name: str) -> type:
    """Return a class that an app can name and derive from, but not use: it needs a web socket that is connected."""

    def refuse(self: object, *args: Any, **kwargs: Any) -> None:
        raise HubError(f"{_MODULE}.{name} needs a web socket that is connected; expected plain requests only")

    return type(name, (), {"__init__": refuse, "__module__": __name__})


_CONNECTED = (
    *("RPCServer", "RPCDispatcher", "JSONRPCProtocol", "ServerTransport", "ClientTransport", "RPCClient"),
    *("WebSocketRPCServer", "WebSocketRPCClient", "WebSocketServerTransport", "WebSocketClientTransport"),
    "WebSocketRegistrationWrapper",
)


def module() -> ModuleType:
    """Return the module that apps import. Its classes are new, so that no two programs share their attributes."""
    cfg.CONF.register_opts(_OPTIONS)
    made = ModuleType(_MODULE, __doc__)
    kinds = (
        Request,
        Response,
        ControllerBase,
        WSGIApplication,
        WSGIServer,
        WebSocketManager,
        WebSocketDisconnectedError,
    )
    for kind in kinds:
        setattr(made, kind.__name__, type(kind.__name__, (kind,), {"__module__": __name__}))
    for name in _CONNECTED:
        setattr(made, name, _unconnected(name))

    def start_service(app_mgr: Any) -> Any:
        """Return a server for the first application of the manager, or None."""
        found = [each for each in app_mgr.contexts.values() if isinstance(each, WSGIApplication)]
        return vars(made)["WSGIServer"](found[0]) if found else None

    vars(made).update(
        {each.__name__: each for each in (route, websocket, rpc_public, start_service, Mapper, URLGenerator)},
        webob=webob,
        webob_Request=webob.Request,
        webob_Response=webob.Response,
        wsgify_hack=webob.dec.wsgify,
        inspect=inspect,
        MethodType=MethodType,
        cfg=cfg,
        CONF=cfg.CONF,
        hub=hub_module,
        DEFAULT_WSGI_HOST=_HOST,
        DEFAULT_WSGI_PORT=_PORT,
        HEX_PATTERN="0x[0-9a-z]+",
        DIGIT_PATTERN="[1-9][0-9]*",
    )
    return made


def web_sockets_of(application: Any) -> Iterator[str]:
    """Return the paths of the web sockets that the program would serve."""
    for each in application.mapper.matchlist:
        method = getattr(each.defaults.get("controller"), str(each.defaults.get("action")), None)
        if getattr(method, "routing_info", {}).get("websocket"):
            yield each.routepath


def routes_of(application: Any) -> Iterator[Route]:
    """Return the routes of the program, in the order in which they were registered."""
    for each in application.mapper.matchlist:
        for method in (each.conditions or {}).get("method") or ("GET",):
            yield Route(method, each.routepath, str(each.defaults.get("action", "")))


def answer(application: Any, method: str, path: str, body: str) -> RestAnswer:
    """Return the application's response to a request; exceptions of its code are not caught."""
    # The type is the one that servers of Python and eventlet assume if the request does not say it.
    request = Request.blank(path, method=method, body=body.encode(), content_type="text/plain")
    found = request.get_response(application)
    return RestAnswer(found.status_int, found.text if found.charset else found.body.decode("latin-1"))
