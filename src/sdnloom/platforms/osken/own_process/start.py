"""The start of os-ken's manager with apps, as os-ken does it: load, configure, make, start, serve.

os-ken's own modules are imported late and in this order: the hub has to be chosen and patched before anything else.
"""

import _thread
import importlib
import os
import posix
import signal
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from sdnloom.platforms.server.input_lines import InputLines, taken_input
from sdnloom.platforms.server.report_lines import REPORT_VARIABLE, RaisedReport, ReportLines

_WSGI = ("ryu.app.wsgi", "os_ken.app.wsgi")


class _Ports:
    """Reports once that the process listens, when both ports are known; None means that there is none."""

    def __init__(self, reports: ReportLines) -> None:
        self._reports, self._ports = reports, dict[str, int | None]()
        self._lock = _thread.allocate_lock()

    def note(self, what: str, port: int | None) -> None:
        with self._lock:
            before = len(self._ports)
            self._ports.setdefault(what, port)
            if before < len(self._ports) == 2:
                self._reports.listening(self._ports["switches"], self._ports["web"], calls=False)


def run() -> None:
    """Run the apps until they end, or the one who started this process does."""
    folder = os.getcwd()
    document = InputLines().first()
    reports = ReportLines()
    os.environ.pop(REPORT_VARIABLE, None)
    _thread.start_new_thread(_end_with_input, (posix.read, taken_input()))
    sys.path[:] = [each for each in sys.path if each != folder]
    os.chdir(document["folder"])
    sys.argv = ["osken-manager", *document["names"]]
    _serve(document, _Reporter(reports, document), _Ports(reports))


def _end_with_input(read: Callable[[int, int], bytes], file: int) -> None:
    """Wait for the end of standard input, and end the process then, whatever it does about signals."""
    while read(file, 1 << 16):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


class _Reporter:
    """Reports an exception as the model has it: at the innermost line of the apps' own code."""

    def __init__(self, reports: ReportLines, document: Mapping[str, Any]) -> None:
        self._reports, self._lock = reports, _thread.allocate_lock()
        self._files = [frozenset(document["files"]), frozenset(document["other files"])]

    def __call__(self, error: BaseException) -> None:
        from sdnloom.platforms.handler_errors import error_line, traceback_lines  # late: it takes long to import

        lines = traceback_lines(error) or [("", 0)]
        file, line = next((each for files in self._files for each in reversed(lines) if each[0] in files), lines[-1])
        with self._lock:
            self._reports.raised(RaisedReport(error_line(error), file, line, lines))


def _serve(document: Mapping[str, Any], report: _Reporter, ports: _Ports) -> None:
    from os_ken.lib import hub

    hub.patch(thread=False)  # as os-ken's manager does first
    from os_ken import cfg, log
    from os_ken.base import app_manager
    from os_ken.topology import switches as switches  # has options of os-ken's command line

    from sdnloom.platforms.osken.own_process import loopback
    from sdnloom.platforms.osken.own_process.exception_hooks import install_hooks

    install_hooks(report)
    loopback.bind_to_loopback()
    vars(hub)["WSGIServer"] = loopback.web_server(partial(_reporting_application, report))
    manager = _manager(document)
    manager.load_apps(document["apps"])
    cfg.CONF([], project="sdnloom", default_config_files=[], default_config_dirs=[])
    for name, value in document["config"].items():
        cfg.CONF.set_override(name, value)
    log.init_log()
    vars(sys.modules["os_ken.controller.controller"])["StreamServer"] = loopback.server_for_switches(
        partial(ports.note, "switches")
    )
    threads = manager.instantiate_apps(**manager.create_contexts())
    web = _web_server(manager)
    if web is not None:
        threads.append(hub.spawn(web))
    ports.note("web", web._server.server.getsockname()[1] if web is not None else None)
    if "ofp_event" not in app_manager.SERVICE_BRICKS:
        ports.note("switches", None)
    hub.joinall(threads)
    while True:
        hub.sleep(3600)  # apps may have other threads


def _manager(document: Mapping[str, Any]) -> Any:
    """Return os-ken's manager, which imports apps where the model finds them."""
    from os_ken.base import app_manager

    from sdnloom.platforms.osken.app_services import OrderedManager, require_app
    from sdnloom.platforms.osken.own_process.app_finder import AppFinder, file_spec
    from sdnloom.platforms.osken.ryu_alias import RyuAlias

    vars(app_manager)["require_app"] = require_app
    ryu = document["ryu apps"]
    alias = RyuAlias(Path(ryu) if ryu is not None else None, file_spec, {})
    finder = AppFinder(document["places"], document["folders"], document["reserved"], dict.fromkeys(_WSGI, _wsgi))
    sys.meta_path[:0] = [finder, alias]

    class Manager(OrderedManager):
        def import_app(self, name: str) -> ModuleType:
            return importlib.import_module(name)

        def own_name(self, name: str) -> str:
            return alias.own_name(name)

    manager = Manager()
    app_manager.AppManager._instance = manager  # apps ask for it
    return manager


@cache
def _wsgi() -> ModuleType:
    """Return the module of web interfaces, which os-ken no longer has; that of the model, over real servers."""
    from sdnloom.platforms.osken import wsgi

    return wsgi.module()


def _web_server(manager: Any) -> Any:
    """Return the server of the apps' web interface; None if they have none."""
    if not any(name in sys.modules for name in _WSGI):
        return None
    return _wsgi().start_service(manager)


def _reporting_application(report: _Reporter, application: Any) -> Any:
    """Return the application; an exception of its code is reported, and answered with status 500."""

    def answer(environ: Any, start_response: Any) -> Any:
        try:
            return application(environ, start_response)
        except (Exception, SystemExit) as error:
            report(error)
            start_response("500 Internal Server Error", [("Content-Length", "0")])
            return [b""]

    return answer
