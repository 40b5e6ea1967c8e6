"""The processes of a real Open vSwitch, unprivileged and with a dummy datapath: bridges come and go while they run.

No system service is touched: `ovsdb-server` and `ovs-vswitchd` are started with every path inside of one temporary
directory, and ended by process id. The clock stands still from the start; only `warp` moves it, for all bridges.
"""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sdnloom.switches.control_socket import ControlSocket
from sdnloom.switches.daemons import Daemons, need_programs
from sdnloom.switches.errors import RealSwitchError, SwitchEndedError
from sdnloom.switches.unix_socket import connect_unix

OVS_SCHEMA: Final = Path("/usr/share/openvswitch/vswitch.ovsschema")
OVS_PACKAGE: Final = "openvswitch-switch"
_PROGRAMS: Final = ("ovsdb-tool", "ovsdb-server", "ovs-vsctl", "ovs-vswitchd")


def need_open_vswitch() -> None:
    """Raise RealSwitchError, with the package to install, if Open vSwitch is not installed."""
    need_programs(_PROGRAMS, OVS_PACKAGE)
    if not OVS_SCHEMA.exists():
        raise RealSwitchError(f"{OVS_SCHEMA}: not found; install the package {OVS_PACKAGE}")


class VswitchProcesses:
    """`ovsdb-server` and `ovs-vswitchd`, without a bridge at first. Law: after `close` nothing of them is left.

    Make it in a thread that lives longer: Linux ends the processes with it.
    """

    def __init__(self) -> None:
        need_open_vswitch()
        self._daemons = Daemons("sdnloom-ovs-", _environment)
        self._control: ControlSocket | None = None
        self._numbers = itertools.count(1)
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "VswitchProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End both processes, by id, and remove the directory."""
        if self._control is not None:
            self._control.close()
        self._daemons.close()

    @property
    def directory(self) -> Path:
        """The temporary directory of everything that the processes write."""
        return self._daemons.directory

    @property
    def process_ids(self) -> dict[str, int]:
        """The process ids of the daemons by name."""
        return self._daemons.process_ids

    @property
    def version(self) -> str:
        """The product and its version: "Open vSwitch 3.1.0"."""
        text = self.control("version")
        found = re.search(r"\((.*?)\) (\S+)", text)
        return " ".join(found.groups()) if found else text.strip()

    def configure(self, *words: str) -> None:
        """Make one transaction of `ovs-vsctl`; it is done when this returns."""
        self._daemons.run(*_vsctl(self.directory), *words)

    def control(self, method: str, *params: str) -> str:
        """Return the answer of the daemon to a command of `ovs-appctl`."""
        assert self._control is not None
        return self._control(method, *params)

    def rounds(self, count: int) -> None:
        """Wait for rounds of the daemon's main loop, without a message: what it was sent before is then done."""
        assert self._control is not None
        self._control.rounds(count)

    def warp(self, milliseconds: int) -> None:
        """Move the clock on."""
        self.control("time/warp", str(milliseconds))

    def revalidate(self, change: Callable[[], None]) -> None:
        """Change flow tables, and wait until Open vSwitch has collected statistics because of it.

        Entries expire only after that. The wait begins before the change: it would last half a second if statistics had
        been collected already.
        """
        assert self._control is not None
        self._control.during("revalidator/wait", change)

    def fresh_path(self, suffix: str) -> Path:
        """Return a path in the directory that was not used before."""
        return self.directory / f"{next(self._numbers)}{suffix}"

    def check(self) -> None:
        """Raise SwitchEndedError if a process has ended."""
        self._daemons.check()

    def wait_for_end(self, seconds: float = 2.0) -> None:
        """Raise SwitchEndedError if a process ends within a time: one that aborts first loses its connections."""
        self._daemons.wait_for_end(seconds)

    def crash_reason(self) -> str | None:
        """Return the last line of the log of a process that ended; None if all run."""
        try:
            self.rounds(1)
            self.check()  # without its database the daemon answers here, and deals with no message
        except SwitchEndedError:
            try:
                self.wait_for_end()
            except SwitchEndedError as error:
                return str(error)
        return None

    def _start(self) -> None:
        daemons, directory = self._daemons, self._daemons.directory
        daemons.run("ovsdb-tool", "create", f"{directory}/conf.db", str(OVS_SCHEMA))
        database = ("ovsdb-server", f"{directory}/conf.db", f"--remote=punix:{directory}/db.sock")
        daemons.start("ovsdb-server", *database, *_usual(directory, "ovsdb-server"))
        connect_unix(directory / "db.sock", daemons.check).close()
        # As many tags as a frame of the tests has: what follows them is then parsed, as the specification asks.
        # No datapath flows: one would answer the next frame for the flow table, and would hold back the report of the
        # removal of an entry that it was made from.
        # Statistics are collected as often as it allows: whoever moves the clock waits for that, in real time.
        options = ("vlan-limit=2", "flow-limit=0", "max-revalidator=100")
        settings = ("set", "Open_vSwitch", ".", *(f"other_config:{option}" for option in options))
        daemons.run(*_vsctl(directory), "--no-wait", "init", "--", *settings)
        daemon = ("ovs-vswitchd", f"unix:{directory}/db.sock", "--enable-dummy=override", "--disable-system")
        daemons.start("ovs-vswitchd", *daemon, *_usual(directory, "ovs-vswitchd"))
        connect_unix(directory / "ovs-vswitchd.ctl", daemons.check).close()
        self._control = ControlSocket(directory / "ovs-vswitchd.ctl")
        self.control("time/stop")


def _environment(directory: Path) -> dict[str, str]:
    return dict.fromkeys(("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR"), str(directory))


def _usual(directory: Path, name: str) -> tuple[str, ...]:
    """Return the options that both daemons have."""
    return (f"--unixctl={directory}/{name}.ctl", "-vconsole:off", f"--log-file={directory}/{name}.log")


def _vsctl(directory: Path) -> tuple[str, ...]:
    return ("ovs-vsctl", f"--db=unix:{directory}/db.sock")
