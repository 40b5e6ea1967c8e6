"""Reports of `sdnloom confirm`: the outcome, what was observed, and captures of it."""
