"""`sdnloom step`: a session in which one takes steps by hand."""

from sdnloom.cli.step.command import command as command
