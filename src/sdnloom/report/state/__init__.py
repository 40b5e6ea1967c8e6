"""One state of a network, for `sdnloom step`."""
