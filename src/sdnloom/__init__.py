"""sdnloom finds the inputs and event orderings that break a software-defined network before the network does.

The names and modules below are the public interface; everything else is internal and may change. Each is imported when
it is first used, so that `import sdnloom` and `sdnloom --help` stay fast.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same list for type checkers and editors
    from sdnloom import (
        actors as actors,
        crosscheck as crosscheck,
        engine as engine,
        netkat as netkat,
        races as races,
        symbolic as symbolic,
    )
    from sdnloom.api.assertion import assert_holds as assert_holds
    from sdnloom.api.checks import run_check as run_check, run_resume as run_resume
    from sdnloom.api.confirm import run_confirm as run_confirm
    from sdnloom.api.swarm import SwarmReport as SwarmReport, run_swarm as run_swarm
    from sdnloom.check.load import app_scenario as app_scenario, load_scenario as load_scenario
    from sdnloom.check.report import Report as Report
    from sdnloom.check.scenario import Scenario as Scenario
    from sdnloom.confirm.outcome import Confirmation as Confirmation
    from sdnloom.engine.model import Needs as Needs, Property as Property
    from sdnloom.engine.result import Limits as Limits, SearchOptions as SearchOptions
    from sdnloom.errors import SdnloomError as SdnloomError
    from sdnloom.inputs.options import DiscoverOptions as DiscoverOptions
    from sdnloom.network import (
        events as events,
        openflow as openflow,
        packet as packet,
        program as program,
        switch as switch,
    )
    from sdnloom.network.hosts import (
        ArpHost as ArpHost,
        Client as Client,
        Host as Host,
        HostAction as HostAction,
        HostStep as HostStep,
        HostView as HostView,
        MobileHost as MobileHost,
        Replier as Replier,
        TcpClient as TcpClient,
        TcpServer as TcpServer,
    )
    from sdnloom.network.network import (
        External as External,
        LinkFaults as LinkFaults,
        Network as Network,
        PortCounter as PortCounter,
        ProgramTimer as ProgramTimer,
        SwitchFaults as SwitchFaults,
        SwitchOptions as SwitchOptions,
        Timeouts as Timeouts,
    )
    from sdnloom.network.packet_id import packet_id_of as packet_id_of
    from sdnloom.network.startup.setup_steps import (
        SetupCall as SetupCall,
        SetupReport as SetupReport,
        SetupTicks as SetupTicks,
    )
    from sdnloom.network.text import match_words as match_words
    from sdnloom.network.topology import (
        SwitchPort as SwitchPort,
        Topology as Topology,
        TopologyBuilder as TopologyBuilder,
        custom as custom,
        from_networkx as from_networkx,
        linear as linear,
        load_graphml as load_graphml,
        load_mininet as load_mininet,
        load_topohub as load_topohub,
        mesh as mesh,
        ring as ring,
        single as single,
        torus as torus,
        tree as tree,
    )
    from sdnloom.network.traffic import flow_of as flow_of, header_of as header_of, is_group as is_group
    from sdnloom.platforms.nox import NoxProgram as NoxProgram
    from sdnloom.platforms.osken.program import OskenProgram as OskenProgram
    from sdnloom.platforms.python.program import PythonProgram as PythonProgram
    from sdnloom.properties import (
        DirectPaths as DirectPaths,
        FlowAffinity as FlowAffinity,
        Isolated as Isolated,
        NetworkProperty as NetworkProperty,
        NoAmbiguousMatch as NoAmbiguousMatch,
        NoBlackHoles as NoBlackHoles,
        NoBlackHolesMobile as NoBlackHolesMobile,
        NoForgottenPackets as NoForgottenPackets,
        NoForwardingLoops as NoForwardingLoops,
        NoHandlerException as NoHandlerException,
        PingsAnswered as PingsAnswered,
        Reachable as Reachable,
        Sometimes as Sometimes,
        StrictDirectPaths as StrictDirectPaths,
        UseCorrectRoutingTable as UseCorrectRoutingTable,
        Waypoint as Waypoint,
    )
    from sdnloom.pytest_plugin.fixture import SdnloomFixture as SdnloomFixture
    from sdnloom.report.check.text import report_text as report_text
    from sdnloom.report.exports import write_exports as write_exports
    from sdnloom.report.schemas import json_schema as json_schema
    from sdnloom.report.view.document_reader import read_results as read_results
    from sdnloom.report.view.of_result import view_of as view_of
    from sdnloom.report.view.result_view import ResultView as ResultView
    from sdnloom.report.crosscheck.event_text import difference_texts as difference_texts
    from sdnloom.scenario_file.document import ScenarioError as ScenarioError
    from sdnloom.strategies import (
        FlowIR as FlowIR,
        NoDelay as NoDelay,
        PktSeq as PktSeq,
        Unusual as Unusual,
        same_connection as same_connection,
    )

__version__ = "0.1.0"

# Public names, by the module that they are imported from.
_NAMES = {
    "sdnloom.api.assertion": "assert_holds",
    "sdnloom.api.checks": "run_check run_resume",
    "sdnloom.api.confirm": "run_confirm",
    "sdnloom.api.swarm": "SwarmReport run_swarm",
    "sdnloom.check.load": "app_scenario load_scenario",
    "sdnloom.check.report": "Report",
    "sdnloom.check.scenario": "Scenario",
    "sdnloom.confirm.outcome": "Confirmation",
    "sdnloom.engine.model": "Needs Property",
    "sdnloom.engine.result": "Limits SearchOptions",
    "sdnloom.errors": "SdnloomError",
    "sdnloom.inputs.options": "DiscoverOptions",
    "sdnloom.network.hosts": (
        "ArpHost Client Host HostAction HostStep HostView MobileHost Replier TcpClient TcpServer"
    ),
    "sdnloom.network.network": (
        "External LinkFaults Network PortCounter ProgramTimer SwitchFaults SwitchOptions Timeouts"
    ),
    "sdnloom.network.packet_id": "packet_id_of",
    "sdnloom.network.startup.setup_steps": "SetupCall SetupReport SetupTicks",
    "sdnloom.network.text": "match_words",
    "sdnloom.network.topology": (
        "SwitchPort Topology TopologyBuilder custom from_networkx linear load_graphml load_mininet load_topohub "
        "mesh ring single torus tree"
    ),
    "sdnloom.network.traffic": "flow_of header_of is_group",
    "sdnloom.platforms.nox": "NoxProgram",
    "sdnloom.platforms.osken.program": "OskenProgram",
    "sdnloom.platforms.python.program": "PythonProgram",
    "sdnloom.properties": (
        "DirectPaths FlowAffinity Isolated NetworkProperty NoAmbiguousMatch NoBlackHoles NoBlackHolesMobile "
        "NoForgottenPackets NoForwardingLoops NoHandlerException PingsAnswered Reachable Sometimes StrictDirectPaths "
        "UseCorrectRoutingTable Waypoint"
    ),
    "sdnloom.pytest_plugin.fixture": "SdnloomFixture",
    "sdnloom.report.check.text": "report_text",
    "sdnloom.report.exports": "write_exports",
    "sdnloom.report.schemas": "json_schema",
    "sdnloom.report.view.document_reader": "read_results",
    "sdnloom.report.view.of_result": "view_of",
    "sdnloom.report.view.result_view": "ResultView",
    "sdnloom.report.crosscheck.event_text": "difference_texts",
    "sdnloom.scenario_file.document": "ScenarioError",
    "sdnloom.strategies": "FlowIR NoDelay PktSeq Unusual same_connection",
}
# Public modules, by the name that they have here.
_MODULES = {
    "actors": "sdnloom.actors",
    "crosscheck": "sdnloom.crosscheck",
    "engine": "sdnloom.engine",
    "events": "sdnloom.network.events",
    "netkat": "sdnloom.netkat",
    "openflow": "sdnloom.network.openflow",
    "packet": "sdnloom.network.packet",
    "program": "sdnloom.network.program",
    "races": "sdnloom.races",
    "switch": "sdnloom.network.switch",
    "symbolic": "sdnloom.symbolic",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_MODULE_OF, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'sdnloom' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
