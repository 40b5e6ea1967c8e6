"""The command line, as in tests/cli."""

from tests.cli.conftest import sdnloom

__all__ = ["sdnloom"]
