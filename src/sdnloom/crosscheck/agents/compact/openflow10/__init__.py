"""OpenFlow 1.0 of the compact switch: its match, actions, messages and statistics on the wire."""
