"""Recognises code that was written for Python 2, and says how it is ported.

A sign is looked for only after Python 3 has refused something: the line of a syntax error, a module, a name or an
attribute that is missing. So code that Python 3 runs is never called Python 2.
"""

import ast
import re
import shlex
import warnings
from pathlib import Path

PAGE = "docs/python2.md"
# Of a line without the contents of its texts and without its comment.
_SYNTAX = {
    r"(?:^|[:;])\s*print(?:\s*>>|\s*\"\"|\s+(?![=(.,)\]:])\S)": "a print statement",
    r"(?:^|[:;])\s*exec(?:\s*\"\"|\s+[^=(\s])": "an exec statement",
    r"\bexcept\b[^:]*,\s*\w+\s*:": "`except Kind, name`",
    r"\braise\s+[\w.]+\s*,": "`raise Kind, value`",
    r"`": "backticks",
    r"<>": "`<>`",
    r"(?<![\w.])0\d+\b": "an octal number without 0o",
    r"(?<![\w.])(?:0[xX][\da-fA-F]+|\d+)[lL]\b": "a long number",
    r"\b[uU][rR]\"\"": 'a text with the prefix ur""',
    r"\bdef\s+\w+\s*\((?:[^()]*,)?\s*\(|\blambda\b(?:[^:(]*,)?\s*\(": "a tuple among the parameters",
}
_TEXTS = re.compile(r"('''|\"\"\"|'|\")(?:\\.|(?!\1).)*(?:\1|$)")
_MODULES = (
    "BaseHTTPServer CGIHTTPServer ConfigParser Cookie Dialog DocXMLRPCServer FileDialog HTMLParser Queue ScrolledText "
    "SimpleDialog SimpleHTTPServer SimpleXMLRPCServer SocketServer StringIO Tix Tkconstants Tkdnd Tkinter UserDict "
    "UserList UserString __builtin__ anydbm cPickle cStringIO commands cookielib copy_reg dbhash dumbdbm dummy_thread "
    "exceptions gdbm htmlentitydefs httplib md5 popen2 robotparser sets sha thread tkFileDialog tkMessageBox ttk "
    "urllib2 urlparse whichdb xmlrpclib"
)
_NAMES = (
    "StandardError apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode "
    "xrange"
)
_ATTRIBUTES = {
    "dict": "has_key iteritems iterkeys itervalues viewitems viewkeys viewvalues",
    "str": "decode",
    "itertools": "izip izip_longest imap ifilter ifilterfalse",
    "string": "letters lowercase uppercase maketrans join split replace atoi lower upper strip",
    "sys": "maxint setdefaultencoding exc_clear",
    "os": "getcwdu popen2 popen3",
    "urllib": "urlopen urlencode quote unquote urlretrieve quote_plus",
    "types": "StringType StringTypes IntType ListType DictType TupleType UnicodeType LongType",
    "function": "func_name func_code func_defaults",
}
CANNOT_IMPORT = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


def python2_sign(error: BaseException) -> str | None:
    """Return what shows that an error comes from code for Python 2, in words; None if nothing does."""
    match error:
        case SyntaxError():
            return _syntax_sign(error)
        case ModuleNotFoundError():
            return f"the module {error.name}" if error.name in _MODULES.split() else None
        case ImportError():
            found = CANNOT_IMPORT.search(str(error))
            return _attribute_sign(found[2], found[1]) if found else None
        case NameError():
            return f"the name {error.name}" if error.name in _NAMES.split() else None
        case AttributeError():
            holder = getattr(error.obj, "__name__", "") if _is_module(error.obj) else type(error.obj).__name__
            if error.name == "next" and hasattr(error.obj, "__next__"):
                return "the method next"
            return _attribute_sign(holder, str(error.name))
        case TypeError() if "print(<message>, file=<output_stream>)" in str(error):
            return "a print statement"
    return None


def _is_module(value: object) -> bool:
    return type(value).__name__ == "module"


def _attribute_sign(holder: str, name: str) -> str | None:
    return f"{holder}.{name}" if name in _ATTRIBUTES.get(holder, "").split() else None


def _syntax_sign(error: SyntaxError) -> str | None:
    try:
        source = Path(error.filename or "").read_bytes()
    except OSError:
        return None
    if isinstance(error, IndentationError):
        # Python 2 takes a tab as far as the next multiple of eight columns.
        return "tabs and spaces mixed" if b"\t" in source and not _is_badly_indented(source.expandtabs(8)) else None
    lines = source.decode(errors="replace").splitlines()
    line = lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else ""
    bare = _TEXTS.sub('""', line).partition("#")[0]
    return next((sign for pattern, sign in _SYNTAX.items() if re.search(pattern, bare)), None)


def _is_badly_indented(source: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except IndentationError:
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return False


def port_advice(sign: str, file: str) -> str:
    """Return the rest of a message about a file for Python 2: the sign, and the commands that port the file."""
    path = Path(file)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    old, new = (shlex.quote(str(each)) for each in (shown, shown.with_name(f"{path.stem}_py3.py")))
    return (
        f"written for Python 2 ({sign}); port it: pip install fissix, then "
        f"expand -i {old} > {new} && python -m fissix -w -n {new} ({PAGE})"
    )
