"""Commands that open a page in a browser."""
