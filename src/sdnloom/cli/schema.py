"""`sdnloom schema`: print a published JSON schema, for editors and for programs that read our files."""

from pathlib import Path

import click

from sdnloom.report.json_text import json_text
from sdnloom.report.schemas import json_schema, schema_names


@click.command("schema")
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the schema to this file instead of printing it.",
)
def command(name: str | None, output: Path | None) -> int:
    """Print the JSON schema of that name; without NAME, list the names.

    `scenario` is the schema of scenario files. An editor that knows TOML and JSON schemas completes and checks keys if
    the file begins with a line such as "#:schema sdnloom-scenario.json". `scenario-part` is for files that scenarios
    include; the others describe what sdnloom writes.

    Exit code: 0, or 2 for bad input.
    """
    if name is None:
        if output is not None:
            raise click.UsageError(f"-o {output} is given without NAME; expected one of {', '.join(schema_names())}")
        click.echo("\n".join(schema_names()))
        return 0
    text = json_text(json_schema(name))
    if output is None:
        click.echo(text, nl=False)
        return 0
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"-o {output}: cannot write the schema: {error.strerror}") from error
    return 0
