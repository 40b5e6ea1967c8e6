"""The journal: the same questions give the same numbers in every process, and a changed program is refused by name."""

import os
import random
import subprocess
import sys
from array import array
from dataclasses import replace

import pytest

from benchmarks.pings import pings
from sdnloom.engine.journal.journal import (
    FOLD,
    PUSH,
    RANK,
    STEP,
    TAKE,
    Journal,
    JournalError,
    RecordedJournal,
    replay_journal,
)
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Action, Component, Fault, Outcome, Restart, System
from sdnloom.engine.system_graph import SystemGraph
from tests.engine.random_strategies import random_strategy
from tests.engine.systems import random_system, with_history


def ask_at_random(memo, chance, count):
    """Ask a memo so many questions that make sense, as an engine would: about values that it has met."""
    channels = memo.system.channels
    for _ in range(count):
        kind = chance.choice((STEP, STEP, STEP, PUSH, TAKE, FOLD, RANK))
        if kind == STEP and memo.actions:
            number = chance.randrange(len(memo.actions))
            component, action = memo.actions[number]
            core = chance.randrange(len(memo.cores[component]))
            offers = [0]
            if action.take is not None:
                channel = memo.semantics.channel_index[action.take]
                content = chance.randrange(len(memo.contents[channel]))
                offers = [message for message, _, _ in memo.take(channel, content)]
            if offers:
                memo.step(number, core, chance.choice(offers))
        elif kind in (PUSH, TAKE) and channels:
            channel = chance.randrange(len(channels))
            content = chance.randrange(min(len(memo.contents[channel]), 50))
            sent = [memo.messages.number(message) for message in memo.sent[channel]]
            if kind == TAKE or not sent:
                memo.take(channel, content)
            else:
                memo.push(channel, content, chance.choice(sent))
        elif kind == FOLD and memo.memories:
            index = chance.randrange(len(memo.memories))
            events = [memo.events.number(local.outcome.events) for local in memo.locals] or [0]
            memo.fold(index, chance.randrange(len(memo.memories[index])), chance.choice(events))
        elif kind == RANK and memo.locals:
            memo.rank(chance.randrange(len(memo.plans)), chance.randrange(len(memo.locals)))


def asked(seed, count=60):
    """A memo that was asked at random, with its journal."""
    memo = Memo(with_history(random_system(seed), 2), strategy=random_strategy(seed))
    journal = Journal(memo)
    ask_at_random(memo, random.Random(seed), count)
    journal.check_all()
    return memo, journal


def recorded(journal):
    return RecordedJournal(journal.start, array("q", journal.numbers), array("Q", journal.checks))


def tables(memo):
    return [
        each.values[1:] if each is memo.messages else each.values  # the first message stands for none
        for each in (*memo.cores, *memo.contents, memo.messages, memo.events, *memo.memories, memo.plans)
    ]


def test_a_replay_gives_every_value_its_number_again():
    questions = 0
    for seed in range(150):
        memo, journal = asked(seed)
        again = Memo(with_history(random_system(seed), 2), strategy=random_strategy(seed))
        following = replay_journal(recorded(journal), again)
        assert tables(again) == tables(memo), seed
        assert (following.numbers, following.checks) == (journal.numbers, journal.checks)
        assert [(one.number, one.core, one.own, one.batches) for one in again.locals] == [
            (one.number, one.core, one.own, one.batches) for one in memo.locals
        ]
        assert again.batches.values == memo.batches.values
        assert again.evaluations == memo.evaluations
        questions += len(journal)
    assert questions > 2000


def test_the_journal_goes_on_after_a_replay():
    for seed in range(40):
        whole, journal = asked(seed, 80)
        first = Memo(whole.system, strategy=whole.strategy)
        begun = Journal(first)
        chance = random.Random(seed)
        ask_at_random(first, chance, 30)
        begun.check_all()
        second = Memo(whole.system, strategy=whole.strategy)
        following = replay_journal(recorded(begun), second)
        ask_at_random(second, chance, 50)
        following.check_all()
        assert (following.numbers, following.checks) == (journal.numbers, journal.checks)


def test_a_fold_by_numbers_is_the_fold_of_the_property():
    for seed in range(40):
        memo, journal = asked(seed)
        for question in (journal[n] for n in range(len(journal)) if journal[n].kind == FOLD):
            prop = memo.semantics.with_memory[question.one]
            value = memo.memories[question.one].values[question.other]
            for event in memo.events.values[question.third]:
                value = prop.fold(value, event)
            assert memo.memories[question.one].values[memo.fold(*question[1:])] == value


