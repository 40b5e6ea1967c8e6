"""Sockets and servers of a program under test: they exist, are bound and listen, and nobody ever connects or answers.

No scenario has peers other than the switches. A connection to anywhere is refused, as with nothing listening there; a
name other than that of this host is unknown; a call that waits for a peer waits for ever, or until its timeout. Each
socket that waits for peers, sends to them or connects is noted, with the line that did it. The two ends of a
`socketpair` are connected to each other.
"""

import errno
import ipaddress
import os
import socket
import weakref
from collections import deque
from collections.abc import Iterable
from typing import Any, ClassVar

from sdnloom.platforms.process.process import Process
from sdnloom.platforms.sandbox.threads import HubThread

HOST = "controller"  # the name of the host that a program runs on
HOST_ADDRESS = "127.0.1.1"
_FIRST_FILE = 100_000  # file numbers that no real file has
_FIRST_PORT = 49_152
_STREAM = socket.SOCK_STREAM


class InertSocket:
    """A socket without a network."""

    process: ClassVar[Process]
    files: ClassVar["weakref.WeakValueDictionary[int, InertSocket]"]  # by file number

    def __init__(self, family: int = -1, type: int = -1, proto: int = -1, fileno: Any = None) -> None:  # noqa: A002
        self.family = socket.AddressFamily(socket.AF_INET if family == -1 else family)
        kind = (_STREAM if type == -1 else type) & ~(socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        self.type = socket.SocketKind(kind)
        self.proto = 0 if proto == -1 else proto
        self._timeout: float | None = None
        self._address: Any = ("", 0) if self.family in (socket.AF_INET, socket.AF_INET6) else ""
        self._to: Any = None
        self._options: dict[Any, Any] = {}
        self._closed = self._listening = False
        self._pair: InertSocket | None = None
        self._came: deque[bytes] = deque()
        self._waiting: list[HubThread] = []
        self._number = self.process.next_number("file", _FIRST_FILE)
        self.files[self._number] = self

    # The life of a socket.

    def fileno(self) -> int:
        """Return a number that is no real file's; -1 if closed."""
        return -1 if self._closed else self._number

    def close(self) -> None:
        """Close it."""
        self._closed = True
        for each in (self, self._pair):  # as on Linux, a thread that waits for a peer goes on waiting
            while each is not None and each._waiting:
                each.process.hub.wake(each._waiting)

    def detach(self) -> int:
        """Close it and return its number."""
        number = self.fileno()
        self.close()
        return number

    def shutdown(self, how: int) -> None:
        """Do nothing."""

    def __enter__(self) -> "InertSocket":
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def dup(self) -> "InertSocket":
        """Return the socket itself: it has no state that two copies share."""
        return self

    # Options.

    def setsockopt(self, level: int, option: int, *value: Any) -> None:
        """Note an option."""
        self._options[level, option] = value[0] if value else None

    def getsockopt(self, level: int, option: int, size: int = 0) -> Any:
        """Return an option that was set; 0 for others."""
        return self._options.get((level, option), b"\0" * size if size else 0)

    def settimeout(self, seconds: float | None) -> None:
        """Set the timeout."""
        if seconds is not None and seconds < 0:
            raise ValueError("Timeout value out of range")
        self._timeout = None if seconds is None else float(seconds)

    def gettimeout(self) -> float | None:
        """Return the timeout."""
        return self._timeout

    timeout = property(gettimeout)

    def setblocking(self, flag: bool) -> None:
        """Set whether calls wait."""
        self._timeout = None if flag else 0.0

    def getblocking(self) -> bool:
        """Whether calls wait."""
        return self._timeout != 0

    def set_inheritable(self, inheritable: bool) -> None:
        """Do nothing."""

    def get_inheritable(self) -> bool:
        """Return False."""
        return False

    def ioctl(self, *args: Any) -> None:
        """Do nothing."""

    # Addresses.

    def bind(self, address: Any) -> None:
        """Take an address; port 0 becomes a free one."""
        self._check_open()
        if self.family in (socket.AF_INET, socket.AF_INET6) and not address[1]:
            address = (address[0], self.process.next_number("port", _FIRST_PORT), *address[2:])
        self._address = tuple(address) if isinstance(address, list) else address
        if self.type != _STREAM:
            self._note(f"the app's socket at {self._where()}", "receives nothing")

    def listen(self, backlog: int = 128) -> None:
        """Wait for connections that never come."""
        self._check_open()
        if self.family in (socket.AF_INET, socket.AF_INET6) and not self._address[1]:
            self.bind(self._address)
        self._listening = True
        self._note(f"the app's server at {self._where()}", "gets no requests")

    def getsockname(self) -> Any:
        """Return its address."""
        return self._address

    def getpeername(self) -> Any:
        """Return the address of the peer; OSError, for there is none."""
        if self._to is None:
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
        return self._to

    def connect(self, address: Any) -> None:
        """Fail as with nothing listening there; a socket without connections only remembers the address."""
        self._check_open()
        if self.type != _STREAM:
            self._to = address
            return
        self._note(f"the app's connection to {_address_text(address)}", "is refused")
        if self.family == socket.AF_UNIX:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))

    def connect_ex(self, address: Any) -> int:
        """Return the error that `connect` raises."""
        try:
            self.connect(address)
        except OSError as error:
            return error.errno or errno.ECONNREFUSED
        return 0

    # Data.

    def accept(self) -> Any:
        """Wait for a connection."""
        if not self._listening:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._wait()
        raise AssertionError("nobody connects")

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return data of the other end of a pair; otherwise wait."""
        if self.type == _STREAM and self._pair is None:
            self._check_open()
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
        while not self._came:
            if self._pair is not None and self._pair._closed:
                return b""
            self._wait()
        found = self._came.popleft()
        if len(found) > size and self.type == _STREAM:
            self._came.appendleft(found[size:])
        return found[:size]

    def recvfrom(self, size: int, flags: int = 0) -> tuple[bytes, Any]:
        """Return data and the address of the sender."""
        return self.recv(size), None

    recvmsg = recvfrom

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        """Write data into a buffer."""
        found = self.recv(size or len(buffer))
        memoryview(buffer)[: len(found)] = found
        return len(found)

    def recvfrom_into(self, buffer: Any, size: int = 0, flags: int = 0) -> tuple[int, Any]:
        """Write data into a buffer; return its size and the address of the sender."""
        return self.recv_into(buffer, size), None

    def send(self, data: Any, flags: int = 0) -> int:
        """Send data to the other end of a pair, or to nobody."""
        self._check_open()
        if self._pair is not None:
            if self._pair._closed:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
            self._pair._came.append(bytes(data))
            self.process.hub.wake(self._pair._waiting)
        elif self.type == _STREAM:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        else:
            self._note(f"what the app sends to {_address_text(self._to or self._address)}", "reaches nobody")
        return len(memoryview(data).cast("B")) if len(data) else 0

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all data."""
        self.send(data)

    def sendto(self, data: Any, *rest: Any) -> int:
        """Send data to an address."""
        if self.type != _STREAM and self._pair is None:
            self._check_open()
            self._note(f"what the app sends to {_address_text(rest[-1])}", "reaches nobody")
            return len(data)
        return self.send(data)

    def sendmsg(self, buffers: Iterable[Any], *rest: Any) -> int:
        """Send several buffers."""
        return self.send(b"".join(map(bytes, buffers)))

    def makefile(self, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        """Refuse: only a connection has a use for it."""
        raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))

    def is_readable(self) -> bool:
        """Whether a call that receives would not wait."""
        return bool(self._came) or (self._pair is not None and self._pair._closed)

    def _wait(self) -> None:
        """Wait for a peer, for ever unless there is a timeout."""
        self._check_open()
        if self._timeout == 0:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        if self._pair is None and self._timeout is None:
            self.process.hub.wait_for_ever()
        if not self.process.hub.block(self._waiting, self._timeout):
            raise TimeoutError("timed out")
        self._check_open()

    def _check_open(self) -> None:
        if self._closed:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def _where(self) -> str:
        return _address_text(self._address)

    def _note(self, what: str, then: str) -> None:
        self.process.note(f"{what} ({self.process.place()}) {then}")

    def __repr__(self) -> str:
        return f"<socket {self.family.name} {self.type.name} {self._where()}>"


