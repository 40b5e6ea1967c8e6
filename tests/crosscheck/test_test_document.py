"""Test files: the built-in ones, what a document may hold, and what is refused."""

import pytest

from sdnloom.crosscheck.switch_test import MessageStep, template_bytes
from sdnloom.crosscheck.test_document import built_in_tests, load_test, read_test
from sdnloom.network import openflow


@pytest.mark.parametrize("name", built_in_tests())
def test_the_harmless_input_of_a_built_in_test_is_valid(name: str) -> None:
    test = load_test(name)
    assert test.name == name
    assert test.description
    assert read_test(test.document) == test
    for case in test.cases:
        for number, step in enumerate(case.steps, 1):
            if isinstance(step, MessageStep):
                message = openflow.decode(template_bytes(step.parts, case.defaults()))
                assert message.xid == number
