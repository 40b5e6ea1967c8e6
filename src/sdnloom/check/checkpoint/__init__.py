"""Checkpoints of a check: which scenario they are of, and whether it is the same when the check goes on."""
