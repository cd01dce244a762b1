"""The files of the page: what a browser loads, by the names that it asks for.

The same files stand in a static site; the name of the engine in ``index.html`` says whom they ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simulator.report.html.style import STYLE

PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
SERVER, WORKER = "server", "worker"
_ENGINE = 'name="engine" content="{}"'


def page_files(engine: str = SERVER) -> Mapping[str, bytes]:
    """Return name -> content; ``engine``: ``server``, or ``worker`` for a page without a server."""
    files = {one.name: one.read_bytes() for one in sorted(PAGE.iterdir()) if one.suffix in TYPES}
    files["report.css"] = STYLE.encode()
    before, after = (_ENGINE.format(one).encode() for one in (SERVER, engine))
    assert before in files["index.html"]
    files["index.html"] = files["index.html"].replace(before, after)
    return files
