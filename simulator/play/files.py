"""The files of the page: what a browser loads, by the names that it asks for.

The same files stand in a static site; the name of the engine in ``index.html`` says whom they ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from simulator.report.html.style import STYLE

PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
SERVER, WORKER = "server", "worker"


def page_files(**about: str) -> Mapping[str, bytes]:
    """Return name -> content; ``about`` is what ``index.html`` says of its engine.

    Without it the page asks a server. In a static site: ``engine="worker"``, ``pyodide``, the
    folder of Pyodide's files, and ``packages``, those that it unpacks (``.whl`` and ``.zip``, with
    blanks between: nwtsim without compiled modules, simpy, yaml); all as addresses from the page.
    """
    files = {one.name: one.read_bytes() for one in sorted(PAGE.iterdir()) if one.suffix in TYPES}
    files["report.css"] = STYLE.encode()
    page = files["index.html"].decode("utf-8")
    for name, content in about.items():
        before = f'<meta name="{name}" content="{SERVER if name == "engine" else ""}">'
        if before not in page:
            raise ValueError(f"the page says nothing of {name!r}")
        page = page.replace(before, f'<meta name="{name}" content="{escape(content)}">')
    return files | {"index.html": page.encode("utf-8")}
