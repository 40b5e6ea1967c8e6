"""Agents to compare: the switch model, agents with the behaviour that SOFT documents, real switches, a user's class."""
