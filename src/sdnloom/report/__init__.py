"""Reports: pure functions from results to text, registered in `formats`; `report/<command>/<format>.py` each."""
