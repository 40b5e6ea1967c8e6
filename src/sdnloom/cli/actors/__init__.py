"""What the commands `check`, `replay`, `step` and `walk` do with a program of actors instead of a scenario."""
