"""Concolic execution of Python code: terms, path search, solvers, and values that carry terms. Knows no networks."""
