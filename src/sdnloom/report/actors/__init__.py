"""Reports of programs of actors."""
