"""A compact OpenFlow switch in plain Python, whose behaviour is a value: reference-like, ovs-like and modified agents.

It is written for concolic execution: every module of this package is rewritten when an agent is explored, and where a
decision needs no branch it is arithmetic. It shares no code with the network model, which is the oracle of its tests.
"""
