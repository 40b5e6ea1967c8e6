"""What is done with paths that a search has found."""
