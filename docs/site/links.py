"""Links of the built site: those that lead nowhere, and what pages would load from elsewhere."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script", "img", "iframe", "source", "video", "audio", "embed", "object"}
UNCHECKED = {"lab"}
"""Folders whose pages another program wrote, with links that it resolves itself."""


class _Page(HTMLParser):
    """The ids of a page, its links, and what it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        known = {key: value or "" for key, value in attrs}
        self.ids.update(known[key] for key in ("id", "name") if key in known)
        target = known.get("href") or known.get("src") or known.get("data")
        if not target or known.get("rel") in {"canonical", "index", "search"}:
            return
        self.links.add(target)
        if tag in LOADED or (tag == "link" and known.get("rel") in {"stylesheet", "icon"}):
            self.loads.add(target)


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def broken(folder: Path) -> list[str]:
    """List the links of all pages in a folder that lead nowhere within it, and foreign loads."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder)
        if name.parts[0] in UNCHECKED:
            continue
        for target in sorted(_read(path).links):
            if wrong := _wrong(path, target, folder):
                found[wrong].append(name.as_posix())
    return [f"{', '.join(pages[:3])}: {wrong}" for wrong, pages in found.items()]


def _wrong(path: Path, target: str, folder: Path) -> str:
    """Return what is wrong with a link, or nothing."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return (
            f"loads {target}" if target in _read(path).loads - {"data:,"} and parts.netloc else ""
        )
    where = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not where.is_relative_to(folder.resolve()) and parts.path:
        return f"{target} leads out of the site"
    if where.is_dir():
        return f"{target} is a folder, which opens in no browser without a server"
    if not where.exists():
        return f"{target} is not there"
    anchor = unquote(parts.fragment)
    if anchor and where.suffix == ".html" and anchor not in _read(where).ids:
        return f"{target} has no place of that name"
    return ""
