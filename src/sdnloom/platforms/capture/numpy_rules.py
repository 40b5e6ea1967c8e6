"""Rules for objects of numpy: arrays, scalars, and generators of random numbers. numpy itself is not imported.

Arrays are restored in place. Limit: an array whose shape or type of elements was changed in place is not put back.
"""

import sys
from typing import Any

from sdnloom.platforms.capture.save_restore import Aspect, Aspects, Form


def numpy_aspects(kind: type) -> Aspects | None:
    """Return how objects of a type of numpy are captured; None for other types."""
    numpy = sys.modules.get("numpy")
    if numpy is None or kind.__module__.partition(".")[0] != "numpy":
        return None
    if issubclass(kind, numpy.ndarray):
        return (Aspect("array", Form.SEQUENCE, _save_array, _load_array),)
    if issubclass(kind, (numpy.generic, numpy.dtype)):
        return (Aspect("value", Form.TEXT, _text, None),)
    random = sys.modules.get("numpy.random")
    if random is not None and issubclass(kind, random.BitGenerator):
        return (Aspect("random", Form.SEQUENCE, lambda each: [each.state], _load_generator),)
    if random is not None and issubclass(kind, random.Generator):
        return (Aspect("random", Form.SEQUENCE, lambda each: [each.bit_generator], None),)
    if random is not None and issubclass(kind, random.RandomState):
        return (Aspect("random", Form.SEQUENCE, lambda each: [each.get_state(legacy=False)], _load_state),)
    return None


def _text(value: Any) -> str:
    return repr(value)


def _save_array(array: Any) -> list[Any]:
    kind = array.dtype.str if array.dtype.names is None else repr(array.dtype)
    content = array.ravel().tolist() if array.dtype.hasobject else array.tobytes()
    return [kind, array.shape, content]


def _load_array(array: Any, saved: list[Any]) -> None:
    if not array.flags.writeable:
        return
    if array.dtype.hasobject:
        for place, each in zip(sys.modules["numpy"].ndindex(array.shape), saved[2], strict=True):
            array[place] = each
    else:
        array[...] = sys.modules["numpy"].frombuffer(saved[2], array.dtype).reshape(saved[1])


def _load_generator(generator: Any, saved: list[Any]) -> None:
    generator.state = saved[0]


def _load_state(generator: Any, saved: list[Any]) -> None:
    generator.set_state(saved[0])
