"""The style sheet of HTML reports."""

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6577; --paper: #fff; --card: #f6f7f9; --line: #d7dce4;
  --differ: #b3261e; --differ-paper: #fdecea; --agree: #1b6e3c; --agree-paper: #e7f5ec; --incomplete: #8a5a00;
  --incomplete-paper: #fff4dc; --link: #1a56c4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ef; --soft: #9aa5b8; --paper: #14181f; --card: #1d232d;
  --line: #333c4a; --differ: #ff8a80; --differ-paper: #3a1b1a; --agree: #7ddc9f; --agree-paper: #15301f;
  --incomplete: #f2c265; --incomplete-paper: #33280f; --link: #8ab4ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; overflow-wrap: anywhere; } h1 em { font-style: normal; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
a { color: var(--link); } a.number { color: var(--soft); text-decoration: none; margin-right: .4rem; }
.verdict { color: var(--soft); } .difference { margin: .25rem 0 .75rem; }
.badge { display: inline-block; padding: .1rem .55rem; border-radius: .3rem; font-weight: 650; letter-spacing: .03em; }
.differ { color: var(--differ); } .agree { color: var(--agree); } .incomplete { color: var(--incomplete); }
.badge.differ, td.differ { background: var(--differ-paper); } .badge.agree, td.agree { background: var(--agree-paper); }
.badge.incomplete, td.incomplete, .note { background: var(--incomplete-paper); }
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
tr.differs > td { border-left: 3px solid var(--differ); padding-left: .5rem; }
tr.differs > td + td { border-left: 0; padding-left: 0; }
td.figure { font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--soft); } details details { font-size: .85em; }
@media print { main { max-width: none; padding: 0; } html { font-size: 11px; } body { font-size: 1rem; }
  tr, h3, .difference, .caption { break-inside: avoid; } h3, .difference, .caption { break-after: avoid; }
  table.steps { min-width: 0; } a { color: inherit; text-decoration: none; } }
"""
