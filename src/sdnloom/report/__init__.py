"""Results as text and JSON: pure functions from results to strings."""
