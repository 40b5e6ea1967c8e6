"""Reports of `sdnloom minimise`."""
