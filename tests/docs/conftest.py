"""Commands run in an empty folder of their own, as in tests/cli."""

from tests.cli.conftest import sdnloom

__all__ = ["sdnloom"]
