"""Compiled levels of the kernel: expand states and enter new ones in the visited table, in breadth-first order."""

import numpy as np

from sdnloom.engine.kernel.jit_memo import (
    ACTION,
    ACTIVE,
    AFTER,
    BATCH,
    BATCH_COUNT,
    CLASS,
    COUNT,
    EVENT,
    FAULT_AT,
    FAULT_COUNT,
    FLAG_MUST,
    FLAGS,
    FORKED,
    FULL,
    IDLE,
    LOCAL,
    MASKS,
    MISS_MASK,
    MOVE,
    NUMBER,
    PLACE,
    PLACE_FAULT,
    PLACE_FAULT_COUNT,
    PLAN,
    RANK,
    RANKED_ACTION,
    START,
    TO,
    entry,
    expand,
    find,
    find_row,
    fold,
    inlined,
    inner,
    mix,
    note_miss,
    ranked,
    receive,
    worse,
)

LOOKUP = 256  # successors that are looked up together
LOOKAHEAD = 1 << 14  # how far beyond the first miss a level is probed for more of them
DONE, NEED_FILL, NEED_ROOM, LIMIT = 0, 1, 2, 3
# Positions in the array of a search's counters.
ROWS, TRANSITIONS, ENDS, MOST_ROWS, TOUCHED = range(5)
PROGRESS = 5


@entry
def collect_places(t, rows, first, last, components, queue):
    """Queue the places of these rows that were never expanded; how many, or FULL."""
    count = 0
    for r in range(first, last):
        for c in range(components):
            place = rows[r, c]
            if t.place_info[place, MOVE] == -1:
                if count >= len(queue):
                    return FULL
                t.place_info[place, MOVE] = -2
                queue[count] = place
                count += 1
    return count


@entry
def expand_places(t, queue, count):
    """Expand queued places; (how many are left at the front of the queue, whether room ran out)."""
    left = 0
    full = False
    for i in range(count):
        status = -1
        if not full:
            status = expand(t, queue[i])
            full = status == FULL
        if status < 0:
            queue[left] = queue[i]
            left += 1
    return left, full


@entry
def flag_rows(t, rows, first, start, last, components, reducing, flags, masks):
    """Flags and, under a reduction, mask numbers of the rows from `start`; where room ran out, or `last`.

    A new mask gets its number at once; what it keeps is noted as missing.
    """
    for r in range(start, last):
        bits = 0
        for c in range(components):
            bits |= t.place_info[rows[r, c], FLAGS]
        flags[r - first] = bits
        masks[r - first] = -1
        if reducing:
            number = t.n[MASKS]
            if number + 1 >= len(t.mask_vectors) or 2 * number >= len(t.mask_index):
                return r
            for c in range(components):
                t.mask_vectors[number, c] = t.place_info[rows[r, c], CLASS]
            p = find_row(t.mask_index, t.mask_vectors, t.mask_vectors, number, components)
            if t.mask_index[p] == 0:
                if note_miss(t, np.int64(MISS_MASK), number) == FULL:
                    return r
                t.n[MASKS] += 1
                t.mask_index[p] = t.n[MASKS]
            masks[r - first] = t.mask_index[p] - 1
    return last


@inner
def visit(
    rows, table, parents, born, buffer, hashes, sources, slots, count, columns, at, ends, with_proviso, base,
    asleep, sleepers, with_sleep,
):  # fmt: skip
    """Enter a batch of successors in the visited table. Sleep sets: see `reduction/sleep_sets.py`.

    True when the limit on rows was reached, with the counters of that moment.
    """
    mask = np.uint64(len(table) - 1)
    touched = np.int64(0)
    for x in range(count):
        slots[x] = table[hashes[x] & mask]
    for x in range(count):  # read the rows now, so that they are in the cache when they are compared
        if slots[x] != 0:
            touched += rows[slots[x] - 1, 0]
    at[TOUCHED] += touched
    forward = False
    for x in range(count):
        p = hashes[x] & mask
        number = np.int64(-1)
        at[TRANSITIONS] += 1
        while True:
            q = np.int64(table[p])
            if q == 0:
                number = at[ROWS]
                for k in range(columns):
                    rows[number, k] = buffer[x, k]
                table[p] = number + 1
                parents[number] = sources[x]
                born[number - base] = at[TRANSITIONS]
                at[ROWS] += 1
                if with_sleep:
                    asleep[number] = sleepers[x]
                break
            same = True
            for k in range(columns):
                if rows[q - 1, k] != buffer[x, k]:
                    same = False
                    break
            if same:
                number = q - 1
                break
            p = (p + np.uint64(1)) & mask
        if at[ROWS] == at[MOST_ROWS]:
            return True
        if with_proviso:
            forward = forward or number > sources[x]
            if x + 1 == count or sources[x + 1] != sources[x]:
                if not forward:
                    ends[at[ENDS]] = sources[x]
                    at[ENDS] += 1
                forward = False
    return False


