"""The thesis' three examples, in both formats: published counts in RaceLoom's mode, all races in complete mode."""

from pathlib import Path

import pytest

from sdnloom.races import RaceMode, RaceOptions, RaceResult, RaceType, find_races, load_model, load_properties
from sdnloom.races.language.load import parse_model
from sdnloom.races.language.text_format import read_text_properties
from sdnloom.races.search.oracle import Oracle
from sdnloom.report.races.text import races_text
from sdnloom.report.text_style import TextStyle

EXAMPLES = Path(__file__).parents[2] / "examples" / "races"
PUBLISHED = {"firewall": (10, (2, 0, 0)), "independent_controllers": (7, (16, 8, 0)), "hierarchy": (10, (4, 3, 1))}
COMPLETE = {"firewall": (2, 0, 0), "independent_controllers": (16, 8, 0), "hierarchy": (4, 3, 2)}


def races_of(name: str, form: str, options: RaceOptions) -> RaceResult:
    model = load_model(EXAMPLES / f"{name}.{form}")
    properties = load_properties(EXAMPLES / f"{name}.properties.json") if form == "json" else ()
    return find_races(model, properties, options)


def counts(result: RaceResult) -> tuple[int, ...]:
    return tuple(result.counts[kind] for kind in RaceType)


@pytest.mark.parametrize("form", ["races", "json"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_raceloom_mode_gives_the_published_counts(name: str, form: str) -> None:
    depth, published = PUBLISHED[name]
    result = races_of(name, form, RaceOptions(RaceMode.RACELOOM, depth))
    assert counts(result) == published
    assert len(result.races) == sum(published)


@pytest.mark.parametrize("form", ["races", "json"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_complete_mode_gives_all_races_at_the_published_depth_and_at_every_depth(name: str, form: str) -> None:
    bounded = races_of(name, form, RaceOptions(depth=PUBLISHED[name][0]))
    unbounded = races_of(name, form, RaceOptions())
    assert counts(bounded) == counts(unbounded) == COMPLETE[name]
    assert unbounded.proved


@pytest.mark.parametrize(
    ("name", "mode", "states"),
    [
        ("firewall", RaceMode.COMPLETE, 12),
        ("independent_controllers", RaceMode.COMPLETE, 64),
        ("hierarchy", RaceMode.COMPLETE, 25),
        ("firewall", RaceMode.RACELOOM, 24),
        ("independent_controllers", RaceMode.RACELOOM, 1634),
        ("hierarchy", RaceMode.RACELOOM, 284),
    ],
)
def test_number_of_abstract_states(name: str, mode: RaceMode, states: int) -> None:
    assert races_of(name, "races", RaceOptions(mode)).states == states


@pytest.mark.parametrize(("name", "depth"), [("firewall", 6), ("independent_controllers", 4), ("hierarchy", 5)])
def test_examples_equal_the_oracle(name: str, depth: int) -> None:
    model = load_model(EXAMPLES / f"{name}.races")
    oracle = Oracle(model, model.properties[0])
    for mode, expected in ((RaceMode.COMPLETE, oracle.complete(depth)[0]), (RaceMode.RACELOOM, oracle.raceloom(depth))):
        result = find_races(model, (), RaceOptions(mode, depth))
        assert {(race.kind, race.first, race.second): len(race.trace.events) for race in result.races} == expected


def test_the_shortest_hierarchy_trace_is_that_of_figure_5_6() -> None:
    """The clocks that RaceLoom prints for its CT->CT->SW race."""
    race = races_of("hierarchy", "json", RaceOptions(RaceMode.RACELOOM, 10)).races[0]
    assert race.kind is RaceType.CT_CT_SW
    assert race.positions == (2, 3)
    assert race.trace.clocks == (
        ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)),
        ((1, 0, 1, 0), (0, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 0)),
        ((2, 1, 1, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 0)),
        ((2, 1, 1, 0), (0, 2, 0, 1), (0, 0, 1, 0), (0, 0, 0, 1)),
    )


def test_a_safe_order_of_updates_has_no_harmful_race() -> None:
    """The corrected twin: one controller takes the old route down before it puts the new one up."""
    text = (EXAMPLES / "independent_controllers.races").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("C1 =", "C2 =", "system"))]
    order = "upS1 ! zero ; upS2 ! zero ; upS5 ! T5 ; upS6 ! T6 ; upS3 ! T3 ; upS4 ! T4 ; bot"
    model = parse_model("\n".join([*lines, f"C = {order}", "system Net || C"]))
    result = find_races(model)
    assert counts(result) == (0, 0, 0)
    assert result.proved


