"""Where two switch implementations disagree: SOFT's two phases, for agents in Python and for real switches.

Phase 1 explores one agent with a test and gives a partition of the inputs by what the agent does. Phase 2 compares two
partitions and needs neither agent.
"""
