"""Shared test support: a missing external tool skips locally and fails where everything is required."""

import gc
import os
import shutil
import sys

import pytest
from hypothesis import settings

from sdnloom.symbolic.rewrite.module import IMPORTED

# Bytecode is kept even where the environment says otherwise: the workers import all tests, and tests start Python more
# than a hundred times.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile("sdnloom", max_examples=70, deadline=None, derandomize=True)
settings.load_profile("sdnloom")


def pytest_collection_finish() -> None:
    # Imported modules live as long as the tests, so the cyclic collector need not scan them, nor every state of a
    # search. Full collections took a tenth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 20, 25)


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    # Under SDNLOOM_REQUIRE_ALL no test may skip: CI must notice a missing tool.
    if os.environ.get("SDNLOOM_REQUIRE_ALL") and call.excinfo and call.excinfo.errisinstance(pytest.skip.Exception):
        call.excinfo = pytest.ExceptionInfo.from_exc_info(
            (
                AssertionError,
                AssertionError(f"skipped under SDNLOOM_REQUIRE_ALL: {call.excinfo.value}"),
                call.excinfo.tb,
            )
        )


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    # The same for a module that skips itself while it is collected.
    report = yield
    if os.environ.get("SDNLOOM_REQUIRE_ALL") and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid}: skipped under SDNLOOM_REQUIRE_ALL: {report.longrepr}"
    return report


@pytest.fixture(scope="module", autouse=True)
def own_imports():
    """Forget after each module which libraries its programs imported: explorations of later ones would follow them."""
    before = set(IMPORTED)
    yield
    IMPORTED.intersection_update(before)


@pytest.fixture(scope="session")
def need_tool():
    """Return a function that skips the test when a program is missing from PATH."""

    def need(*names: str) -> None:
        for name in names:
            if shutil.which(name) is None:
                pytest.skip(f"needs the program {name!r}: `make packages` installs it")

    return need
