"""Every block of code in README and docs is run, parsed, or says why it is not. Nothing is left out silently."""

import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator

from sdnloom.check.scenario_schema import fragment_schema
from sdnloom.netkat.policy_file import parse_policy_file
from sdnloom.races.language.load import parse_model
from sdnloom.report.schemas import json_schema
from tests.docs.page_blocks import ALL_BLOCKS, PAGES, ROOT, Block, blocks_of

# Language -> how its blocks are tested. Blocks without a language are output, text is for reading only.
RUN = {"console", "python"}
READ = {"", "text"}
CHANGES = {"diff"}  # of a file, which the commands after it use
# Page -> how many of its blocks are not run. The reason is in the page, in a comment before the block.
NOT_RUN = {
    "README.md": 1,
    "actors-benchmarks.md": 1,
    "apps.md": 2,
    "crosscheck-openvswitch.md": 1,
    "crosscheck-soft.md": 1,
    "crosscheck-switches.md": 1,
    "crosscheck.md": 1,
    "explore.md": 1,
    "faucet.md": 1,
    "pytest.md": 2,
    "python2.md": 3,
    "tutorial.md": 1,
}
CODE = [block for block in ALL_BLOCKS if block.language == "python" and block.not_run is None]
TEST_FILES = [block for block in CODE if re.search(r"^ *def test_", block.text, re.MULTILINE) and not block.file]
PYTHON = [block for block in CODE if block not in TEST_FILES]
BASELINE_SCHEMA = Draft202012Validator(json_schema("baseline"))
SCENARIO_SCHEMA = Draft7Validator(fragment_schema())


def of(block: Block) -> str:
    return block.place


def test_every_block_is_run_or_parsed_or_says_why_not() -> None:
    known = RUN | READ | CHANGES | {*PARSERS}
    for block in ALL_BLOCKS:
        assert (block.language == "diff") == (block.change is not None), f"{block.place}: which file does it change?"
        assert block.not_run is not None or block.language in known, f"{block.place}: {block.language} is never run"
        understood = block.note == "" or block.not_run or block.file or block.change
        assert understood, f"{block.place}: what does {block.note!r} mean?"


def test_the_blocks_that_are_not_run_are_these() -> None:
    found: dict[str, int] = {}
    for block in ALL_BLOCKS:
        if block.not_run is not None:
            assert len(block.not_run) > 10, block.place
            found[block.page.name] = found.get(block.page.name, 0) + 1
    assert found == NOT_RUN


def test_a_block_without_a_language_is_the_output_of_the_commands_before_it() -> None:
    for before, block in itertools.pairwise(ALL_BLOCKS):
        if block.language == "" and not block.text.startswith("$ "):
            assert before.page == block.page, f"{block.place}: use ```text"
            assert before.language in ("console", ""), f"{block.place}: use ```text"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_is_fenced(page: Path) -> None:
    """Indented code has no language; only examples for doctest are written so, and their pages have a test."""
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for part in re.findall(r"\n\n((?:    .*\n)+)", text):
        assert part.lstrip().startswith((">>>", "- ", "* ")), f"{page.name}: {part}"
    assert ">>>" not in text or page.name in ("openflow.md", "netkat.md")


# -- Python ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("block", PYTHON, ids=of)
def test_python_runs_as_written(block: Block, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a folder with the examples: a block may write files."""
    for name in ("examples", ".cache"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    code = compile(block.text, block.place, "exec")
    if block.file is None:  # the commands after it run a file
        exec(code, {"__name__": "page"})


PLUGIN = ("-p", "sdnloom.pytest_plugin", "--import-mode=importlib")  # which an installed package brings by itself


@pytest.mark.slow
def test_the_tests_on_the_pages_pass(tmp_path: Path) -> None:
    """All at once, each at the place that it is shown to have: that of an example, or a folder beside the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    files = []
    shipped = {file.read_text(): file for file in (ROOT / "examples").rglob("test_*.py")}
    for number, block in enumerate(TEST_FILES):
        if block.text not in shipped:
            file = tmp_path / f"test_{block.page.stem.replace('-', '_')}_{number}.py"
            file.write_text(block.text)
            files.append(file)
    files += [file for text, file in shipped.items() if text in {block.text for block in TEST_FILES}]
    assert len(files) == len(TEST_FILES)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN, *files],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        timeout=120,
    )
    assert run.returncode == 0, run.stdout


# -- Other formats -----------------------------------------------------------------------------------------------


def check_toml(block: Block) -> None:
    """A part of a scenario, a baseline, or a test for switches, which tests/crosscheck reads."""
    document = tomllib.loads(block.text)
    if "schema" in document:
        BASELINE_SCHEMA.validate(document)
    elif "step" not in document:
        SCENARIO_SCHEMA.validate(document)


def check_mermaid(block: Block) -> None:
    """A diagram by its first word, and by its blocks, brackets and quotes, which are closed."""
    lines = [line.strip() for line in block.text.splitlines() if line.strip() and not line.strip().startswith("%%")]
    assert lines[0].split()[0] in {"flowchart", "graph", "sequenceDiagram", "stateDiagram-v2"}, lines[0]
    opened = [line for line in lines if line.split()[0] in {"subgraph", "alt", "opt", "loop", "par", "rect", "box"}]
    assert len(opened) == lines.count("end")
    for line in lines[1:]:
        bare = re.sub(r'"[^"]*"', "", line)
        assert '"' not in bare, line
        assert all(bare.count(one) == bare.count(other) for one, other in ("[]", "()", "{}")), line


PARSERS: dict[str, Callable[[Block], object]] = {
    "toml": check_toml,
    "json": lambda block: json.loads(block.text),
    "yaml": lambda block: yaml.safe_load(block.text),
    "mermaid": check_mermaid,
    "netkat": lambda block: parse_policy_file(block.text, source=block.place),
    "races": lambda block: parse_model(block.text, block.place),
}
DIAGRAMS = [block for block in blocks_of(ROOT / "ARCHITECTURE.md") if block.language]


@pytest.mark.parametrize(
    "block", [each for each in [*ALL_BLOCKS, *DIAGRAMS] if each.language in PARSERS and each.not_run is None], ids=of
)
def test_other_formats_are_parsed(block: Block) -> None:
    PARSERS[block.language](block)


@pytest.mark.parametrize(
    "text", ["graph LR\n a[x --> b", 'flowchart LR\n a["x] --> b', "pie\n x", "graph TB\n subgraph x"]
)
def test_a_broken_diagram_is_noticed(text: str) -> None:
    with pytest.raises(AssertionError):
        check_mermaid(Block(ROOT / "README.md", 1, "mermaid", text, ""))
