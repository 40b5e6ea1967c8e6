"""Reports of `sdnloom crosscheck`: root causes, inconsistencies, what an agent did, and files to go on with."""
