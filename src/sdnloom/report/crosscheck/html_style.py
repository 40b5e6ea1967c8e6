"""The style sheet of the overview of a crosscheck: its tables in the colours of all pages."""

from typing import Final

from sdnloom.report.page.page import palette

_RULES: Final = """
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; overflow-wrap: anywhere; } h1 em { font-style: normal; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
a { color: var(--accent); } a.number { color: var(--soft); text-decoration: none; margin-right: .4rem; }
.verdict { color: var(--soft); } .difference { margin: .25rem 0 .75rem; }
.badge { display: inline-block; padding: .1rem .55rem; border-radius: .3rem; font-weight: 650; letter-spacing: .03em;
  margin-right: .4rem; }
.differ { color: var(--bad); } .agree { color: var(--good); } .incomplete { color: var(--warn); }
.badge.differ, td.differ { background: var(--bad-paper); } .badge.agree, td.agree { background: var(--good-paper); }
.badge.incomplete, td.incomplete, .note { background: var(--warn-paper); }
td.differ a, td.agree a, td.incomplete a { color: inherit; }
.note { padding: .5rem 1rem; border-radius: .4rem; } .note p, .note ul { margin: .2rem 0; overflow-wrap: anywhere; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.1rem;
  margin: 1rem 0; }
article > p:last-child { margin-bottom: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .92rem; }
.caption { color: var(--soft); margin: .5rem 0 0; } .caption + table { margin-top: 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; } tbody th { font-weight: 500; }
table.steps { width: 100%; table-layout: fixed; min-width: 40rem; } .matrix td, .matrix th { padding: .35rem .7rem; }
tr.differs > td { border-left: 3px solid var(--bad); padding-left: .5rem; }
tr.differs > td + td { border-left: 0; background: var(--bad-paper); } table.steps :is(th, td) { padding-left: .6rem; }
.scroll > table:not(.steps) td { min-width: 3.5rem; }
@media (max-width: 640px) { table.steps { min-width: 0; } article { padding: .8rem .7rem; } }
td.figure { font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--soft); } details details { font-size: .85em; }
@media print { main { max-width: none; padding: 0; } html { font-size: 11px; } body { font-size: 1rem; }
  tr, h3, .difference, .caption { break-inside: avoid; } h3, .difference, .caption { break-after: avoid; }
  table.steps { min-width: 0; } a { color: inherit; text-decoration: none; } }
"""


def overview_style() -> str:
    """The whole style sheet."""
    return palette() + _RULES
