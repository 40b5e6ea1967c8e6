"""Links and anchors of the site, which differ from those of the files in the repository.

Some files outside of docs/ are pages. A link to any other file becomes its path as text: the site has no such file.
"""

import posixpath
import re

# File of the repository -> page of the site.
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "tests/README.md": "tests.md",
}
LINK = re.compile(r"\[((?:`[^`]*`|[^][])*)\]\(([^)\s]+)\)")


def github_anchor(heading: str, separator: str = "-") -> str:
    """The anchor that GitHub gives a heading, so that links work on both."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", separator)


def site_links(text: str, source: str) -> str:
    """The Markdown of a file of the repository, with links as its page needs them."""
    page = PAGES.get(source, source.removeprefix("docs/"))

    def link(found: re.Match[str]) -> str:
        label, target = found[1], found[2]
        if "://" in target or target.startswith("#"):
            return found[0]
        name, hash_sign, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
        place = PAGES.get(file) or (file.removeprefix("docs/") if file.startswith("docs/") else None)
        if place is None:
            return label if label.strip("`") == file else f"{label} (`{file}`)"
        return f"[{label}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{hash_sign}{anchor})"

    return LINK.sub(link, text)
