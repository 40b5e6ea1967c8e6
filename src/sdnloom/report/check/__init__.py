"""Reports of `sdnloom check`."""
