"""Views that tests of pages and exports are made with: small ones, large ones, and ones full of hostile texts."""

from dataclasses import replace

from sdnloom.report.view.result_view import (
    CodeView,
    FindingView,
    LaneView,
    OrderingView,
    ResultKind,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)

LANES = (
    LaneView("controller", "controller"),
    LaneView("s1", "switch"),
    LaneView("s2", "switch"),
    LaneView("h1", "host"),
    LaneView("h2", "host"),
    LaneView("idle", "host"),
)
WIRES = (
    WireView("s1", "2", "s2", "2"),
    WireView("h1", "", "s1", "1"),
    WireView("h2", "", "s2", "1"),
    WireView("controller", "", "s1", "", control=True),
    WireView("controller", "", "s2", "", control=True),
)
CODE = CodeView(
    "app.py", "App.packet_in", 10, ("def packet_in(self, event):", "    learn(event)", "    flood(event)"), (10, 12)
)


def small_view(kind: ResultKind = "check") -> ResultView:
    """Five steps: h1 sends, s1 asks the controller, which answers with two messages; then the link goes down."""
    packet = TransferView(
        "s1", "h1 > h2 ping", "packet", 2, "ethernet h1 > h2, ICMP echo request", "A", "", "1", b"\x01\xff"
    )
    asks = TransferView("controller", "PacketIn port 1", "openflow", 3, packet="A")
    adds = TransferView("s1", "FlowMod add", "openflow", 4)
    floods = TransferView("s1", "PacketOut flood", "openflow", None, packet="A")
    down = tuple(WireView(*(w.one, w.one_port, w.other, w.other_port), w.control, w.one != "s1") for w in WIRES)
    steps = (
        StepView(1, "h1", "send", "h1: send -> h1 > h2 ping", transfers=(packet,), clock={"h1": 1}, environment=True),
        StepView(
            2, "s1", "packets", "s1: to the controller", "", "h1 > h2 ping", (), (asks,), (1,), {"h1": 1, "s1": 1}
        ),
        StepView(
            *(3, "controller", "handle", "controller: handle PacketIn", "controller: handle PacketIn of s1 in full"),
            transfers=(adds, floods),
            causes=(2,),
            clock={"h1": 1, "s1": 1, "controller": 1},
            code=(CODE,),
            changes={"controller": (StateLine("mac_to_port", "h1: port 1"),)},
        ),
        StepView(
            *(4, "s1", "of", "s1: FlowMod add"),
            effects=("replaced an entry",),
            causes=(2, 3),
            changes={"s1": (StateLine("flow table", "entry one"), StateLine("flow table", "entry three"))},
        ),
        StepView(5, "s2", "fail", "link s1-s2 goes down", wires=down, environment=True),
    )
    initial = {"s1": (StateLine("flow table", "entry one"), StateLine("flow table", "entry two"))}
    orderings = (
        OrderingView(2, 4, "step 4 could come first; this removes the trace", True, True),
        OrderingView(1, 5, "in any order", False),
    )
    trace = TraceView(LANES, steps, WIRES, initial, orderings, (2, 4), "shortest counterexample, 5 steps")
    first = FindingView(
        "NoBlackHoles", "packet A never reached h2", trace, (("cause", "a race"),), "app.py", 11, "a.json"
    )
    asked = replace(steps[1], transfers=(replace(asks, taken=None),))
    second = FindingView("NoLoops", "packet A came back", TraceView(LANES, (steps[0], asked), WIRES), known=True)
    third = FindingView("NoTrace", "a finding without a path")
    return ResultView(
        *(kind, "sample", "violated", "VIOLATED NoBlackHoles: packet A never reached h2"),
        ("NoBlackHoles", "NoLoops"),
        (first, second, third),
        (("searched", "10 states"), ("not tried", "moves (--move)")),
        1.5,
        "1.0",
    )


def holds_view() -> ResultView:
    return ResultView(
        "check", "green", "holds", "HOLDS 10 states", ("NoLoops",), (), (("not tried", "moves"),), 0.1, "1.0"
    )


