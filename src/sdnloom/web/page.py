"""The explorer's page: the parts of the page of results, and what takes steps."""

from html import escape
from importlib.resources import files

from sdnloom.report.page.page import SCRIPTS, in_one_scope, page_resource, page_style

_OWN = ("main.js", "keyboard.js")  # parts of the page of results that the explorer has in a form of its own
_EXPLORER = ("commands.js", "next_steps.js", "explorer.js")


def explorer_page(name: str, token: str) -> str:
    """The page. Everything else comes as files and answers of this server."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="token" content="{escape(token)}">\n'
        f"<title>{escape(name.encode('utf-8', 'replace').decode())} - sdnloom explore</title>\n"
        '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="/explorer.css">\n</head>\n<body>\n'
        "<noscript><p>The explorer needs JavaScript; <code>sdnloom step</code> does not.</p></noscript>\n"
        '<script src="/explorer.js"></script>\n</body>\n</html>\n'
    )


def explorer_script() -> str:
    """All scripts as one."""
    shared = [page_resource(name) for name in SCRIPTS if name not in _OWN]
    return in_one_scope([*shared, *map(_resource, _EXPLORER)])


def explorer_style() -> str:
    """Both style sheets."""
    return page_style() + _resource("explorer.css")


def _resource(name: str) -> str:
    return files("sdnloom.web").joinpath(name).read_text(encoding="utf-8")
