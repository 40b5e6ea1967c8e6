"""Where the process of a worker of a cluster loads a scenario."""

import os
from collections.abc import Callable

from sdnloom.check.scenario import Scenario
from sdnloom.errors import SdnloomError


def load_in(folder: str, load: Callable[[], Scenario]) -> Scenario:
    """What `load` gives in a folder, which becomes the current one, so that names of files mean there what they meant.

    Without that folder it is called where the process is: files with absolute names are found all the same.
    """
    there = True
    try:
        os.chdir(folder)
    except OSError:
        there = False
    try:
        return load()
    except SdnloomError as error:
        if there:
            raise
        raise SdnloomError(
            f"{error}; the folder {folder!r} is not on the machine of a worker: expected the files of the scenario "
            "under the same path on every machine"
        ) from error
