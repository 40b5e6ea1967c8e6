"""`sdnloom doctor` as JSON."""

from dataclasses import asdict

from sdnloom.report.doctor.machine import Machine
from sdnloom.report.json_text import json_text


def doctor_json(machine: Machine) -> str:
    """The examination as one object; `parts` has a row for each library, program and ability."""
    return json_text({"schema": "sdnloom-doctor-1", "works": machine.works, **asdict(machine)})
