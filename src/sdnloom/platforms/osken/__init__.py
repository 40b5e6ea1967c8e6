"""Unmodified os-ken and Ryu apps."""
