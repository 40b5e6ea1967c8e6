"""`sdnloom crosscheck agents`: the agents that can be named."""

from typing import Final

import click

from sdnloom.cli.options.format_option import format_option
from sdnloom.report.formats import render

# What can be given as an agent -> what it is.
AGENT_TEXTS: Final = {
    "strict": "sdnloom's switch model behind the wire codec: what the specification says; OpenFlow 1.0 and 1.3",
    "reference-like": "an agent that behaves as SOFT documents the Reference Switch of 2012, with its crashes",
    "ovs-like": "an agent that behaves as SOFT documents Open vSwitch of 2012",
    "modified": "reference-like with seven seeded modifications; modified:NAME has one of them",
    "openvswitch": "the real Open vSwitch of this machine, started without privileges: a black box",
    "unix:PATH": "a switch that listens on a unix socket: a black box",
    "tcp:PORT": "a switch that listens on a TCP port of this machine: a black box",
    "listen:PORT": "a switch that connects to a controller on a TCP port of this machine: a black box",
    "file.py:Class": "a class of your own in a file, with the methods reset, message, packet and advance",
    "module:Class": "the same in an installed module, or one of the current folder",
}


@click.command("agents")
@format_option("crosscheck agents")
def command(form: str) -> int:
    """List the agents that can be named on the command line, with what they are."""
    click.echo(render("crosscheck agents", form, AGENT_TEXTS), nl=False)
    return 0