def crosscheck_view() -> ResultView:
    """Two inputs; the agents answer the second one differently."""
    lanes = (LaneView("test", "environment"), LaneView("old", "agent"), LaneView("new", "agent"))
    hello = [TransferView(lane, "Hello", "openflow", 2 + n) for n, lane in enumerate(("old", "new"))]
    steps = (
        StepView(1, "test", "send", "Hello", transfers=tuple(hello), environment=True),
        StepView(2, "old", "answer", "old: Hello", causes=(1,)),
        StepView(3, "new", "answer", "new: Hello", causes=(1,)),
        StepView(4, "test", "wait", "one second passes", causes=(2, 3), environment=True),
        StepView(5, "old", "answer", "old: crashes; is gone", effects=("crashes",), causes=(4,)),
        StepView(6, "new", "answer", "new: nothing", causes=(4,)),
    )
    finding = FindingView("hello", "old crashes, new does nothing", TraceView(lanes, steps, marked=(5, 6)))
    return ResultView("crosscheck", "old and new", "violated", "DIFFER old and new: 1 root cause", (), (finding,))


def long_view(length: int, entries: int = 12) -> ResultView:
    """A packet that goes to and fro: every step takes what the one before sent, and changes a table of many entries."""
    table = [StateLine("flow table", f"entry {number}") for number in range(entries)]
    lanes = [lane.name for lane in LANES]
    initial = {name: tuple(table) for name in lanes}
    clock = dict.fromkeys(lanes, 0)
    steps = []
    for number in range(1, length + 1):
        lane, following = lanes[number % 5], lanes[(number + 1) % 5]
        clock = {**clock, lane: clock[lane] + 1}
        table = [*table[:5], StateLine("flow table", f"entry {number} of {lane}"), *table[6:]]
        taken = number + 1 if number < length else None
        sent = TransferView(
            following, f"message {number}", "packet", taken, f"message {number} in full", f"P{number % 7}"
        )
        steps.append(
            StepView(
                *(number, lane, "handle", f"{lane}: step {number} of many, with words that take some room in a row"),
                transfers=(sent,),
                causes=(number - 1,) if number > 1 else (),
                clock=clock,
                code=(CODE,) if number % 3 == 0 else (),
                changes={lane: tuple(table)},
            )
        )
    trace = TraceView(LANES, tuple(steps), WIRES, initial)
    finding = FindingView("NoLoops", "packet P1 goes to and fro", trace)
    return ResultView(
        "check", "long", "violated", "VIOLATED NoLoops: packet P1 goes to and fro", ("NoLoops",), (finding,)
    )


HOSTILE = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "<!--<script>window.pwned = 3//",
    '"><img src=x onerror="window.pwned = 4">',
    "'><svg/onload=window.pwned=5>",
    "javascript:window.pwned=6",
    "]]>&lt;b&gt;\u2028window.pwned = 7\u2029\u0000",
    "</title></style><iframe srcdoc='<script>top.pwned = 8</script>'>",
    "right to left: \u202egnol\u202c \u200f!",
    "${window.pwned = 9} `${1}` {{constructor.constructor('window.pwned = 10')()}}",
    "\ud800 a lone surrogate",
    "__proto__",
    "constructor",
)


def hostile_view(text: str) -> ResultView:
    """The text in every place that has a text."""
    lanes = (LaneView(text, "host"), LaneView(f"{text} 2", "controller"), LaneView("s1", "switch"))
    code = CodeView(text, text, 1, (text, text), (2,))
    sent = TransferView(
        lanes[1].name, text, "openflow", 2, f"{text} long", text, text, text, text.encode("utf-8", "replace")
    )
    wires = (WireView(text, text, "s1", text), WireView(lanes[1].name, text, "s1", text, control=True))
    changes = {text: (StateLine(text, text),), lanes[1].name: (StateLine(text, f"{text} new"),)}
    steps = (
        StepView(
            1, text, text, text, f"{text} long", text, (text,), (sent,), (), {text: 1}, (code,), changes, wires, True
        ),
        StepView(2, lanes[1].name, text, text, causes=(1,), clock={text: 1, lanes[1].name: 1}),
    )
    trace = TraceView(
        lanes, steps, wires, {text: (StateLine(text, "old"),)}, (OrderingView(1, 2, text, True),), (1,), text
    )
    finding = FindingView(text, text, trace, ((text, text),), text, 3, text)
    return ResultView("check", text, "violated", text, (text,), (finding, finding), ((text, text),), 0.5, text)
