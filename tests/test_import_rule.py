"""ARCHITECTURE.md's import rule, enforced on every file of the package."""

import ast
from pathlib import Path

import pytest

import sdnloom

ROOT = Path(sdnloom.__file__).parent

# Layer -> layers it may import besides itself. `errors` is a leaf that all may use.
ALLOWED = {
    "errors": set(),
    "engine": {"errors"},
    "symbolic": {"errors"},
    "network": {"engine", "symbolic", "errors"},
    "netkat": {"network", "engine", "symbolic", "errors"},
    "platforms": {"network", "engine", "symbolic", "errors"},
    "check": {"platforms", "netkat", "network", "engine", "symbolic", "errors"},
    "crosscheck": {"platforms", "netkat", "network", "engine", "symbolic", "errors"},
    "races": {"platforms", "netkat", "network", "engine", "symbolic", "errors"},
    "actors": {"platforms", "netkat", "network", "engine", "symbolic", "errors"},
    "report": {
        "check",
        "crosscheck",
        "races",
        "actors",
        "platforms",
        "netkat",
        "network",
        "engine",
        "symbolic",
        "errors",
    },
}
ANYTHING = {"cli", "web", "__init__", "__main__", "pytest_plugin"}
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


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_file_imports_only_what_its_layer_may(path: Path) -> None:
    where = path.relative_to(ROOT)
    layer = where.parts[0].removesuffix(".py")
    assert layer in ALLOWED or layer in ANYTHING, f"{layer} has no place in the import rule"
    for module in imported_modules(path):
        top, _, rest = module.partition(".")
        if top == "sdnloom" and rest and layer not in ANYTHING and rest != "__version__":
            target = rest.split(".")[0]
            assert target == layer or target in ALLOWED[layer], f"{where} imports {module}"
        for package, places in EDGE.items():
            if top == package:
                assert str(where).startswith(places), f"{where} imports {package}"
