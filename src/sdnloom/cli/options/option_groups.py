"""Commands whose `--help` lists options in groups; click has no such feature."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

OTHER = "Other options"


class GroupedCommand(click.Command):
    """A command whose options are listed below headings: `groups` maps a heading to names of parameters."""

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section per group; options without a group come last."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        records = {option.name: record for option in options if (record := option.get_help_record(ctx)) is not None}
        named = {name for names in self.groups.values() for name in names}
        rest = [str(name) for name in records if name not in named]
        for heading, names in (*self.groups.items(), (OTHER, rest)):
            rows = [records[name] for name in names if name in records]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
