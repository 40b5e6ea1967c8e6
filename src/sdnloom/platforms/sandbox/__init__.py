"""The sandbox of a program: deterministic threads, clock, random numbers and modules."""
