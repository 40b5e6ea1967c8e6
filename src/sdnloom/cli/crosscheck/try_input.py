"""`sdnloom crosscheck try`: the input of a witness file on one agent, step by step."""

from pathlib import Path

import click

from sdnloom.cli.crosscheck.options import CrosscheckOptionError, labelled_agent, write_file
from sdnloom.cli.options.format_option import format_option
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.recorded_agent import RecordedAgent
from sdnloom.crosscheck.run import check_versions
from sdnloom.crosscheck.witness_file import read_witness
from sdnloom.report.crosscheck.pcapng import exchange_pcapng
from sdnloom.report.crosscheck.try_text import TriedWitness
from sdnloom.report.formats import render


@click.command("try")
@click.argument("witness", type=click.Path(path_type=Path))
@click.argument("agent")
@click.option("--like", metavar="NAME", help="Agent of the witness file that AGENT is compared with (see above).")
@click.option("--pcap", type=click.Path(path_type=Path), metavar="FILE", help="Write the exchange for Wireshark.")
@format_option("crosscheck try")
def command(witness: Path, agent: str, like: str | None, pcap: Path | None, form: str) -> int:
    """Give AGENT the input of WITNESS, print what it does step by step, and compare that with what the file says.

    Compared is with the agent of --like; without it with AGENT itself if the file has it, else with any of its agents.

    Exit code: 0 it did the same, 1 it did something else, 2 bad input.
    """
    read, source = read_witness(witness), labelled_agent(agent).source
    if like is not None and like not in read.agents:
        raise CrosscheckOptionError(f"--like {like}: the file has {', '.join(read.agents)}; expected one of these")
    check_versions([source], [read.test])
    with source.open(read.test.version) as opened:
        recorded = RecordedAgent(opened)
        output = run_case(recorded, read.test.case(read.case), read.test.version, read.values)
    if pcap is not None:
        write_file(pcap, exchange_pcapng(recorded.exchange, f"{read.condition}; agent {source.name}"))
    tried = TriedWitness(read, source.name, output, like or (source.name if source.name in read.agents else None))
    click.echo(render("crosscheck try", form, tried), nl=False)
    return 0 if tried.same else 1
