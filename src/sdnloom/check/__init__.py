"""Checking a controller program: discovery, search and report of a scenario."""
