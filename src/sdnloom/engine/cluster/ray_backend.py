"""Workers in processes of their own, on this machine or on several, run by Ray.

Ray pickles what it sends: the function that makes the program, settings, numbers, arrays of numbers. That happens
between this process and its own workers. Processes are ended one by one, through Ray or by the end of Ray's own node;
`ray stop` is never called, because it ends processes of other users of Ray by their names.
"""

import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any

from sdnloom.engine.cluster.program import ClusterProgram
from sdnloom.engine.cluster.protocol import WorkerLost, WorkerSettings
from sdnloom.engine.cluster.worker import SearchWorker
from sdnloom.engine.limits import available_cores
from sdnloom.errors import SdnloomError

LOCAL_ADDRESS = "local"
_ATTEMPTS = 3  # to start Ray: a node that is not up within Ray's own 30 seconds ends itself
_LOOK = 0.2  # seconds between two looks while results are awaited
_LONGEST_ANSWER = 5.0  # seconds until a machine that is there has answered
_LEAST_STORE = 1 << 28  # bytes of Ray's store of objects
# A node listens on all interfaces; nobody without this token can use it. The token is in no file.
_TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


class RayMember:
    """The process of one worker."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._worker = SearchWorker(settings)

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method of the worker."""
        return self._worker.call(method, *arguments)

    def part(self, method: str, *arguments: Any) -> Any:
        """The only part of the result of a method of the worker."""
        (result,) = self._worker.call(method, *arguments)
        return result


class RayConnection:
    """A connection to a Ray cluster, or to a Ray node that lives as long as it ("local")."""

    def __init__(self, address: str, on_notice: Callable[[str], None] = lambda text: None) -> None:
        self.is_local = address == LOCAL_ADDRESS
        self.ray, wants_token = _imported(self.is_local)
        with ExitStack() as stack:
            stack.enter_context(_connected(self.ray, address, wants_token, on_notice))
            self._closing = stack.pop_all()

    def machines(self) -> list[str]:
        """The ids of the machines that are there."""
        return [each["NodeID"] for each in self.ray.nodes() if each["Alive"]]

    def close(self) -> None:
        """End it, and a Ray node of its own."""
        self._closing.close()


class RayBackend:
    """Runs workers as actors of Ray: by default one for each machine, two on a local node."""

    def __init__(
        self,
        connection: RayConnection,
        program: Callable[[], ClusterProgram],
        workers: int | None = None,
        threads: int | None = None,
        close_connection: bool = True,
    ) -> None:
        self._connection, self._closes = connection, close_connection
        self._ray, self._program = connection.ray, program
        self._machines = connection.machines()
        self.workers = workers or (2 if connection.is_local else len(self._machines))
        self._threads = threads or (max(1, available_cores() // self.workers) if connection.is_local else 0)
        self._members = [self._new(number) for number in range(self.workers)]

    def _new(self, number: int) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        where = NodeAffinitySchedulingStrategy(self._machines[number % len(self._machines)], soft=False)
        kind = self._ray.remote(RayMember).options(num_cpus=0, scheduling_strategy=where)
        return kind.remote(WorkerSettings(number, self.workers, self._threads, self._program))

    def call(self, worker: int, method: str, *arguments: Any) -> Any:
        """Call a method of a worker; a reference to its result."""
        return self._members[worker].call.remote(method, *arguments)

    def parts(self, worker: int, method: str, *arguments: Any) -> list[Any]:
        """Call a method that has a result for each worker; references to them."""
        if self.workers == 1:
            return [self._members[worker].part.remote(method, *arguments)]
        found: list[Any] = self._members[worker].call.options(num_returns=self.workers).remote(method, *arguments)
        return found

    def results(self, called: Sequence[Any], pause: Callable[[], None]) -> list[Any]:
        """The results of calls."""
        ray = self._ray
        pause()
        waiting = list(called)
        while waiting:
            _, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=_LOOK)
            if waiting:
                pause()
        try:
            return list(ray.get(list(called)))
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, SdnloomError):
                raise error.cause from None
            lost = isinstance(error.cause, ray.exceptions.RayActorError | ray.exceptions.ObjectLostError)
            if lost:
                raise WorkerLost(self._lost(), str(error.cause).partition("\n")[0]) from None
            raise SdnloomError(f"a worker failed: {str(error).strip().splitlines()[-1]}") from error
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            raise WorkerLost(self._lost(), "its process has ended") from error
        except ray.exceptions.RayError as error:
            raise SdnloomError(f"Ray failed: {_first_line(error)}") from error

    def _lost(self) -> int:
        """The first worker that does not answer any more."""
        ray = self._ray
        for number, member in enumerate(self._members):
            try:
                ray.get(member.call.remote("process"))
            except ray.exceptions.RayError:
                return number
        return 0

    def replace(self, worker: int) -> None:
        """Start a lost worker again, on a machine that is there."""
        self._machines = self._connection.machines()
        with suppress(Exception):
            self._ray.kill(self._members[worker])
        self._members[worker] = self._new(worker)

    def close(self) -> None:
        """End all workers, and a Ray node of this process with all of its own."""
        for member in self._members:
            with suppress(Exception):
                self._ray.kill(member)
        self._members.clear()
        if self._closes:
            self._connection.close()


