"""OpenFlow 1.3 of the compact switch: Packet Out and FlowMod with one table, and what a connection needs."""
