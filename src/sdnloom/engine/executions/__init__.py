"""Stateless search that counts one execution per Mazurkiewicz trace, for comparison with published counts.

`actors` will use it to count the executions of actor systems.
"""
