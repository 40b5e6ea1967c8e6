"""The option `--no-open`, and opening an address in the user's browser, where there is one."""

import os
import sys
import webbrowser

import click

no_open_option = click.option("--no-open", is_flag=True, help="Do not open the page in a browser.")


def has_display() -> bool:
    """Whether a window can be opened; otherwise a browser could only take over the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(address: str) -> bool:
    """Open an address, and say whether a browser was found for it."""
    if not has_display():
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
