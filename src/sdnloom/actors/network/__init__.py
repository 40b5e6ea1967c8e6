"""Switches, hosts and controllers as actors, on the one switch model of sdnloom."""
