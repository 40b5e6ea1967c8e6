"""Numbers of things in words."""


def counted(count: int, noun: str) -> str:
    """A number of things: "1 step", "2 steps", "1,000 classes"."""
    if count != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith(("ry", "cy")) else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun}"
