"""`sdnloom doctor` as text: the answer first, then one line for each part."""

from sdnloom.report.doctor.machine import Machine, MachinePart

_WORDS = {"found": "ok", "missing": "missing", "unusable": "problem"}


def doctor_text(machine: Machine) -> str:
    """The examination as text."""
    answer = "READY" if machine.works else "NOT READY"
    memory = "" if machine.free_memory is None else f", {machine.free_memory / (1 << 30):.1f} GiB of memory free"
    cores = "1 core" if machine.cores == 1 else f"{machine.cores} cores"
    lines = [f"{answer} sdnloom {machine.sdnloom}, Python {machine.python}, {machine.system}, {cores}{memory}"]
    lines += ["", "needed:", *(_line(part) for part in machine.parts if part.required)]
    lines += ["", "for more:", *(_line(part) for part in machine.parts if not part.required)]
    todo = [part for part in machine.parts if part.state != "found" and part.advice]
    if todo:
        lines += ["", "to get what is not there:", *(f"  {part.name}: {part.advice}" for part in todo)]
    return "\n".join(lines) + "\n"


def _line(part: MachinePart) -> str:
    return f"  {_WORDS[part.state]:<8} {f'{part.name} {part.detail}'.strip():<34} {part.serves}"
