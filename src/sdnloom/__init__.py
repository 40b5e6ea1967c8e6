"""sdnloom finds the inputs and event orderings that break a software-defined network before the network does."""

__version__ = "0.1.0"
