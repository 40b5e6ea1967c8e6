"""The process: `python -m sdnloom.platforms.osken.own_process`, with the document of the apps on standard input."""

from sdnloom.platforms.osken.own_process.start import run

run()
