"""Scenario files as tests: `sdnloom_scenarios` in the ini file says which."""

from collections.abc import Iterable
from typing import Any

import pytest

from sdnloom.pytest_plugin.fixture import SdnloomFixture


class ScenarioTestFile(pytest.File):
    """A scenario file, which has one test."""

    def collect(self) -> Iterable[pytest.Item]:
        """The test."""
        yield ScenarioTest.from_parent(self, name="holds")


class ScenarioTest(pytest.Item):
    """The test that a scenario holds."""

    def runtest(self) -> None:
        """Check the scenario."""
        SdnloomFixture(self).check(self.path)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The file, and the name of the test."""
        return self.path, 0, f"{self.path.name}: holds"
