"""`sdnloom walk`: random walks and swarms."""
