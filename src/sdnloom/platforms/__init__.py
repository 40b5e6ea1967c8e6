"""Platforms: how a controller program runs inside the controller component."""
