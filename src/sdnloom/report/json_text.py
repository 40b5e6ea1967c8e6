"""JSON as all reports write it."""

import json
from typing import Any


def json_text(value: Any) -> str:
    """The value as JSON with an indentation of two, ending with a newline."""
    return json.dumps(value, indent=2) + "\n"
