"""The search with one concrete table vector per state: the slow, obvious form of `sdnloom.races.search.search`."""

from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import ForwardingProperty
from sdnloom.races.search.abstraction import Abstraction, ControlState, RaceCheck
from sdnloom.races.search.evaluate import PropertyEvaluator
from sdnloom.races.search.oracle import RaceKey
from sdnloom.races.search.trace import ProcessLabel, ReconfigureLabel


def explicit_races(
    model: RaceModel, prop: ForwardingProperty, depth: int | None, first_race_only: bool
) -> tuple[dict[RaceKey, int], int]:
    """Return the harmful races with the lengths of shortest traces, and the number of states."""
    abstraction = Abstraction(model, first_race_only=first_race_only, remember_updates=True)
    evaluators: dict[tuple[object, int], PropertyEvaluator] = {}
    found: dict[RaceKey, int] = {}

    def harmful(check: RaceCheck, tables: dict[int, tuple]) -> bool:
        race = check.signature
        formula = prop.formulas.get(race.kind)
        if formula is None:
            return False
        key = (formula, race.switch)
        if key not in evaluators:
            evaluators[key] = PropertyEvaluator(model.elements[race.switch], formula)
        evaluator = evaluators[key]
        if check.before is not None:
            return evaluator.holds((check.before,)) != evaluator.holds((race.second.policy,))
        now = tables[race.switch]
        return evaluator.holds(now) != evaluator.holds(
            (*now[: check.table], race.second.policy, *now[check.table + 1 :])
        )

    first = (abstraction.initial(), tuple(abstraction.first_tables))
    visited: set[tuple[ControlState, tuple]] = {first}
    frontier = [first]
    level = 0
    while frontier and (depth is None or level < depth):
        following = []
        for control, tables in frontier:
            for step in abstraction.steps(control):
                stop = False
                for check in step.checks:
                    length = level + 1 + check.forwards_first
                    if (depth is not None and length > depth) or stop or not harmful(check, dict(enumerate(tables))):
                        continue
                    race = check.signature
                    label = race.first or ProcessLabel(race.switch, tables[race.switch])
                    assert isinstance(step.label, ReconfigureLabel)
                    key = (race.kind, label, step.label)
                    found[key] = min(length, found.get(key, length))
                    stop = first_race_only
                if stop:
                    continue
                after = list(tables)
                if step.table is not None:
                    mine = list(after[step.label.receiver])
                    mine[step.table] = step.label.policy
                    after[step.label.receiver] = tuple(mine)
                state = (step.target, tuple(after))
                if state not in visited:
                    visited.add(state)
                    following.append(state)
        frontier = following
        level += 1
    if first_race_only:
        return found, len(visited)
    return found, len({(control.locals, control.processed, tables) for control, tables in visited})
