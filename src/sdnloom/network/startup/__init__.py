"""Start-up: the one course of events before a search, what an operator configures in it, and what goes wrong in it."""
