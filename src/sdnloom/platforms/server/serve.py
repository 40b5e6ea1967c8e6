"""The start of a controller's process: it reads its document, makes the program and serves it.

The document has the `version` of OpenFlow, the `switches` (datapath id as text -> name), the working `folder`, and what
the platform needs. A program that cannot be made is one line on standard error, and exit code 2.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sdnloom.errors import SdnloomError
from sdnloom.network.network import Network
from sdnloom.network.openflow import VERSION_NUMBERS
from sdnloom.platforms.server.input_lines import InputLines, taken_input
from sdnloom.platforms.server.openflow_server import OpenFlowServer
from sdnloom.platforms.server.report_lines import REPORT_VARIABLE, ReportLines
from sdnloom.platforms.server.served_program import ServedProgram

_GRACE: Final = 0.5  # seconds that a handler gets to return when the process has to end


def served_network(network: Network) -> dict[str, Any]:
    """Return the part of a document that all platforms have.

    Raises SdnloomError in a process that is such a server itself: the file of the program starts it when it is loaded.
    """
    if REPORT_VARIABLE in os.environ:
        raise SdnloomError(
            "the file of the program starts a controller of its own when it is loaded; expected that to be under "
            'if __name__ == "__main__":'
        )
    return {
        "version": network.switches.version,
        "switches": {str(switch.dpid): switch.name for switch in network.topology.switches},
        "folder": os.getcwd(),
    }


def served_environment() -> dict[str, str]:
    """Return the variables by which a process of Python finds the modules that this one finds, and logs at once."""
    return {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)), "PYTHONUNBUFFERED": "1"}


def _end_with_input(descriptor: int) -> None:
    """End the process some time after the other end of standard input was closed, even if a handler never returns."""
    hung_up = select.poll()
    hung_up.register(descriptor, 0)  # only its end is reported
    hung_up.poll()
    time.sleep(_GRACE)
    os._exit(1)


def serve(make: Callable[[Mapping[str, Any]], ServedProgram]) -> None:
    """Run a program until standard input ends; `make` makes it from the document."""
    try:
        lines = InputLines(taken_input())
        threading.Thread(target=_end_with_input, args=(lines.descriptor,), daemon=True).start()
        document = lines.first()
        os.chdir(document["folder"])
        names = {int(number): name for number, name in document["switches"].items()}
        server = OpenFlowServer(make(document), VERSION_NUMBERS[document["version"]], names, lines, ReportLines())
        server.run()
    except SdnloomError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
