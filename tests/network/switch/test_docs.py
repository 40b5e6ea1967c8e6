"""The example in the documentation runs as written."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs" / "switch.md"


def test_documented_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    exec(compile(example, str(DOCS), "exec"), {})
