"""Names are rebound while a program runs, and are afterwards what they were."""

import contextlib
import types
from random import Random

import pytest

from sdnloom.platforms.sandbox.patches import Patches


class Owner:
    kept = 1


def test_names_have_the_program_s_values_only_while_installed():
    space, patches = {"a": 1, "b": 2, "c": 3}, Patches()
    patches.name(space, "a", 10)
    patches.name(space, "new", 40)
    patches.absent(space, "c")
    patches.attribute(Owner, "kept", 5)
    for _ in range(3):
        with patches.installed():
            assert (space, Owner.kept) == ({"a": 10, "b": 2, "new": 40}, 5)
        assert (space, Owner.kept) == ({"a": 1, "b": 2, "c": 3}, 1)


def test_what_the_program_binds_is_there_when_it_runs_again():
    space, patches = {"a": 1, "b": 2}, Patches()
    patches.name(space, "a", 10)
    patches.name(space, "b", 20)
    with patches.installed():
        space["a"] = 11
        del space["b"]
        space["own"] = 7
        patches.adopt(space, "own")
    assert space == {"a": 1, "b": 2}
    with patches.installed():
        assert space == {"a": 11, "own": 7}


def test_real_values_are_back_while_patches_are_suspended():
    space, patches = {"a": 1, "b": 2}, Patches()
    patches.name(space, "a", 10)
    with patches.suspended():
        assert space["a"] == 1
    with patches.installed():
        with patches.suspended():
            assert space["a"] == 1
            space["b"] = 3  # nobody's: stays
        assert space == {"a": 10, "b": 3}
        patches.name(space, "b", 30)
    assert space == {"a": 1, "b": 3}


@pytest.mark.parametrize("seed", range(20))
def test_two_worlds_never_mix(seed):
    """Against plain copies of the namespace, one for each side."""
    chance, names = Random(seed), "abcde"
    module, patches = types.ModuleType("m"), Patches()
    space = vars(module)
    base = set(space)
    inside, outside, rebound = {}, {}, set()
    for name in names[:3]:
        space[name] = outside[name] = chance.random()
    for _ in range(200):
        running = chance.random() < 0.5
        with patches.installed() if running else contextlib.nullcontext():
            for _ in range(chance.randrange(3)):
                name, value = chance.choice(names), chance.random()
                act = chance.choice(("bind", "hide", "set", "delete"))
                if act in ("bind", "hide"):
                    patches.name(space, name, value) if act == "bind" else patches.absent(space, name)
                    rebound.add(name)
                    inside.pop(name, None)
                    if act == "bind":
                        inside[name] = value
                elif name in rebound or not running:
                    here = inside if running else outside
                    if act == "set":
                        space[name] = here[name] = value
                    else:
                        space.pop(name, None)
                        here.pop(name, None)
            mine = {name: space[name] for name in space if name not in base}
            assert mine == (
                {**{n: v for n, v in outside.items() if n not in rebound}, **inside} if running else outside
            )
