"""Controller programs in plain Python."""