def _address_text(address: Any) -> str:
    if isinstance(address, tuple | list) and len(address) > 1 and isinstance(address[1], int):
        return f"{address[0] or '0.0.0.0'}:{address[1]}"
    return os.fsdecode(address) if isinstance(address, str | bytes) else str(address)


# Names of hosts.


def _local(host: Any) -> str:
    """Return the address of a host that a program without a name server knows; gaierror for others."""
    if host in (None, ""):
        return "0.0.0.0"
    text = os.fsdecode(host)
    if text in ("localhost", "localhost.localdomain"):
        return "127.0.0.1"
    if text == HOST:
        return HOST_ADDRESS
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None


def _addresses(
    host: Any,
    port: Any,
    family: int = 0,
    type: int = 0,  # noqa: A002
    proto: int = 0,
    flags: int = 0,
) -> list[tuple[Any, Any, int, str, Any]]:
    address = _local("127.0.0.1" if host is None and not flags & socket.AI_PASSIVE else host)
    number = int(port) if port is not None and str(port).isdigit() else 0
    if port is not None and not str(port).isdigit():
        number = socket.getservbyname(str(port))
    six = ":" in address
    own = socket.AF_INET6 if six else socket.AF_INET
    if family not in (0, own):
        raise socket.gaierror(socket.EAI_ADDRFAMILY, "Address family for hostname not supported")
    kinds = ((_STREAM, 6), (socket.SOCK_DGRAM, 17))
    found = [each for each in kinds if type in (0, each[0])] or [(socket.SocketKind(type), proto)]
    end = (address, number, 0, 0) if six else (address, number)
    return [(own, kind, each, "", end) for kind, each in found]


