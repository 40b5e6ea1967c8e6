"""Published tables regenerated beside ours: `python -m benchmarks NAME [--quick] [--json FILE]`."""
