"""Compilation of the kernel in another process: a search can go on meanwhile, and its limits hold.

numba keeps compiled functions in a cache on disk, from which this process loads them.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sdnloom.engine.disciplines import Fifo
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.loop import never_stop
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Action, Channel, Component, Needs, Outcome, Property, System
from sdnloom.engine.result import Limits

_PACKAGES = str(Path(__file__).parents[3])


class KernelCompilation:
    """Fills the cache unless it is full; `is_over` when the kernel can be loaded, or has to be compiled here."""

    def __init__(self) -> None:
        from sdnloom.engine.kernel.search import is_compiled  # imports numba, which takes a while

        self._process = None if is_compiled() else _start()

    @property
    def is_over(self) -> bool:
        """Whether there is nothing to wait for."""
        return self._process is None or self._process.poll() is not None

    def stop(self) -> None:
        """End the other process if it still runs; functions that it has compiled stay in the cache."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def _start() -> "subprocess.Popen[bytes] | None":
    """The other process; None if none can be started."""
    paths = os.pathsep.join(dict.fromkeys([_PACKAGES, *filter(None, sys.path)]))
    try:
        return subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import compile_kernel; compile_kernel()"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
        )
    except OSError:
        return None


def compile_kernel() -> None:
    """Compile every function of the kernel, by searches that need all of them."""
    from sdnloom.engine.kernel.disk.files import Folder
    from sdnloom.engine.kernel.disk.search import DiskSearch
    from sdnloom.engine.kernel.search import KernelSearch

    limits, system = Limits(), _counters()
    tables = Memo(system)

    def new_search() -> KernelSearch:
        return KernelSearch(
            tables,
            None,
            limits=limits,
            watch=LimitWatch(limits),
            on_finding=never_stop,
            on_pause=lambda: None,
            threads=2,
            kept=True,
        )

    search = new_search()
    search.run()
    search.values(search.count() - 1)
    new_search().restore(search.saved())
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        on_disk = DiskSearch(
            Memo(system),
            None,
            limits=Limits(memory=1),  # to disk at once
            watch=LimitWatch(limits),
            on_finding=never_stop,
            on_pause=lambda: None,
            folder=folder,
            on_spill=lambda states: None,
        )
        on_disk.run()
        on_disk.values(on_disk.count() - 1)
        folder.close()


def _counters() -> System:
    """Two components that count; one sends its numbers to the other. There are enough states to let tables grow."""

    def count(core: int, _: object) -> list[Outcome]:
        return [Outcome(core + 1, (("to A", core),), (("at", core),))] if core < 120 else []

    def take(core: int, message: object) -> list[Outcome]:
        return [Outcome(core + 1)]

    small = Property("small", Needs.STATE, lambda _, columns: None, columns=("A",))
    ended = Property("ended", Needs.QUIESCENT, lambda _, columns: None, columns=("A",))
    return System(
        (
            Component("A", 0, (Action("take", take, take="to A"),)),
            Component("B", 0, (Action("count", count, sends=frozenset({"to A"})),)),
        ),
        (Channel("to A", "A", Fifo()),),
        (small, ended),
    )
