"""Reading scenario files: strict tables, topologies, packets and programs, with errors that name the place."""
