"""What `sdnloom check` checks: one scenario or program of actors, or several of them as a suite."""
