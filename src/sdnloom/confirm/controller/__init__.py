"""A real controller in a process of its own, as a part of a confirmation."""
