"""Symbolic packets and messages as inputs of handlers, their input classes, and representatives of these.

Shared by `check`, `crosscheck` and `actors`, so it imports none of them. `stacks`, `domains` and `skeletons` define
symbolic packets, `statistics` symbolic replies; `explorer` is the interface that answers questions about a handler and
`concolic` its implementation; `branch_sides` finds what no input reaches. `switch_paths` and `journeys` follow packets
through the network, `packet_pools` and `representatives` choose those that hosts send, and `clients` gives them to the
hosts. `any_state` asks about handlers in states that no run has shown.
"""
