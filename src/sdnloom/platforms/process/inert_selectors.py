"""Waiting for several inert sockets: the modules `select`, `selectors` and `socketserver` of a program under test."""

import select
import selectors
from collections.abc import Iterable
from typing import Any, ClassVar

from sdnloom.platforms.process.inert_sockets import InertSocket
from sdnloom.platforms.process.process import Process


class InertSelector(selectors._BaseSelectorImpl):
    """A selector over inert sockets: ready are those with data of their pair, and those that can be written to."""

    process: ClassVar[Process]
    kind: ClassVar[type[InertSocket]]
    ends: ClassVar[bool] = True

    def select(self, timeout: float | None = None) -> list[Any]:
        """Return what is ready, waiting for it; nothing after the timeout."""
        while True:
            ready = [(key, found) for key in self.get_map().values() if (found := self._ready(key))]
            if ready or (timeout is not None and timeout <= 0):
                return ready
            sockets = [self.kind.files.get(each.fd) for each in self.get_map().values()]
            if not _park(self.process, sockets, timeout if self.ends else None):
                return []

    def _ready(self, key: Any) -> int:
        found, events = self.kind.files.get(key.fd), 0
        if found is not None and key.events & selectors.EVENT_READ and found.is_readable():
            events |= selectors.EVENT_READ
        return events | (int(key.events) & selectors.EVENT_WRITE)


def _park(process: Process, sockets: Iterable[InertSocket | None], timeout: float | None) -> bool:
    """Wait until a pair gets data; False after the timeout."""
    pairs = [each._waiting for each in sockets if each is not None and each._pair is not None]
    if not pairs and timeout is None:
        process.hub.wait_for_ever()
    return process.hub.block(pairs[0] if pairs else [], timeout)


def selector_names(process: Process, kind: type[InertSocket]) -> dict[str, dict[str, Any]]:
    """Return names of `select`, `selectors` and `socketserver` for a process and its class of sockets, by module.

    The loop of a server of the standard library does not end its wait now and then, for a peer that never comes is all
    it waits for: otherwise its idle turns would be all that time brings.
    """
    made = {"__module__": __name__, "process": process, "kind": kind}
    general = type("Selector", (InertSelector,), made)
    patient = type("ServerSelector", (InertSelector,), {**made, "ends": False})

    def inert_select(reading: Any, writing: Any, failing: Any, timeout: float | None = None) -> Any:
        files = [_socket_of(each, kind) for each in reading]
        while True:
            ready = [
                each for each, found in zip(reading, files, strict=True) if found is not None and found.is_readable()
            ]
            if ready or writing or (timeout is not None and timeout <= 0) or not _park(process, files, timeout):
                return ready, list(writing), []

    class Poll:
        """A poll object over inert sockets."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._files: dict[int, int] = {}

        def register(self, file: Any, events: int = select.POLLIN) -> None:
            """Watch a file."""
            self._files[file if isinstance(file, int) else file.fileno()] = events

        modify = register

        def unregister(self, file: Any) -> None:
            """No longer watch a file."""
            del self._files[file if isinstance(file, int) else file.fileno()]

        def poll(self, timeout: float | None = None, *rest: Any) -> list[tuple[int, int]]:
            """Return the files with data of their pair, waiting for it."""
            limit = None if timeout is None or timeout < 0 else timeout / self._scale
            ready, _, _ = inert_select(list(self._files), [], [], limit)
            return [(each, select.POLLIN) for each in ready]

        _scale = 1000

        def close(self) -> None:
            """Watch nothing."""
            self._files.clear()

    names = [name for name in vars(selectors) if name.endswith("Selector") and not name.startswith(("Base", "_"))]
    return {
        "select": {"select": inert_select, "poll": Poll, "epoll": type("EPoll", (Poll,), {"_scale": 1})},
        "selectors": dict.fromkeys(names, general),
        "socketserver": {"_ServerSelector": patient},
    }


def _socket_of(file: Any, kind: type[InertSocket]) -> InertSocket | None:
    number = file if isinstance(file, int) else file.fileno()
    return kind.files.get(number)
