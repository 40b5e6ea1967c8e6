"""Reports of `sdnloom explain`."""
