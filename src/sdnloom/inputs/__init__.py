"""Symbolic packets and messages as inputs of handlers, their input classes, and representatives of these.

Shared by `check`, `crosscheck` and `actors`, so it imports none of them. `stacks`, `domains` and `skeletons` define
symbolic packets, `statistics` symbolic replies; `explorer` is the interface that answers questions about a handler and
`concolic` its implementation; `flow_tables` and `representatives` choose members of the classes; `clients` fills the
pools of hosts.
"""
