"""`sdnloom` in a process of its own, with a checkpoint at every boundary, and a moment to be killed.

`python -m tests.cli.checkpointing_process MOMENT ARGUMENTS...`: the process ends itself with SIGKILL at the given
section of a checkpoint (which is written, and not yet renamed), before or after the given call of `os.replace`, or at a
step of the search. MOMENT is WHERE:NUMBER, or "never".
"""

import os
import signal
import sys

from sdnloom import cli
from sdnloom.engine import user_code
from sdnloom.engine.checkpoint import file as format_of
from sdnloom.engine.checkpoint import keeper as keeping
from sdnloom.engine.search import _Run


def killing(function, at, before):
    """The function, and the end of the process at its call of that number."""
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


def run(moment, arguments):
    _Run._compiled = lambda self, meanwhile: True
    keeping.INTERVAL = keeping.REST_FACTOR = 0
    format_of.os.fsync = lambda descriptor: None
    where, _, number = moment.partition(":")
    if where == "section":
        format_of._write_section = killing(format_of._write_section, int(number), before=False)
    elif where in ("before", "after"):
        format_of.os.replace = killing(os.replace, int(number), before=where == "before")
    elif where == "step":
        user_code.evaluate = killing(user_code.evaluate, int(number), before=True)
    sys.argv = ["sdnloom", *arguments]
    cli.main()


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
