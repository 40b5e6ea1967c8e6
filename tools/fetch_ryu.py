"""Fetch the example apps of Ryu 4.34, as they were published, into a folder of this checkout.

    python tools/fetch_ryu.py FOLDER

pip gets the source archive, so that its own configuration says from where, and checks the pinned hash. Nothing of the
archive runs: its build breaks on today's setuptools, and pip asks every source archive for its metadata even when it
is only to be downloaded. A stand-in for setuptools answers that question. If the folder is there, nothing is done.
"""

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PIN = ("ryu", "4.34", "a31041eb53aee0c36ca428645ad2607163ca5e1390f5a3d6ef2025b7829ce93e")
WANTED = ("LICENSE", "ryu/__init__.py", "ryu/app/")
BACKEND = """
from pathlib import Path

class __legacy__:
    @staticmethod
    def get_requires_for_build_wheel(config_settings=None):
        return []

    @staticmethod
    def prepare_metadata_for_build_wheel(folder, config_settings=None):
        found = Path(folder, "{name}-{version}.dist-info")
        found.mkdir()
        (found / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
        return found.name
"""


def fetch(folder: Path) -> None:
    """Put the wanted files of the archive into the folder, all of them or none."""
    folder = folder.resolve()  # pip works elsewhere
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}.") as work:
        archive = download(Path(work))
        unpacked = Path(work, "unpacked")
        unpack(archive, unpacked)
        try:
            unpacked.rename(folder)  # in one step: what is there is whole
        except OSError:
            if not folder.is_dir():  # otherwise somebody else was faster
                raise


def download(work: Path) -> Path:
    """Return the source archive, downloaded by pip into a new folder under `work`."""
    name, version, digest = PIN
    backend = work / "backend" / "setuptools" / "build_meta.py"
    backend.parent.mkdir(parents=True)
    (backend.parent / "__init__.py").touch()
    backend.write_text(BACKEND.format(name=name, version=version))
    wanted = work / "requirements.txt"
    wanted.write_text(f"{name}=={version} --hash=sha256:{digest}\n")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-binary", name, "--require-hashes"]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, "--dest", str(work / "got"), "--requirement", str(wanted)],
        check=True,
        env={**os.environ, "PYTHONPATH": str(work / "backend")},
    )
    [archive] = (work / "got").iterdir()
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != digest:
        raise SystemExit(f"{archive.name}: sha256 is {found}; expected {digest}")
    return archive


def unpack(archive: Path, folder: Path) -> None:
    """Write the wanted files; links and anything outside the folder are refused by tarfile's data filter."""
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            _, _, inside = member.name.partition("/")
            if member.isfile() and inside.startswith(WANTED):
                tar.extract(member.replace(name=inside), folder, filter="data")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    try:
        fetch(Path(sys.argv[1]))
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"pip could not download {PIN[0]}=={PIN[1]} (exit code {error.returncode})") from None
