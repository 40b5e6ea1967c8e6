"""A group of commands that says which one was meant, perhaps, when there is none of the given name."""

import click

from sdnloom.errors import did_you_mean


class CommandGroup(click.Group):
    """A group of commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            word = args[0][:40]
            ctx.fail(f"there is no command {word!r}; expected one of {', '.join(known)}{did_you_mean(word, known)}")
        return super().resolve_command(ctx, args)
