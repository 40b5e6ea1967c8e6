"""The examples of docs/openflow.md run as written."""

import doctest
from pathlib import Path


def test_the_examples_of_the_page_run() -> None:
    page = Path(__file__).parents[3] / "docs" / "openflow.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert (failed, tried) == (0, 20)
