"""Reports of `sdnloom replay`."""
