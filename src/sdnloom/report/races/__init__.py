"""Reports of `sdnloom races`."""
