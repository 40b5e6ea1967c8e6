"""What is proposed after a limit has ended a search."""

from dataclasses import replace
from pathlib import Path

from sdnloom import run_check
from sdnloom.check.report import CheckpointReport
from sdnloom.engine.result import ClusterOptions
from sdnloom.report.limit_hints import limit_hints

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_hints_name_nothing_that_a_cluster_or_a_checkpoint_refuses() -> None:
    reason = "the memory limit of 100 MB was reached"
    report = run_check(EXAMPLES / "mac_learning" / "bug2_fixed.toml", max_states=3)

    def hints(checkpoint: CheckpointReport | None = None, **options: object) -> list[str]:
        scenario = replace(report.scenario, options=replace(report.scenario.options, **options))
        result = replace(report.result, incomplete=reason)
        return limit_hints(replace(report, scenario=scenario, result=result, checkpoint=checkpoint))

    def options_in(lines: list[str]) -> set[str]:
        return {word for line in lines for word in line.replace(":", " ").split() if word.startswith("--")}

    more = {"--memory-limit", "--reduce", "--pkt-seq", "--strategy", "--swarm"}
    assert options_in(hints()) == {*more, "--disk", "--order"}
    assert options_in(hints(engine="loop")) == {*more, "--order"}
    for order in ("auto", "bfs"):
        assert options_in(hints(cluster=ClusterOptions("local"), order=order)) == more - {"--reduce"}
    kept = CheckpointReport(Path("my search.ckpt"), resumed=False, goes_on=True)
    assert options_in(hints(kept)) == more
    assert hints(kept)[:2] == [
        "to go on: sdnloom resume 'my search.ckpt' --memory-limit MIB",
        "or search less, or deeper:",
    ]
    nothing_written = replace(kept, goes_on=False)
    assert hints(nothing_written)[0] == "to see more, raise --memory-limit"


def test_a_search_that_is_kept_says_how_to_go_on() -> None:
    report = run_check(EXAMPLES / "mac_learning" / "bug2_fixed.toml", max_states=3)
    kept = CheckpointReport(Path("search.ckpt"), resumed=True, goes_on=True)

    def first(reason: str) -> list[str]:
        return limit_hints(replace(report, result=replace(report.result, incomplete=reason), checkpoint=kept))[:2]

    to_go_on, more = "to go on: sdnloom resume search.ckpt", "or another check:"
    assert first("the limit of 3 states was reached") == [f"{to_go_on} --max-states N", more]
    assert first("the time limit of 1 s was reached") == [f"{to_go_on} --time-limit SECONDS", more]
    assert first("interrupted") == [to_go_on, more]
    assert first("the depth limit of 2 was reached") == [
        "to see more, another check with another --max-depth: a search that is kept has its own"
    ]
    assert first("steps are left out") == []
