"""The calls that scripts and tests make: check something, and assert that it holds."""
