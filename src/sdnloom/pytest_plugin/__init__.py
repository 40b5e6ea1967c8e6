"""The plugin for pytest: the fixture and the marker `sdnloom`, options, and scenario files as tests.

pytest loads it in every project, so nothing but pytest is imported before a test uses it.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sdnloom.pytest_plugin.fixture import SdnloomFixture

_MARKER = "sdnloom(subject, **options): what sdnloom.check() checks, and options for every check of the test"
_SCENARIOS = "sdnloom_scenarios"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, all of which begin with --sdnloom, and one for the ini file."""
    group = parser.getgroup("sdnloom", "controller programs in every order of events")
    group.addoption(
        "--sdnloom-time-limit",
        type=float,
        metavar="SECONDS",
        help="time limit of each check that has none of its own",
    )
    group.addoption(
        "--sdnloom-trace-dir",
        type=Path,
        metavar="DIR",
        help="folder for the traces of failures (default: in the cache of pytest)",
    )
    group.addoption(
        "--sdnloom-no-replay",
        action="store_true",
        help="search at once, without a replay of what failed in the last run",
    )
    group.addoption(
        "--sdnloom-confirm",
        action="store_true",
        help="take what fails on a real controller and a real Open vSwitch too, and say what became of it",
    )
    parser.addini(_SCENARIOS, "scenario files that are tests, as patterns such as nets/*.toml", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and leave our own modules as they are.

    pytest rewrites the assertions of every module of a package that brings a plugin: hundreds of modules here, anew in
    every run where no bytecode is written. It has no way to say no; if its set has another name one day, all still
    works, only slower.
    """
    config.addinivalue_line("markers", _MARKER)
    rewritten = getattr(getattr(config.pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(rewritten, set):
        rewritten.discard("sdnloom")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A scenario file is a test, if the ini file says so."""
    patterns: list[str] = parent.config.getini(_SCENARIOS)
    if not patterns or file_path.suffix != ".toml" or file_path.name.endswith(".part.toml"):
        return None
    inside = file_path.is_relative_to(parent.config.rootpath)
    name = file_path.relative_to(parent.config.rootpath) if inside else file_path
    if not any(name.match(pattern) for pattern in patterns):
        return None
    from sdnloom.pytest_plugin.scenario_item import ScenarioTestFile

    collected: pytest.Collector = ScenarioTestFile.from_parent(parent, path=file_path)
    return collected


@pytest.fixture
def sdnloom(request: pytest.FixtureRequest) -> "SdnloomFixture":
    """Checks of controller programs: `sdnloom.check(app="switch.py")` fails with a counterexample as its message."""
    from sdnloom.pytest_plugin.fixture import SdnloomFixture

    return SdnloomFixture(request.node)