@contextmanager
def _connected(ray: Any, address: str, wants_token: bool, on_notice: Callable[[str], None]) -> Iterator[None]:
    """Be connected to a cluster, or to a Ray node that lives as long as the block."""
    if ray.is_initialized():
        raise SdnloomError("this process is connected to a Ray cluster already; expected none")
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    if address != LOCAL_ADDRESS:
        _refuse_silent(address)
        try:
            ray.init(address=address, **quiet)
        except Exception as error:
            raise _no_cluster(address, error) from error
        try:
            yield
        finally:
            ray.shutdown()
        return
    folder = tempfile.mkdtemp(prefix="sdnloom-")
    with _environment({**(_TOKEN if wants_token else {}), "RAY_USAGE_STATS_ENABLED": "0"}):
        try:
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    ray.init(
                        num_cpus=1,
                        include_dashboard=False,
                        _temp_dir=folder,
                        _node_ip_address="127.0.0.1",
                        object_store_memory=_LEAST_STORE,
                        **quiet,
                    )
                    break
                except Exception as error:
                    ray.shutdown()
                    if attempt == _ATTEMPTS:
                        raise SdnloomError(
                            f"Ray did not start in {_ATTEMPTS} attempts ({_first_line(error)}); its own limit is 30 "
                            "seconds, which a machine that is busy may need; expected less load, or --cluster ADDRESS "
                            "with a cluster that runs"
                        ) from error
                    on_notice(f"Ray did not start ({_first_line(error)}); trying again")
            yield
        finally:
            ray.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


def _refuse_silent(address: str) -> None:
    """Raise SdnloomError if nothing listens at an address; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), _LONGEST_ANSWER).close()
        except (OSError, OverflowError) as error:
            raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: Exception) -> SdnloomError:
    return SdnloomError(
        f"no Ray cluster answers at {address!r} ({_first_line(error)}); expected the address that `ray start --head` "
        "printed, such as 10.0.0.1:6379, or local"
    )


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables of the environment inside; Ray's processes inherit them."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@cache
def _imported(is_local: bool) -> tuple[Any, bool]:
    """Ray, and whether nodes of its own want a token. It looks for that when it is imported, and never again."""
    wants_token = is_local and "ray" not in sys.modules
    try:
        with _environment(_TOKEN if wants_token else {}):
            import ray
    except ImportError as error:
        raise SdnloomError(
            f"a cluster needs Ray, which cannot be imported ({error}); expected: pip install 'sdnloom[cluster]'"
        ) from error
    return ray, wants_token


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
