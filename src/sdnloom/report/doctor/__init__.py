"""What `sdnloom doctor` says about a machine, as text and JSON."""
