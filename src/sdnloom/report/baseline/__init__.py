"""Baselines: violations that are known and accepted, so that only new ones fail."""
