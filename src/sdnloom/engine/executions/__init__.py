"""Stateless search that counts one execution per Mazurkiewicz trace, for comparison with published counts.

`actors/executions` counts the executions of programs of actors with it.
"""
