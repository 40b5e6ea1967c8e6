"""Calls that one thread makes for others."""

import threading

import pytest

from sdnloom.web.worker import Worker, WorkerEndedError


def _raise(error: BaseException) -> None:
    raise error


def test_calls_are_made_in_the_thread_of_the_worker_and_errors_come_back() -> None:
    worker = Worker()
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert worker.call(threading.current_thread) is thread
    with pytest.raises(ValueError, match="no"):
        worker.call(lambda: _raise(ValueError("no")))
    assert worker.call(lambda: 1) == 1
    worker.stop()
    thread.join()


def test_an_interrupt_ends_the_worker_and_whoever_waits_is_told() -> None:
    worker = Worker()
    waiting = worker.begin(lambda: _raise(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        worker.run()
    with pytest.raises(WorkerEndedError):
        waiting.result()
