"""The modules `time`, `datetime`, `random`, `uuid`, `secrets` and `functools` as a program under test sees them.

They are new module objects; the real ones do not change. A platform gives them to a program in two ways: `importer` for
its own import statements, `rebind` for modules that were imported before.
"""

import builtins
import datetime
import functools
import random
import secrets
import time
import types
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from sdnloom.platforms.sandbox import pure_lru_cache as substitutes
from sdnloom.platforms.sandbox.clock import EPOCH, SECOND, Clock, Draws

# Bound here, because names of the real module stand for those of the sandbox while a program runs.
_REAL_GMTIME, _REAL_ASCTIME, _REAL_STRFTIME = time.gmtime, time.asctime, time.strftime
UUID_NODE = 0x020000000001  # a locally administered address


def virtual_modules(clock: Clock, draws: Draws, sleep: Callable[[float], None]) -> dict[str, types.ModuleType]:
    """Return the modules by name."""
    return {
        "time": _changed(time, _time_names(clock, sleep)),
        "datetime": _changed(datetime, _datetime_names(clock)),
        "random": _changed(random, _random_names(draws)),
        "uuid": _changed(uuid, _uuid_names(clock, draws)),
        "secrets": _changed(secrets, _secrets_names(draws)),
        "functools": _changed(functools, {"lru_cache": substitutes.lru_cache, "cache": substitutes.cache}),
    }


def _changed(module: types.ModuleType, names: Mapping[str, Any]) -> types.ModuleType:
    made = types.ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    vars(made).update(names)
    return made


def _time_names(clock: Clock, sleep: Callable[[float], None]) -> dict[str, Any]:
    def now() -> float:
        return (EPOCH + clock.now) / SECOND

    def broken_down(seconds: float | None = None) -> time.struct_time:
        return _REAL_GMTIME(now() if seconds is None else seconds)  # the time zone is UTC on every machine

    def as_text(seconds: float | None = None) -> str:
        return _REAL_ASCTIME(broken_down(seconds))

    names: dict[str, Any] = {
        "time": now,
        "time_ns": lambda: EPOCH + clock.now,
        "localtime": broken_down,
        "gmtime": broken_down,
        "ctime": as_text,
        "asctime": lambda given=None: _REAL_ASCTIME(broken_down() if given is None else given),
        "strftime": lambda form, given=None: _REAL_STRFTIME(form, broken_down() if given is None else given),
        "sleep": sleep,
        "timezone": 0,
        "altzone": 0,
        "daylight": 0,
        "tzname": ("UTC", "UTC"),
    }
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        names[name] = clock.seconds
        names[f"{name}_ns"] = lambda: clock.now
    return names


class _Like(type):
    """Metaclass: instances of the real class are instances of the fake one."""

    real: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.real)


def _datetime_names(clock: Clock) -> dict[str, Any]:
    zero = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

    def moment(zone: datetime.tzinfo | None) -> datetime.datetime:
        found = zero + datetime.timedelta(microseconds=(EPOCH + clock.now) // 1000)
        return found.replace(tzinfo=None) if zone is None else found.astimezone(zone)

    def now(cls: type, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return moment(tz)

    def today(cls: type) -> datetime.date:
        return moment(None).date()

    found: dict[str, Any] = {}
    for name, real, methods in (
        ("datetime", datetime.datetime, {"now": now, "today": now, "utcnow": lambda cls: moment(None)}),
        ("date", datetime.date, {"today": today}),
    ):
        body = {key: classmethod(each) for key, each in methods.items()}
        kind = _Like(name, (real,), {"__slots__": (), "__module__": "datetime", "real": real, **body})
        found[name] = kind
    return found


def _random_names(draws: Draws) -> dict[str, Any]:
    names: dict[str, Any] = {
        name: getattr(draws, name)
        for name, each in vars(random).items()
        if isinstance(each, types.MethodType | types.BuiltinMethodType)
        and isinstance(each.__self__, random.Random)
        and hasattr(draws, name)
    }
    # Python seeds such a generator from the system; here each gets its own reproducible seed.
    names["Random"] = Draws
    names["SystemRandom"] = lambda *seed: draws
    names["_inst"] = draws
    return names


def _uuid_names(clock: Clock, draws: Draws) -> dict[str, Any]:
    def uuid4() -> uuid.UUID:
        return uuid.UUID(int=draws.getrandbits(128), version=4)

    def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
        ticks = (EPOCH + clock.now) // 100 + 0x01B21DD213814000  # 100 ns since 1582-10-15, as RFC 4122 counts
        sequence = draws.getrandbits(14) if clock_seq is None else clock_seq
        fields = (ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0x0FFF, sequence >> 8 & 0x3F, sequence & 0xFF)
        return uuid.UUID(fields=(*fields, UUID_NODE if node is None else node), version=1)

    return {"uuid1": uuid1, "uuid4": uuid4, "getnode": lambda: UUID_NODE}


def _secrets_names(draws: Draws) -> dict[str, Any]:
    def token_bytes(nbytes: int | None = None) -> bytes:
        size = 32 if nbytes is None else nbytes
        return draws.getrandbits(8 * size).to_bytes(size, "big")

    return {
        "token_bytes": token_bytes,
        "token_hex": lambda nbytes=None: token_bytes(nbytes).hex(),
        "randbits": draws.getrandbits,
        "randbelow": draws.randrange,
        "choice": draws.choice,
        "SystemRandom": lambda *seed: draws,
    }


def changed_names(module: types.ModuleType, real: types.ModuleType) -> dict[str, Any]:
    """Return the names of a fake module whose values differ from those of the real one."""
    return {name: each for name, each in vars(module).items() if vars(real).get(name) is not each and name[:2] != "__"}


def rebind(namespace: dict[str, Any], modules: Mapping[str, types.ModuleType]) -> tuple[str, ...]:
    """Rebind the names of a namespace that refer to a real object to the fake one; return those names."""
    twins = {id(each): modules[name] for name, each in _real().items() if name in modules}
    for name, module in modules.items():
        real = vars(_real()[name])
        for key, each in vars(module).items():
            if key in real and real[key] is not each and not key.startswith("_") and callable(each):
                twins[id(real[key])] = each
    changed = [name for name, each in namespace.items() if id(each) in twins]
    for name in changed:
        namespace[name] = twins[id(namespace[name])]
    return tuple(changed)


def _real() -> dict[str, types.ModuleType]:
    return {each.__name__: each for each in (time, datetime, random, uuid, secrets, functools)}


def importer(
    modules: Mapping[str, types.ModuleType], imported: Callable[[str, Any], None] = lambda name, fromlist: None
) -> Callable[..., Any]:
    """Return an `__import__` that finds the fake modules; a program gets it through its `__builtins__`.

    `imported` is called with the name of each other module, and the names that are taken from it.
    """

    def find(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and name in modules:
            return modules[name]
        found = builtins.__import__(name, globals, locals, fromlist, level)
        if level == 0:
            imported(name, fromlist)
            if not fromlist and found.__name__ in modules:  # `import os.path`
                return modules[found.__name__]
        return found

    return find
