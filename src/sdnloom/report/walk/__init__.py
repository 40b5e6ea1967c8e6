"""Reports of `sdnloom walk`."""
