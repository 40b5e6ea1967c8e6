"""The view of any result, for Python code that makes pictures and exports."""

from sdnloom.actors.report import ActorReport
from sdnloom.check.report import Report
from sdnloom.crosscheck.result import CrosscheckResult
from sdnloom.races.result import RaceResult
from sdnloom.report.view.of_actors import actors_view
from sdnloom.report.view.of_check import check_view
from sdnloom.report.view.of_crosscheck import crosscheck_result_view
from sdnloom.report.view.of_races import races_view
from sdnloom.report.view.result_view import ResultView


def view_of(result: Report | ActorReport | RaceResult | CrosscheckResult) -> ResultView:
    """The result of a check, of a search for races or of a crosscheck as it is shown: what `write_exports` takes."""
    match result:
        case Report():
            return check_view(result)
        case ActorReport():
            return actors_view(result)
        case RaceResult():
            return races_view(result)
        case CrosscheckResult():
            return crosscheck_result_view(result)
        case _:
            raise TypeError(f"{type(result).__name__} is no result; expected that of a check, of races or a crosscheck")
