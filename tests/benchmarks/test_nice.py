"""The transcribed tables of the NICE paper are whole, and our scenarios are those that the tests know."""

from dataclasses import replace

from benchmarks import nice, nice_table4, nice_table5
from sdnloom.check.program_factory import make_program
from tests.examples import expected


def test_every_published_defect_has_its_scenario_and_its_row():
    assert {bug: scenario for bug, (scenario, _) in expected.BUGS.items()} == nice.BUGS
    assert list(nice_table4.PUBLISHED) == list(nice.BUGS)


def test_table_4_has_eight_cells_in_each_row_and_misses_what_the_paper_says():
    missed = set()
    for bug, row in nice_table4.PUBLISHED.items():
        assert len(row) == len(nice.STRATEGIES)
        for strategy, cells in zip(nice.STRATEGIES, row, strict=True):
            assert len(cells) == 2
            missed |= {(strategy, bug) for cell in cells if cell is None}
    late = {("NO-DELAY", bug) for bug in ("VII", "XI", "XIII")}
    assert missed == late | {("FLOW-IR", "IX")}


def test_table_5_has_all_twelve_rows_and_keeping_states_changes_no_count():
    table = nice_table5.PUBLISHED
    assert set(table) == {(strategy, way) for strategy in nice.STRATEGIES for way in nice_table5.WAYS}
    for strategy in nice.STRATEGIES:
        replayed, kept = (table[strategy, way] for way in ("replay", "snapshot"))
        assert [count for count, _ in replayed] == [count for count, _ in kept]


def keeping(scenario):
    """The scenario with one program, whose states are kept as usual."""
    program = make_program(scenario.program)
    return replace(scenario, program=lambda: program)


def test_a_program_that_is_made_to_replay_is_searched_to_the_same_end():
    counts = []
    for prepare in (nice_table5.replaying, keeping):
        scenario = prepare(nice_table5.traffic_engineering())
        run = nice.run_once(
            scenario, nice.strategies("NO-DELAY", "traffic_engineering"), nice.SearchOptions(), check=False
        )
        counts.append((run.states, run.transitions))
        repeated = scenario.program()._states.repeated
        assert (repeated > 0) == (prepare is nice_table5.replaying)
    assert counts[0] == counts[1]