@pytest.mark.parametrize("seed", range(6))
def test_a_search_in_numbers_asks_nothing_beside_the_journal(seed):
    memo = Memo(random_system(seed))
    journal = Journal(memo)
    graph = SystemGraph(memo)
    found, waiting = set(graph.initial()), list(graph.initial())
    while waiting and len(found) < 300:
        fresh = dict.fromkeys(graph.successors(waiting.pop()))
        waiting += [state for state in fresh if state not in found]
        found |= fresh.keys()
    journal.check_all()
    again = Memo(random_system(seed))
    replay_journal(recorded(journal), again)
    assert tables(again) == tables(memo)


_DIGESTS = """
from tests.engine.test_journal import asked
import hashlib
for seed in range(25):
    journal = asked(seed)[1]
    print(journal.start, len(journal), hashlib.sha256(journal.numbers.tobytes() + journal.checks.tobytes()).hexdigest())
"""


def test_checks_are_the_same_in_every_process():
    found = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(done.stdout)
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == 25


# Programs that change


def counter(step, initial=0, name="counter"):
    return System((Component(name, initial, (Action("count", step),)),))


def upwards(core, message):
    return [Outcome(core + 1, events=(("at", core),))] if core < 5 else []


def counted():
    memo = Memo(counter(upwards))
    journal = Journal(memo)
    for core in range(6):
        memo.step(0, core, 0)
    journal.check_all()
    return recorded(journal)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (lambda core, message: upwards(core, message) if core != 3 else [], "core 3 (question 4 of 6 in the journal)"),
        (lambda core, message: [Outcome(core + 1, events=(("at", min(core, 2)),))], "core 3 (question 4 of 6"),
        (
            lambda core, message: [Outcome(core + (10 if core == 4 else 1), events=(("at", core),))],
            "core 4 (question 5",
        ),
        (lambda core, message: [replace(one, choice="new") for one in upwards(core, message)], "core 0 (question 1 of"),
        (lambda core, message: upwards(core, message) if core != 2 else 1 // 0, "the step raised ZeroDivisionError"),
        (lambda core, message: upwards(core, message) if core != 2 else Restart("order"), "it asks for a new search"),
    ],
)
def test_a_changed_program_is_refused_at_its_first_other_answer(changed, reason):
    with pytest.raises(JournalError) as refused:
        replay_journal(counted(), Memo(counter(changed)))
    assert "component 'counter', action 'count', core" in str(refused.value)
    assert reason in str(refused.value)


def test_other_initial_values_are_refused():
    with pytest.raises(JournalError, match="begins differently now"):
        replay_journal(counted(), Memo(counter(upwards, initial=1)))


def test_damaged_questions_are_refused_before_they_are_asked():
    refused = harmless = 0
    for seed in range(60):
        memo, journal = asked(seed, 30)
        chance = random.Random(seed)
        if not len(journal):
            continue
        for _ in range(5):
            damaged = recorded(journal)
            place = chance.randrange(len(damaged.numbers))
            damaged.numbers[place] = chance.choice((-1, 0, 1, 2, 3, 7, 1 << 40, damaged.numbers[place] + 1))
            again = Memo(memo.system, strategy=memo.strategy)
            try:
                replay_journal(damaged, again)
            except JournalError:
                refused += 1
            else:
                harmless += 1
                assert damaged.numbers == journal.numbers or tables(again) == tables(memo)
    assert refused > 150
    assert harmless < refused


def test_a_closed_journal_forgets_what_came_after_a_length():
    memo = Memo(counter(upwards))
    journal = Journal(memo)
    memo.step(0, 0, 0)
    memo.step(0, 1, 0)
    journal.close(1)
    memo.step(0, 2, 0)
    assert [journal[n] for n in range(len(journal))] == [(STEP, 0, 0, 0)]


def test_what_is_numbered_beside_the_journal_is_noticed():
    memo = Memo(pings(1))
    journal = Journal(memo)
    memo.messages.number("beside")
    with pytest.raises(AssertionError, match="a message was numbered beside the journal"):
        journal.check_all()


def test_faults_are_numbered_as_events_of_the_question():
    met = set()
    for seed in range(60):
        memo, journal = asked(seed)
        met |= {type(each[0]) for each in memo.events.values if each}
        assert len(journal.checks) == len(journal)
    assert Fault in met
