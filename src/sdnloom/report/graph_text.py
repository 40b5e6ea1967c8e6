"""Text inside of graphs: what Graphviz and mermaid would read as markup is escaped."""

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
# Mermaid reads #name; entities; a plain quote or bracket would end the label.
_MERMAID = {"#": "#35;", "&": "#amp;", "<": "#lt;", ">": "#gt;", '"': "#quot;", "|": "#124;"}


def graphviz_html(text: str) -> str:
    """Text in an HTML label of Graphviz."""
    return "".join(_HTML.get(char, char) for char in text)


def mermaid_text(text: str) -> str:
    """Text in a quoted label of mermaid."""
    return "".join(_MERMAID.get(char, char) for char in text)
