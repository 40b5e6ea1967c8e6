"""Reports of `sdnloom inputs`."""
