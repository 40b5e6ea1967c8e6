"""The error for apps that cannot be loaded or run."""

from sdnloom.errors import SdnloomError


class AppError(SdnloomError):
    """An app that cannot be loaded or run. The message names it and the reason."""
