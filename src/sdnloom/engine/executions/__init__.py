"""Executions counted, one per Mazurkiewicz trace, for comparison with published counts.

`search` runs one of each without storing states; `count` stores states and runs none to its end twice; `contexts`
counts up to swaps that lead to the same state. `actors/executions` counts the executions of programs of actors with
them.
"""
