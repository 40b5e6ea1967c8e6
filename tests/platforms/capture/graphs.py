"""Random object graphs, random changes to them, and a slow, obvious description of their structure."""

import collections
import itertools
import random


class Node:
    """An object that hashes by identity."""


class Slot:
    __slots__ = ("a", "b")


KINDS = (
    dict,
    list,
    set,
    Node,
    Slot,
    collections.deque,
    collections.OrderedDict,
    lambda: collections.defaultdict(list),
    collections.Counter,
    bytearray,
)
HASHABLE = (Node, Slot, tuple)
ATOMS = (0, 1, True, 1.0, "a", "b", b"a", None, (1, "x"), frozenset({1, "a"}))


def build(seed, size=8, shuffle=0):
    """Return the root of a graph; `shuffle` permutes the order in which dicts and sets are filled, nothing else."""
    draw, order = random.Random(seed), random.Random(shuffle)
    nodes = [draw.choice(KINDS)() for _ in range(size)]
    work = [(draw.randrange(size), pick_child(draw, nodes), draw.choice(ATOMS)) for _ in range(3 * size)]
    ordered = [each for each in work if not has_no_order(nodes[each[0]])]
    # The last entry for a key wins, so only entries with different keys may be exchanged.
    unordered = list({(each[0], text(each[2])): each for each in work if has_no_order(nodes[each[0]])}.values())
    if shuffle:
        order.shuffle(unordered)
    for holder, child, key in ordered + unordered:
        put(nodes[holder], child, key)
    return Root(nodes[: 1 + size // 2])


def has_no_order(node):
    return isinstance(node, dict | set) and not is_ordered(node)


def text(key):
    return "frozen" if isinstance(key, frozenset) else f"{type(key).__name__} {key!r}"


def is_ordered(node):
    return isinstance(node, collections.OrderedDict)


class Root:
    def __init__(self, nodes):
        self.nodes = nodes


def pick_child(draw, nodes):
    if draw.random() < 0.3:
        return draw.choice(ATOMS)
    child = draw.choice(nodes)
    return (1, child) if draw.random() < 0.2 else child


def put(holder, child, key):
    """Add a child, in the way of the holder's type."""
    if isinstance(holder, dict):
        holder[text(key)] = child  # not the key itself: 1, True and 1.0 are one key, of which the first stays
        if type(child) in (Node, Slot):
            holder[child] = "an object is the key"
    elif isinstance(holder, set):
        if type(child) in (Node, Slot) or (type(child) is tuple and type(child[1]) in (Node, Slot)):
            holder.add(child)
    elif isinstance(holder, list | collections.deque):
        holder.append(child)
    elif isinstance(holder, bytearray):
        holder.append(len(repr(key)))
    else:
        setattr(holder, "ab"[len(repr(key)) % 2], child)


def change(root, seed, times=10):
    """Do random harm to everything that can be reached."""
    draw = random.Random(seed)
    for _ in range(times):
        nodes = [each for each in reach(root) if not isinstance(each, tuple | Root)]
        holder = draw.choice(nodes)
        if draw.random() < 0.5:
            put(holder, draw.choice([*nodes, *ATOMS, Node()]), draw.choice(ATOMS))
        elif isinstance(holder, dict | set | list | collections.deque | bytearray):
            holder.clear()
        else:
            for name in ("a", "b"):
                if hasattr(holder, name):
                    delattr(holder, name)


def children(node):
    """Return (role, child) of an object; roles of a set's elements are all the same."""
    if isinstance(node, collections.OrderedDict):
        return [
            ((place, role), each)
            for place, pair in enumerate(node.items())
            for role, each in zip("kv", pair, strict=True)
        ]
    if isinstance(node, dict):
        keys = [("k", key) for key in node if not is_atom(key)]
        return keys + [(("v", type(key), key) if is_atom(key) else "of a key", each) for key, each in node.items()]
    if isinstance(node, set):
        return [("e", each) for each in node]
    if isinstance(node, list | collections.deque | tuple | bytearray):
        return list(enumerate(node))
    if isinstance(node, Root):
        return list(enumerate(node.nodes))
    return [(name, getattr(node, name)) for name in ("a", "b") if hasattr(node, name)]


def is_atom(value):
    return isinstance(value, int | float | str | bytes | frozenset | type(None)) or value == (1, "x")


def reach(root):
    found, todo = {}, [root]
    while todo:
        node = todo.pop()
        if not is_atom(node) and id(node) not in found:
            found[id(node)] = node
            todo += [child for _, child in children(node)]
    return list(found.values())


def structure(root):
    """Return who holds whom, by identity and in order: equal before and after only if nothing was exchanged."""
    return {
        id(node): [
            (repr(role), (type(child), child) if is_atom(child) else id(child)) for role, child in sorted_roles(node)
        ]
        for node in reach(root)
    }


def sorted_roles(node):
    rows = children(node)
    return sorted(rows, key=lambda row: id(row[1])) if isinstance(node, set) else rows


def same(one, other):
    """Whether two graphs are the same but for identity: tries every way to match elements that have no order."""
    return _match([(one, other)], {}, {})


def _match(todo, forth, back):
    todo = list(todo)
    while todo:
        a, b = todo.pop()
        if is_atom(a) or is_atom(b):
            if type(a) is not type(b) or a != b:
                return False
            continue
        if type(a) is not type(b):
            return False
        if not isinstance(a, tuple):
            if id(a) in forth or id(b) in back:
                if forth.get(id(a)) != id(b) or back.get(id(b)) != id(a):
                    return False
                continue
            forth[id(a)], back[id(b)] = id(b), id(a)
        if isinstance(a, set):
            return _match_any(list(a), list(b), todo, forth, back)
        if isinstance(a, dict) and not is_ordered(a):
            plain = [{(type(k), k): v for k, v in each.items() if is_atom(k)} for each in (a, b)]
            keyed = [[(k, v) for k, v in each.items() if not is_atom(k)] for each in (a, b)]
            if plain[0].keys() != plain[1].keys():
                return False
            todo += [(plain[0][key], plain[1][key]) for key in plain[0]]
            return _match_any(*keyed, todo, forth, back)
        rows = children(a), children(b)
        if [role for role, _ in rows[0]] != [role for role, _ in rows[1]]:
            return False
        todo += [(x, y) for (_, x), (_, y) in zip(*rows, strict=True)]
    return True


def _match_any(ones, others, todo, forth, back):
    return len(ones) == len(others) and any(
        _match([*todo, *zip(ones, other, strict=True)], dict(forth), dict(back))
        for other in itertools.permutations(others)
    )
