"""The kernel engine: breadth-first search in compiled code (numba), with the answers of the loop engine."""
