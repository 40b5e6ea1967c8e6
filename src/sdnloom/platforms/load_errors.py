"""One message for each reason why code of a program cannot be loaded: which line asked for what, and what to do."""

import shlex
import sys
import traceback
from pathlib import Path

from sdnloom.platforms.handler_errors import own_line
from sdnloom.platforms.process.process import NoCommandError
from sdnloom.platforms.python2 import CANNOT_IMPORT, port_advice, python2_sign

FRAMEWORKS = frozenset({"ryu", "os_ken"})

# Packages whose modules have other names; for all others the name of the module is that of the package.
_PACKAGES = {
    "Crypto": "pycryptodome",
    "OpenSSL": "pyOpenSSL",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dns": "dnspython",
    "dotenv": "python-dotenv",
    "git": "GitPython",
    "google.protobuf": "protobuf",
    "jwt": "PyJWT",
    "mysql": "mysql-connector-python",
    "nacl": "PyNaCl",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
    "MySQLdb": "mysqlclient",
    "attr": "attrs",
    "psycopg2": "psycopg2-binary",
    "pkg_resources": "setuptools<81",
}
RYU_APPS = "expected a source tree of Ryu in the path (--path), see docs/apps.md"


def load_message(error: BaseException, own: frozenset[str], what: str) -> str:
    """Return the message for an error of the program's code; `own` are its files, `what` was being done."""
    place = own_line(error, own)
    file, line = (error.filename, error.lineno or 1) if isinstance(error, SyntaxError) else place or ("", 0)
    where = f"{Path(file).name}:{line}: " if file else ""
    sign = python2_sign(error)
    if sign is not None and file:
        return f"{where}{port_advice(sign, str(file))}"
    match error:
        case SyntaxError():
            return f"{error.filename}:{error.lineno or 1}: not Python: {error.msg}"
        case ModuleNotFoundError() if error.name:
            return f"{where}needs the module {error.name!r}, {_missing_module(error.name, own)}"
        case NoCommandError():
            return f"{where}runs the command {error.filename!r}; expected no other process, or code that does without"
        case FileNotFoundError() if isinstance(error.filename, str):
            return f"{where}needs the file {error.filename!r}, {_missing_file(error.filename, own)}"
        case ImportError() if (found := CANNOT_IMPORT.search(str(error))) and found[2].partition(".")[0] in FRAMEWORKS:
            return f"{where}needs {found[1]!r} of {found[2]}, {_missing_module(f'{found[2]}.{found[1]}', own)}"
        case KeyError() if _raised_in(error) == "os":
            name = error.args[0]
            return f"{where}needs the environment variable {name}; expected it to be set: --env {name}=VALUE"
        case KeyError() if (contexts := _contexts(error)) is not None:
            has = ", ".join(map(repr, contexts)) or "none"
            return (
                f"{where}needs the context {error.args[0]!r}, and the apps have {has}; expected it in _CONTEXTS of "
                "this app, or of one that runs beside it"
            )
    text = f"{where}{what} raised {type(error).__name__}: {error}"
    if isinstance(error, AttributeError) and error.name == "RyuApp":
        text += "; os-ken calls it OSKenApp, and ryu.base.app_manager has RyuApp too"
    return " ".join(text.split())


def _missing_module(name: str, own: frozenset[str]) -> str:
    if name.startswith("ryu.app."):
        return f"which is one of Ryu's own apps; {RYU_APPS}"
    if name.partition(".")[0] in FRAMEWORKS:
        return "which os-ken does not have"
    if name in sys.stdlib_module_names:
        return f"which Python {sys.version_info.major}.{sys.version_info.minor} does not have here"
    if "." in name and any(name.partition(".")[0] in Path(file).parent.parts for file in own):
        return "which its package does not have"
    known = next((each for each in _PACKAGES if f"{name}.".startswith(f"{each}.")), None)
    package = _PACKAGES[known] if known else name.partition(".")[0]
    return f"which is not installed; expected it on --path, or: pip install {shlex.quote(package)}"


def _missing_file(name: str, own: frozenset[str]) -> str:
    if Path(name).is_absolute():
        return "which does not exist"
    here = Path.cwd()
    folders = sorted({Path(each).parent for each in own} - {here})
    found = next((folder for folder in folders if (folder / name).exists()), None)
    advice = f"; run sdnloom where it is: cd {shlex.quote(str(found))}" if found else ""
    return f"which is not in the current folder {here}{advice}"


def _contexts(error: KeyError) -> list[str] | None:
    """Return the contexts of the apps if a constructor has asked for another one."""
    frame = next((frame for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__)))), None)
    given = frame.f_locals.get("kwargs") if frame is not None and frame.f_code.co_name == "__init__" else None
    return list(given) if isinstance(given, dict) and error.args[0] not in given else None


def _raised_in(error: BaseException) -> str:
    """Return the name of the module that raised an error."""
    frames = list(traceback.walk_tb(error.__traceback__))
    return str(frames[-1][0].f_globals.get("__name__")) if frames else ""
