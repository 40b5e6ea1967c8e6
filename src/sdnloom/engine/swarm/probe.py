"""How deep a space is, about: the longest of a few random paths that visit no state twice."""

import random

from sdnloom.engine.graph import Graph

PROBES = 4


def probed_depth(graph: Graph[int], seed: int, most: int, probes: int = PROBES) -> int:
    """The steps of the longest probe, at most `most`; the same graph and seed give the same number."""
    return max(_path_length(graph, random.Random(f"{seed}/probe/{number}"), most) for number in range(probes))


def _path_length(graph: Graph[int], chooser: random.Random, most: int) -> int:
    (state,) = graph.initial()
    path = {state}
    while len(path) <= most:
        fresh = [each for each in graph.successors(state) if each not in path]
        if not fresh:
            break
        state = chooser.choice(fresh)
        path.add(state)
    return len(path) - 1
