"""A temporary folder that goes away with this process, also if that is killed, and with it those who work there."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

_LONG: Final = 60
# Waits for the end of its input, which is that of this process. If the folder is still there then, this process was
# killed: processes that have the variable end, and the folder goes, in which others that end may still write.
_KEEPER: Final = """
while read -r line; do :; done
[ -d "$1" ] || exit 0
if [ -n "$2" ]; then
  for each in /proc/[0-9]*; do
    if tr '\\0' '\\n' <"$each/environ" | grep -qxF "$2=$1"; then kill -KILL "${each#/proc/}"; fi
  done
fi
tries=0
until rm -rf -- "$1" || [ "$tries" -ge 50 ]; do tries=$((tries + 1)); sleep 0.1; done
"""


class TemporaryFolder:
    """A new folder. Law: after `close`, or after the end of this process, it is gone.

    If this process is killed, those end, too, that have the folder in an environment variable of that name.
    """

    def __init__(self, prefix: str, variable: str = "") -> None:
        temporary = tempfile.gettempdir()
        # The name of a unix socket has at most 107 characters.
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=temporary if len(temporary) < _LONG else "/tmp"))
        try:
            self._keeper = subprocess.Popen(
                ["/bin/sh", "-c", _KEEPER, "sh", str(self.path), variable],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # the terminal's Ctrl-C is for this process
            )
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def close(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait()
