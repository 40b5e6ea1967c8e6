"""MkDocs hook of the site: pages that are not in docs/, and links that leave docs/ (`site_links`).

README, ARCHITECTURE, CHANGELOG and tests/README become pages; the reference is made from the code; schemas are files of
the site.
"""

import json
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # MkDocs loads this file by its path

from sdnloom.report.schemas import json_schema, schema_names  # noqa: E402
from tools import reference  # noqa: E402
from tools.site_links import PAGES, github_anchor, site_links  # noqa: E402


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give headings the anchors that GitHub gives them."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = github_anchor
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    made = {page: site_links((ROOT / source).read_text(encoding="utf-8"), source) for source, page in PAGES.items()}
    made |= {f"reference/{name}.md": make() for name, make in reference.PAGES.items()}
    made |= {f"schemas/{name}.json": json.dumps(json_schema(name), indent=2) for name in schema_names()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Turn links of pages in docs/ that leave it."""
    in_docs = page.file.generated_by is None
    return site_links(markdown, f"docs/{page.file.src_uri}") if in_docs else markdown
