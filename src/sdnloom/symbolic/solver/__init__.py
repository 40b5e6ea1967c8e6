"""Models of path conditions: guesses first, then a bit-vector solver."""
