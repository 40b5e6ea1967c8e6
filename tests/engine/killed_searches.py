"""Searches in processes that end themselves with SIGKILL, again and again, until one comes to its end.

`python -m tests.engine.killed_searches FOLDER SEARCHES` prints how often a process was killed, and how often while it
wrote a checkpoint; it fails if a result differs from that of a search that was not killed. It forks, so it has no
threads.
"""

import os
import random
import signal
import sys
from dataclasses import replace
from pathlib import Path

from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint import keeper as keeping
from sdnloom.engine.checkpoint.file import read_checkpoint
from sdnloom.engine.checkpoint.keeper import CheckpointKeeper
from sdnloom.engine.memo import Memo
from sdnloom.engine.reduction import auto_reduction
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import _Run, search
from tests.engine.systems import REDUCIBLE, random_system, with_history

OPTIONS = SearchOptions(find_all=True, order="bfs")


def killing(function, at, before):
    """The function, and the end of the process before or after its call of that number."""
    calls = 0

    def called(*given, **more):
        nonlocal calls
        calls += 1
        if calls == at and before:
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*given, **more)
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return called


def kill_at(place, number):
    """End this process at a moment of a search."""
    if place == "section":  # some sections are written, others are not
        format_of._write_section = killing(format_of._write_section, number, before=False)
    elif place == "before renaming":
        format_of.os.replace = killing(os.replace, number, before=True)
    elif place == "after renaming":
        format_of.os.replace = killing(os.replace, number, before=False)
    else:
        Memo._evaluate = killing(Memo._evaluate, number, before=True)


def searched(seed, file):
    """The result of a search that goes on where its checkpoint was written, if there is one."""
    saved = read_checkpoint(file) if file.exists() else None
    system, options = with_history(random_system(seed), 2), OPTIONS
    if seed % 2:  # a search that may take a reduction
        system, options = random_system(seed, needs=REDUCIBLE), SearchOptions()
    result = search(system, options, checkpoint=CheckpointKeeper(file, saved=saved))
    return repr(replace(result, statistics=replace(result.statistics, seconds=0.0, bytes_per_state=None)))


def outcome_of(seed, file, place, number):
    """The result of a search in a process of its own; None if that was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        kill_at(place, number)
        with os.fdopen(writing, "w") as stream:
            stream.write(searched(seed, file))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        result = stream.read()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    return result or None


def main(folder, count):
    """Kill searches at random moments, and compare what they come to."""
    _Run._compiled = lambda self, meanwhile: True
    keeping.INTERVAL = keeping.REST_FACTOR = 0
    auto_reduction.FIRST_TRIAL = 8
    auto_reduction.TRANSITION = auto_reduction.DERIVATION = 1
    format_of.os.fsync = lambda descriptor: None
    killed = written = 0
    for seed in range(count):
        chance = random.Random(seed)
        expected, file = searched(seed, folder / f"{seed}.whole"), folder / f"{seed}.ckpt"
        result = None
        while result is None:
            place = chance.choice(("section", "before renaming", "after renaming", "step"))
            result = outcome_of(seed, file, place, chance.randrange(1, 30))
            killed += result is None
            written += result is None and place != "step"
        assert result == expected, seed
    sys.stdout.write(f"{killed} {written}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
