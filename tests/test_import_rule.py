"""ARCHITECTURE.md's import rule, enforced on every file of the package."""

import ast
import re
from pathlib import Path

import pytest

import sdnloom

ROOT = Path(sdnloom.__file__).parent

# Layers from the bottom up: a layer may import those of the rows below its own, and itself; never its neighbours.
# `errors` is a leaf that all may use.
ROWS = (
    ("engine", "symbolic"),
    ("network",),
    ("platforms", "netkat", "switches"),
    ("inputs", "properties", "strategies"),
    ("scenario_file",),
    ("check", "crosscheck", "races", "actors"),
    ("confirm",),
    ("report",),
    ("web",),
)
ALLOWED: dict[str, set[str]] = {"errors": set()}
for _number, _row in enumerate(ROWS):
    for _layer in _row:
        ALLOWED[_layer] = {"errors"}.union(*ROWS[:_number])
ANYTHING = {"cli", "api", "__init__", "__main__", "pytest_plugin"}
# External packages kept at the edge -> files or folders that may import them.
EDGE = {"os_ken": ("platforms/", "network/openflow"), "bitwuzla": ("symbolic/solver",), "z3": ("symbolic/solver",)}


def imported_modules(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the absolute one"
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


FILES: dict[str, list[Path]] = {}
for _file in sorted(ROOT.rglob("*.py")):
    FILES.setdefault(_file.relative_to(ROOT).parts[0].removesuffix(".py"), []).append(_file)


@pytest.mark.parametrize("layer", FILES)
def test_files_import_only_what_their_layer_may(layer: str) -> None:
    assert layer in ALLOWED or layer in ANYTHING, f"{layer} has no place in the import rule"
    refused = []
    for path in FILES[layer]:
        where = path.relative_to(ROOT)
        for module in sorted(imported_modules(path)):
            top, _, rest = module.partition(".")
            if top == "sdnloom" and rest and layer not in ANYTHING and rest != "__version__":
                target = rest.split(".")[0]
                if target != layer and target not in ALLOWED[layer]:
                    refused.append(f"{where} imports {module}")
            if top in EDGE and not str(where).startswith(EDGE[top]):
                refused.append(f"{where} imports {top}")
    assert refused == []


def test_the_architecture_page_states_the_layers() -> None:
    """The table of ARCHITECTURE.md has the rows of the rule, in the same order."""
    page = (ROOT.parents[1] / "ARCHITECTURE.md").read_text()
    table = page.split("| layers | hold |\n|---|---|\n")[1].split("\n\n")[0]
    stated = [set(re.findall(r"`(\w+)`", row.split(" | ")[0])) for row in table.splitlines()]
    exists = {path.name.removesuffix(".py") for path in ROOT.iterdir()}
    assert stated == [{"errors"}, *({*row} & exists for row in ROWS), {"cli", "api", "pytest_plugin"}]


# Calls that change the state of the process.
PROCESS_WIDE = re.compile(
    r"signal\.(signal|setitimer)\(|gc\.(disable|freeze|set_threshold)\(|setrecursionlimit\(|addaudithook\(|settrace\("
    r"|sys\.meta_path(\[.*\] =|\.(append|insert))|sys\.path\.(append|insert)|sys\.modules\[.*\] =|logging\.disable\("
)


def test_the_architecture_page_lists_who_changes_the_state_of_the_process() -> None:
    page = (ROOT.parents[1] / "ARCHITECTURE.md").read_text()
    table = page.split("## Process-wide state\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"`([\w/]+\.py)`", table))
    assert all((ROOT / path).exists() for path in listed)
    changing = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if PROCESS_WIDE.search(path.read_text())}
    assert changing <= listed
