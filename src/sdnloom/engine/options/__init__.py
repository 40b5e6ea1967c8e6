"""Options of a search, beyond their types in `engine/result.py`."""
