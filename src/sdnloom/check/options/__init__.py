"""Options of a check, as the tables that a scenario file would hold."""
