"""`sdnloom crosscheck tests`: the built-in tests."""

import click

from sdnloom.cli.options.format_option import format_option
from sdnloom.crosscheck.test_document import built_in_tests, load_test
from sdnloom.report.formats import render


@click.command("tests")
@format_option("crosscheck tests")
def command(form: str) -> int:
    """List the built-in tests with what they are for. Each name can be given as --test."""
    tests = [load_test(name) for name in built_in_tests()]
    click.echo(render("crosscheck tests", form, tests), nl=False)
    return 0
