"""The results of a suite: several checks, one row each."""
