"""Commands that take the trace of a violation: `minimise` and `explain`."""
