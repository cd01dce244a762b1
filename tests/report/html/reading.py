"""Pages read back: well-formed or not, their tables, and what a browser makes of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "br", "img", "hr", "input"}
MOST_BYTES = 1_000_000


@dataclass
class Cell:
    """A cell of a table: its text, and its exact number if it has one."""

    text: str = ""
    value: float | None = None
    header: bool = False
    scope: str = ""


@dataclass
class Read:
    """A table of a page."""

    caption: str = ""
    rows: list[list[Cell]] = field(default_factory=list)

    @property
    def head(self) -> list[str]:
        """The texts of its first row."""
        return [cell.text for cell in self.rows[0]]

    def values(self, *, units: bool = True) -> dict[str, dict[str, float]]:
        """The numbers of each row by the heads of their columns, with or without their units.

        Of two equal heads it is the last.
        """
        return {
            row[0].text: {
                head if units else head.partition(" (")[0]: cell.value
                for head, cell in zip(self.head, row, strict=True)
                if cell.value is not None
            }
            for row in self.rows[1:]
        }


class Reader(HTMLParser):
    """A page taken apart; AssertionError if an element is not closed, or an id is there twice."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.tables: dict[str, Read] = {}
        self.text = ""
        self.answer = ""
        self._table: Read | None = None
        self._cell: Cell | None = None
        self._answer = 0
        assert page.startswith("<!DOCTYPE html>\n")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", page)
        self.feed(page)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        known = dict(attrs)
        self.elements.add(tag)
        if (name := known.get("id")) is not None:
            assert name not in ("", *self.ids), f"{name} is there twice"
            self.ids.add(name)
        self.links += [str(known[key]) for key in ("href", "src", "xlink:href") if key in known]
        assert not [name for name in names if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)
        if known.get("id") == "answer":
            self._answer = len(self.open)
        if tag == "table":
            self._table = Read()
            name = str(known.get("id") or len(self.tables))
            self.tables[name.removeprefix("table-")] = self._table
        elif tag == "tr" and self._table is not None:
            self._table.rows.append([])
        elif tag in ("th", "td"):
            assert self._table is not None
            self._cell = Cell(header=tag == "th", scope=str(known.get("scope", "")))
            self._table.rows[-1].append(self._cell)
        elif tag == "data" and self._cell is not None:
            self._cell.value = float(str(known["value"]))

    def handle_endtag(self, tag: str) -> None:
        """Close an element, which must be the innermost."""
        assert self.open[-1:] == [tag], (tag, self.open)
        if len(self.open) == self._answer:
            self._answer = 0
        self.open.pop()
        if tag in ("th", "td"):
            self._cell = None
        elif tag == "table":
            self._table = None

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.text += data
        if self._answer:
            self.answer += data
        if self._cell is not None and "title" not in self.open:
            self._cell.text += data
        elif self._table is not None and "caption" in self.open:
            self._table.caption += data


def read(page: Path) -> Reader:
    """Read a page, and check what holds for every page."""
    content = page.read_bytes()
    assert len(content) < MOST_BYTES
    text = content.decode("utf-8")
    found = Reader(text)
    assert {"html", "head", "title", "style", "main", "h1"} <= found.elements
    assert not {"script", "iframe", "img", "object", "embed", "base", "form"} & found.elements
    for link in found.links:
        assert link == "data:," or (link.startswith("#") and link[1:] in found.ids), link
    loads = re.findall(r"url\(([^)]*)\)|@import", text)
    assert set(loads) <= {"#waiting"}
    for table in found.tables.values():
        assert table.caption
        assert all(cell.header and cell.scope == "col" for cell in table.rows[0])
        for row in table.rows[1:]:
            assert len(row) == len(table.rows[0])
            assert [(cell.header, cell.scope) for cell in row[:1]] == [(True, "row")]
            assert not any(cell.header for cell in row[1:])
    pictures = re.findall(r'<svg (?=[^>]*role="img")[^>]*><title>([^<]+)', text)
    assert len(pictures) == text.count('role="img"')
    return found


def opened(page: Path, profile: Path) -> str:
    """Open a page in a browser; what is in it then. AssertionError if the browser complains.

    The page's policy forbids scripts and whatever is not in the page itself: a browser says on its
    console what it did not load.
    """
    command = [
        *(shutil.which("chromium") or "", "--headless", "--no-sandbox", "--disable-gpu"),
        *("--enable-logging=stderr", f"--user-data-dir={profile}", "--no-first-run"),
        *("--disable-background-networking", "--dump-dom", page.as_uri()),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == []
    assert done.stdout
    return done.stdout
