"""Loading of models and properties: JSON is RaceLoom's format, everything else the text format."""

from pathlib import Path

from sdnloom.races.language import raceloom_json, text_format
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.model import RaceModel
from sdnloom.races.language.properties import ForwardingProperty


def load_model(path: str | Path) -> RaceModel:
    """Return the model of a file."""
    text = _read(Path(path))
    return parse_model(text, Path(path).name)


def load_properties(path: str | Path, model: RaceModel | None = None) -> tuple[ForwardingProperty, ...]:
    """Return the properties of a file; those in the text format may use the policies that the model names."""
    text, name = _read(Path(path)), Path(path).name
    if _is_json(text):
        return raceloom_json.read_raceloom_properties(text, name)
    return text_format.read_text_properties(text, name, dict(model.policies) if model else {})


def parse_model(text: str, name: str = "<model>") -> RaceModel:
    """Return the model that a text describes, in either format."""
    return raceloom_json.read_raceloom_model(text, name) if _is_json(text) else text_format.read_text_model(text, name)


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DyNetkatError(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DyNetkatError(str(path), f"found byte {error.start}, expected UTF-8 text") from None