def _name_of(address: str) -> tuple[str, list[str], list[str]]:
    found = _local(address)
    name = {"127.0.0.1": "localhost", HOST_ADDRESS: HOST}.get(found)
    if name is None:
        raise socket.herror(1, "Unknown host")
    return name, [], [found]


def socket_names(process: Process) -> dict[str, Any]:
    """Return names of `socket` for a process."""
    files: weakref.WeakValueDictionary[int, InertSocket] = weakref.WeakValueDictionary()
    kind = type("socket", (InertSocket,), {"__module__": __name__, "process": process, "files": files})

    def pair(family: int = -1, type: int = _STREAM, proto: int = 0) -> tuple[Any, Any]:  # noqa: A002
        one, other = kind(socket.AF_UNIX, type, proto), kind(socket.AF_UNIX, type, proto)
        one._pair, other._pair = other, one
        return one, other

    return {
        "socket": kind,
        "SocketType": kind,
        "socketpair": pair,
        "fromfd": lambda fd, *described: kind(*described),
        "getaddrinfo": _addresses,
        "gethostbyname": _local,
        "gethostbyname_ex": lambda host: (os.fsdecode(host), [], [_local(host)]),
        "gethostbyaddr": _name_of,
        "getnameinfo": lambda address, flags: (str(address[0]), str(address[1])),
        "gethostname": lambda: HOST,
        "sethostname": lambda name: None,
        "setdefaulttimeout": lambda seconds: None,
        "has_dualstack_ipv6": lambda: False,
        "if_nameindex": lambda: [(1, "lo")],
    }