def test_properties_in_a_text_file_are_checked_together() -> None:
    model = load_model(EXAMPLES / "hierarchy.json")
    properties = load_properties(EXAMPLES / "hierarchy.properties", model)
    result = find_races(model, properties)
    found = {name: {(race.kind, race.first, race.second) for race in result.races if race.property == name}
             for name in ("no_h3_to_h2", "no_h1_to_h4", "h1_and_h3_apart")}  # fmt: skip
    assert {name: len(races) for name, races in found.items()} == {
        "no_h3_to_h2": 9,
        "no_h1_to_h4": 9,
        "h1_and_h3_apart": 0,
    }
    assert sum(result.counts.values()) == len(found["no_h3_to_h2"] | found["no_h1_to_h4"])


def test_the_documentation_shows_what_the_program_prints() -> None:
    text = (EXAMPLES.parents[1] / "docs" / "races.md").read_text()
    shown = text.split("$ sdnloom races examples/races/hierarchy.races  # exit 1\n")[1].split("\n...\n")[0]
    printed = races_text(find_races(load_model(EXAMPLES / "hierarchy.races")))
    assert printed.startswith(shown)


def test_every_line_of_the_documented_model_is_part_of_the_language() -> None:
    text = (EXAMPLES.parents[1] / "docs" / "races.md").read_text()
    model = text.split("## A model\n\n```races\n")[1].split("```")[0]
    assert counts(find_races(parse_model(model))) == (1, 0, 0)


@pytest.mark.parametrize(
    ("name", "expression", "depth", "published"),
    [
        ("independent_controllers", "port = 2 . @Network . port = 15", 7, (16, 8, 0)),
        ("hierarchy", "port = 1 . @Network . port = 8", 10, (4, 3, 1)),
    ],
)
def test_the_mirrored_property_gives_the_counts_that_come_with_raceloom(
    name: str, expression: str, depth: int, published: tuple[int, ...]
) -> None:
    """No packets from H1 to H4: not in the thesis, but among the results that RaceLoom is published with."""
    model = load_model(EXAMPLES / f"{name}.json")
    properties = read_text_properties(f"property mirrored = {expression} is empty", "mirrored", {})
    assert counts(find_races(model, properties, RaceOptions(RaceMode.RACELOOM, depth))) == published


def test_a_report_names_policies_tables_and_a_packet_and_has_clocks_only_in_the_long_form() -> None:
    result = find_races(load_model(EXAMPLES / "firewall.races"))
    lines = races_text(result).splitlines()
    assert lines[3:8] == [
        "1. CT->SW: events 2 and 3 of 3, changes ssh_is_blocked",
        "     1  Net -> C  SSH ! flag = blocking-ssh",
        "   * 2  Net forwards with S: All",
        "   * 3  C -> Net  Up ! NoSsh",
        "     property: flag = regular . type = ssh . pt = 1 . @Network . flag = regular . type = ssh is",
    ]
    assert lines[9:12] == [
        "     before: S forwards with All",
        "     after: S forwards with NoSsh",
        "     packet flag=regular  pt=1  type=ssh: comes out as flag=regular  pt=2  type=ssh before the race,",
    ]
    assert "  NoSsh = flag = regular . type != ssh . pt = 1 . pt <- 2" in lines
    assert max(map(len, lines[3:])) <= 100
    long = races_text(result, TextStyle(long=True))
    assert "   * 3  C -> Net  Up ! flag = regular . type != ssh . pt = 1 . pt <- 2\n        [[3, 2], [1, 2]]\n" in long
    assert "\033[31mharmful races: 2" in races_text(result, TextStyle(colour=True))
