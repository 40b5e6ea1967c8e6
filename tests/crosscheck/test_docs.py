"""The page about test files: its examples are tests, and it names everything that a test can say."""

import re
from pathlib import Path

from sdnloom.crosscheck.template.packet import PACKET_KINDS
from sdnloom.crosscheck.template.tables import ACTION_KINDS, INSTRUCTION_KINDS, MESSAGE_KINDS
from sdnloom.crosscheck.test_document import built_in_tests, load_test

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "crosscheck-tests.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_are_tests(tmp_path: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert examples[0] == (ROOT / "examples" / "crosscheck" / "vlan.toml").read_text()
    variables = []
    for number, text in enumerate(examples):
        file = tmp_path / f"example{number}.toml"
        file.write_text(text)
        (case,) = load_test(str(file)).cases
        variables.append([variable.name for variable in case.variables])
    assert variables == [["m1.actions[0].vlan_vid"], ["p2.ipv4.proto", "p2.ipv4.dst", "p2.tcp.dst"]]


def test_the_page_names_all_that_a_test_can_say() -> None:
    words = set(re.findall(r'[`"](\w[\w-]*)[`"]', PAGE))
    known = {*built_in_tests(), *PACKET_KINDS, *INSTRUCTION_KINDS, "raw"}
    for version in (1, 4):
        known |= {*MESSAGE_KINDS[version], *ACTION_KINDS[version]}
    assert known - words == set()
