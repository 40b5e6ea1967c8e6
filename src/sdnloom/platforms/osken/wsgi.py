"""Replacement for `ryu.app.wsgi` without a server: requests are calls from outside and are routed as in Ryu.

It has what apps use: ControllerBase, WSGIApplication with its mapper and registry, `route`, Request and Response.
Web sockets and remote procedure calls need a connection that stays open, which no scenario has; they are refused.
"""

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import webob
import webob.dec
import webob.exc
from routes import Mapper
from routes.util import URLGenerator

from sdnloom.platforms.sandbox.threads import HubError

_MODULE = "ryu.app.wsgi"


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


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise HubError(f"{_MODULE}.{name} is not available to a program under test; expected plain requests")

    return refuse


def module() -> ModuleType:
    """Return the module that apps import. Its classes are new, so that no two programs share their attributes."""
    made = ModuleType(_MODULE, __doc__)
    for kind in (Request, Response, ControllerBase, WSGIApplication):
        setattr(made, kind.__name__, type(kind.__name__, (kind,), {"__module__": __name__}))
    made.route = route  # type: ignore[attr-defined]
    for name in ("websocket", "start_service", "WSGIServer", "WebSocketRPCServer", "WebSocketRPCClient"):
        setattr(made, name, _refused(name))
    return made


def routes_of(application: Any) -> Iterator[Route]:
    """Return the routes of the program, in the order in which they were registered."""
    for each in application.mapper.matchlist:
        for method in (each.conditions or {}).get("method") or ("GET",):
            yield Route(method, each.routepath, str(each.defaults.get("action", "")))


def answer(application: Any, method: str, path: str, body: str) -> RestAnswer:
    """Return the application's response to a request; exceptions of its code are not caught."""
    request = Request.blank(path, method=method, body=body.encode())
    found = request.get_response(application)
    return RestAnswer(found.status_int, found.text if found.charset else found.body.decode("latin-1"))
