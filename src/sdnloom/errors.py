"""The one base class of errors that a user can cause; the CLI prints them without a traceback and exits 2."""


class SdnloomError(Exception):
    """Bad input. The message names the place, the value and what was expected."""