@inner
def hash_state(rows, r, columns):
    h = np.uint64(0)
    for k in range(columns):
        h ^= mix(np.uint64(rows[r, k]) * np.uint64(64) + np.uint64(k & 63))
    return h


@entry
def reindex_states(rows, count, columns, table):
    """Enter all states in a new visited table, a batch at a time so that memory can be fetched ahead."""
    mask = np.uint64(len(table) - 1)
    slots = np.empty(LOOKUP, np.uint64)
    touched = np.int64(0)
    for start in range(0, count, LOOKUP):
        stop = min(count, start + LOOKUP)
        for r in range(start, stop):
            slots[r - start] = hash_state(rows, r, columns) & mask
        for r in range(start, stop):
            touched += table[slots[r - start]]
        for r in range(start, stop):
            p = slots[r - start]
            while table[p] != 0:
                p = (p + np.uint64(1)) & mask
            table[p] = r + 1
    return touched


@inner
def forked(t, rows, source, c, move, components, folded, columns, plan, base_hash, buffer, hashes, count):
    """Append the transitions of a move whose receivers have alternatives: their product, the last one fastest."""
    local = t.moves[move, LOCAL]
    first = t.locals[local, BATCH]
    last = first + t.locals[local, BATCH_COUNT]
    total = np.int64(1)
    for q in range(first, last):
        place = receive(t, t.batches[q, NUMBER], rows[source, t.batches[q, TO]])
        if place <= FORKED:
            total *= t.forks[FORKED - place, COUNT]
    if count + total > len(buffer):
        return np.int64(FULL)
    status = np.int64(0)
    for alternative in range(total):
        n = count + alternative
        for k in range(columns):
            buffer[n, k] = rows[source, k]
        buffer[n, c] = t.moves[move, AFTER]
        if plan >= 0:
            buffer[n, columns - 1] = plan
        status = worse(status, fold_events(t, buffer, n, local, move, components, folded))
        divisor = total
        for q in range(first, last):
            d = t.batches[q, TO]
            place = receive(t, t.batches[q, NUMBER], rows[source, d])
            if place > FORKED:
                buffer[n, d] = place
                continue
            number = FORKED - place
            divisor //= t.forks[number, COUNT]
            at = t.forks[number, START] + (alternative // divisor) % t.forks[number, COUNT]
            buffer[n, d] = t.fork_alts[at, PLACE]
            faults = t.fork_alts[at, PLACE_FAULT]
            for f in range(faults, faults + t.fork_alts[at, PLACE_FAULT_COUNT]):
                for k in range(components, folded):
                    memory = fold(t, t.faults[f], np.int64(buffer[n, k]))
                    if memory < 0:
                        status = worse(status, memory)
                    else:
                        buffer[n, k] = memory
        hashes[n] = rehashed(rows, source, buffer, n, columns, base_hash)
    if status < 0:
        return status
    return count + total


@inner
def fold_events(t, buffer, n, local, move, components, folded):
    """Fold the events of a move into the memories in buffer[n]."""
    status = np.int64(0)
    for k in range(components, folded):
        memory = np.int64(buffer[n, k])
        if t.locals[local, EVENT] >= 0:
            memory = fold(t, t.locals[local, EVENT], memory)
        for f in range(t.moves[move, FAULT_AT], t.moves[move, FAULT_AT] + t.moves[move, FAULT_COUNT]):
            if memory >= 0:
                memory = fold(t, t.faults[f], memory)
        if memory < 0:
            status = worse(status, memory)
        else:
            buffer[n, k] = memory
    return status


@inlined
def rehashed(rows, source, buffer, n, columns, base_hash):
    """The hash of buffer[n], which differs from rows[source] in few columns."""
    h = base_hash
    for k in range(columns):
        if buffer[n, k] != rows[source, k]:
            h ^= mix(np.uint64(rows[source, k]) * np.uint64(64) + np.uint64(k & 63))
            h ^= mix(np.uint64(buffer[n, k]) * np.uint64(64) + np.uint64(k & 63))
    return h


@inner
def choose(t, rows, source, must, mask, invert, components, columns, layers, following, order):
    """For each enabled move of a state, in order: the strategy's memory after it, -1 if it is not to be explored.

    See strategy.py. With `invert`, what the reduction left out of the strategy's choice.
    """
    count = 0
    status = np.int64(0)
    for idle in range(1 if must else 2):
        for c in range(components):
            place = rows[source, c]
            first, many = t.place_info[place, MOVE], t.place_info[place, ACTIVE]
            if idle:
                first, many = first + many, t.place_info[place, IDLE]
            for move in range(first, first + many):
                if count >= len(order):
                    return np.int64(FULL)
                row = ranked(t, rows[source, columns - 1], t.moves[move, LOCAL])
                if row < 0:
                    status = worse(status, row)
                order[count] = row
                following[count] = 0
                count += 1
    if status < 0:
        return status
    for layer in range(RANK, RANK + layers):
        least = np.int64(-1)
        for i in range(count):
            rank = t.ranks[order[i], layer]
            if following[i] == 0 and rank >= 0 and (least < 0 or rank < least):
                least = np.int64(rank)
        for i in range(count):
            rank = t.ranks[order[i], layer]
            if rank >= 0 and rank != least:
                following[i] = -1
    within = mask >= 0
    if within:
        for i in range(count):
            if following[i] < 0 and t.mask_keep[mask, t.ranks[order[i], RANKED_ACTION]] != 0:
                within = False
    for i in range(count):
        if following[i] == 0:
            kept = not within or t.mask_keep[mask, t.ranks[order[i], RANKED_ACTION]] != 0
            following[i] = -1 if kept == invert else t.ranks[order[i], PLAN]
    return np.int64(0)


@entry
def level(
    t, rows, table, parents, born, work, position, chunk, flags, masks, flags_base, invert, components, folded, columns,
    layers, following, order, buffer, hashes, sources, slots, at, ends, with_proviso, base,
    asleep, sleepers, with_sleep,
):  # fmt: skip
    """Expand the states in `work` from `position` on: (status, position to go on from).

    After the first miss nothing more is entered: the states ahead are only probed for further misses, so that the
    numbering is the one of a plain breadth-first search.
    """
    # The arrays of the inner loop are local variables: access through the bundle is slower.
    moves, locals_, batches, info = t.moves, t.locals, t.batches, t.place_info
    received, keep, commuting = t.received_memo, t.mask_keep, t.mask_commuting
    count = np.int64(0)
    stop = min(len(work), position + chunk)
    resume = np.int64(-1)
    probed = 0
    w = position
    while w < stop:
        if resume < 0 and (count >= LOOKUP or (with_proviso and at[ENDS] + len(buffer) >= len(ends))):
            if visit(
                rows, table, parents, born, buffer, hashes, sources, slots, count, columns, at, ends, with_proviso,
                base, asleep, sleepers, with_sleep,
            ):  # fmt: skip
                return LIMIT, w
            count = np.int64(0)
            if not room(rows, table, born, ends, len(buffer), at, base):
                return NEED_ROOM, w
        source = work[w]
        mask = masks[source - flags_base]
        base_hash = hash_state(rows, source, columns)
        new_count = count
        status = np.int64(0)
        number = -1  # of the move, among those of the state
        plan = np.int64(-1)
        sleeps, last = np.uint64(0), np.int64(-1)
        if with_sleep:
            sleeps = asleep[source]
        if layers:
            status = choose(
                t, rows, source, flags[source - flags_base] & FLAG_MUST, mask, invert, components, columns, layers,
                following, order,
            )  # fmt: skip
            mask = -1
        for idle in range(0 if status < 0 else 1 if flags[source - flags_base] & FLAG_MUST else 2):
            for c in range(components):
                place = rows[source, c]
                first, many = info[place, MOVE], info[place, ACTIVE]
                if idle:
                    first, many = first + many, info[place, IDLE]
                for move in range(first, first + many):
                    local = moves[move, LOCAL]
                    if layers:
                        number += 1
                        plan = np.int64(following[number])
                        if plan < 0:
                            continue
                    action = locals_[local, ACTION]
                    if mask >= 0 and (keep[mask, action] != 0) == invert:
                        continue
                    if with_sleep and not invert:
                        if (asleep[source] >> np.uint64(action)) & np.uint64(1) != 0:
                            continue
                        if action != last:
                            if last >= 0:
                                sleeps |= np.uint64(1) << np.uint64(last)
                            last = np.int64(action)
                    if new_count >= len(buffer):
                        status = np.int64(FULL)
                        break
                    for k in range(columns):
                        buffer[new_count, k] = rows[source, k]
                    buffer[new_count, c] = moves[move, AFTER]
                    if layers:
                        buffer[new_count, columns - 1] = plan
                    split = False
                    known = True
                    batch = locals_[local, BATCH]
                    for q in range(batch, batch + locals_[local, BATCH_COUNT]):
                        d = batches[q, TO]
                        key = ((np.int64(batches[q, NUMBER]) << 32) | np.int64(rows[source, d])) + 1
                        p = find(received, key)
                        if received[p, 0] == key:
                            result = received[p, 1]
                        else:
                            result = receive(t, batches[q, NUMBER], rows[source, d])
                        if result >= 0:
                            buffer[new_count, d] = result
                        elif result <= FORKED:
                            split = True
                        else:
                            known = False
                            status = worse(status, result)
                    if not known:
                        continue
                    if split:
                        result = forked(
                            t,
                            rows,
                            source,
                            c,
                            move,
                            components,
                            folded,
                            columns,
                            plan,
                            base_hash,
                            buffer,
                            hashes,
                            new_count,
                        )
                        if result < 0:
                            status = worse(status, result)
                        else:
                            if with_sleep:
                                for x in range(new_count, result):
                                    sleepers[x] = np.uint64(0) if invert else sleeps & commuting[mask, action]
                            new_count = result
                        continue
                    if folded > components and (locals_[local, EVENT] >= 0 or moves[move, FAULT_COUNT] > 0):
                        result = fold_events(t, buffer, new_count, local, move, components, folded)
                        if result < 0:
                            status = worse(status, result)
                            continue
                    hashes[new_count] = rehashed(rows, source, buffer, new_count, columns, base_hash)
                    if with_sleep:
                        sleepers[new_count] = np.uint64(0) if invert else sleeps & commuting[mask, action]
                    new_count += 1
        if status < 0:
            if resume < 0:
                resume = w
            if status == FULL:
                break
        elif resume < 0:
            for x in range(count, new_count):
                sources[x] = source
            if with_sleep and with_proviso and new_count == count:  # all its actions are asleep
                ends[at[ENDS]] = source
                at[ENDS] += 1
            count = new_count
        if resume >= 0:
            probed += 1
            if probed >= LOOKAHEAD:
                break
        w += 1
    if visit(
        rows, table, parents, born, buffer, hashes, sources, slots, count, columns, at, ends, with_proviso, base,
        asleep, sleepers, with_sleep,
    ):  # fmt: skip
        return LIMIT, w
    if resume >= 0:
        return NEED_FILL, resume
    return DONE, w


@inner
def room(rows, table, born, ends, batch, at, base):
    """Whether one more batch fits in any case."""
    return (
        at[ROWS] + batch < len(rows)
        and 2 * (at[ROWS] + batch) < len(table)
        and at[ROWS] - base + batch < len(born)
        and at[ENDS] + batch < len(ends)
    )
