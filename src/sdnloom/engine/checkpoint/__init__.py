"""Checkpoints: files from which a search that was ended goes on."""
