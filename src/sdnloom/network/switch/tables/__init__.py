"""Flow tables and the group table: lookup, FlowMod and GroupMod."""
