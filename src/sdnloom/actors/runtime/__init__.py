"""How a step of a task runs: its accesses are recorded, and a suspended task has an identity."""
