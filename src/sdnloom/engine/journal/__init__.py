"""The journal: what user code was asked, in numbers that are the same in every process."""
