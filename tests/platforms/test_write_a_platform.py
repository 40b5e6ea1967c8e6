"""docs/write-a-platform.md: its example runs, and its table has every protocol."""

import re
from pathlib import Path
from typing import Any

import pytest

from sdnloom.network import program as contract
from sdnloom.network.program import Call, MessageIn, capability
from sdnloom.platforms import explorable

PAGE = Path(__file__).parents[2] / "docs" / "write-a-platform.md"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The names of the example after it ran; it asserts its verdicts itself."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(code, str(PAGE), "exec"), names)
    return names


def test_the_example_has_exact_counts(example):
    sizes = [example[name].result.statistics for name in ("on_one_switch", "in_a_ring")]
    assert [(each.states, each.transitions) for each in sizes] == [(42, 63), (157, 296)]


def test_the_platform_of_the_example_refuses_calls(example):
    platform = example["PoxProgram"](example["Learning"])
    assert capability(platform, contract.SpeaksOpenFlow) is platform
    with pytest.raises(ValueError, match="takes no calls"):
        capability(platform, contract.ChecksInputs).check_input(Call("x"))


def test_an_exception_in_a_callback_is_an_event(example):
    class Broken:
        def _handle_PacketIn(self, event):
            raise RuntimeError("broken")

    platform = example["PoxProgram"](Broken)
    packet = example["openflow"].PacketIn(example["openflow"].Match.of(in_port=1), b"", 0)
    (reaction,) = platform.handle(platform.initial(), MessageIn("s1", packet))
    assert reaction.events[0].text == "RuntimeError('broken')"


def test_the_table_has_every_protocol_with_its_attributes():
    listed = re.findall(r"^\| `([A-Z]\w+)` \| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    protocols = {
        name: each
        for module in (contract, explorable)
        for name, each in vars(module).items()
        if getattr(each, "_is_runtime_protocol", False) and name not in ("Program", "RewrittenProgram")
    }
    assert dict(listed).keys() == protocols.keys()
    for name, attribute in listed:
        assert vars(protocols[name])[attribute].__doc__ or getattr(protocols[name], attribute).__doc__
