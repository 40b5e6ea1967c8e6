"""Reports of `sdnloom netkat`."""
