"""Symbolic int, str, bytes and bytearray: concrete values that carry a term."""
