"""A search of the kernel whose visited states are on disk."""
