"""Results as one self-contained HTML page.

The page loads nothing and sends nothing: its policy allows no address at all, and only the one style sheet and the one
script that are in it, by their hashes. Data is one block of JSON in which no character can end the block or begin
markup; the script writes it as text only.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from sdnloom.report.page.page_data import page_data
from sdnloom.report.view.result_view import ResultView

# In the order in which they are put together: a file uses only what is above it, other than inside of functions.
SCRIPTS: Final = (
    "dom.js",
    "data.js",
    "state.js",
    "layout.js",
    "layers.js",
    "topology.js",
    "labels.js",
    "diagram.js",
    "answers.js",
    "code.js",
    "details.js",
    "findings.js",
    "legend.js",
    "keyboard.js",
    "main.js",
)
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def results_html(views: Sequence[ResultView]) -> str:
    """The whole page, of one result or of several."""
    style, script = page_style(), page_script()
    title = views[0].name if len(views) == 1 else f"{len(views)} results"
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    heading = "".join(f"<p>{escape(_printable(view.headline))}</p>" for view in views)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(_printable(title))} - sdnloom</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<noscript>{heading}<p>This page needs JavaScript to show the steps; "
        "<code>sdnloom replay</code> prints them.</p></noscript>\n"
        f'<script type="application/json" id="data">{data_block(page_data(views))}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def page_script() -> str:
    """All scripts as one, in a scope of their own."""
    return in_one_scope([page_resource(name) for name in SCRIPTS])


def in_one_scope(scripts: Iterable[str]) -> str:
    """Scripts as one, which adds no name to those of the page."""
    return '(() => {\n"use strict";\n' + "\n".join(scripts) + "})();\n"


def palette() -> str:
    """The colours that all HTML of sdnloom shares."""
    return page_resource("palette.css")


def page_style() -> str:
    """The style sheet of the page, colours included."""
    return palette() + page_resource("page.css")


def data_block(value: object) -> str:
    """JSON that can stand inside of a script element: without a character that HTML or old parsers could act upon."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).translate(_ESCAPED)


def page_resource(name: str) -> str:
    """A script or a style sheet of the page."""
    return files("sdnloom.report.page").joinpath(name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _printable(text: str) -> str:
    """Without lone surrogates, which no file in UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode()
