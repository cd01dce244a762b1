"""The page without a server: Python runs in its browser, and gives the numbers of this one."""

from __future__ import annotations

import importlib.util
import shlex
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from simulator.play.files import page_files
from tests.cli.commands import Capture, as_json
from tests.play.browser import opened
from tests.play.registry import fetched
from tests.play.test_page import COMMAND, DOTS, HEADLINE, clean, go, move

PYODIDE = "314.0.7"
PACKED = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""What the registry says of this package, and of no other."""
SHIPPED = ("configs", "experiments", "notebooks")

pytestmark = [pytest.mark.long, pytest.mark.real("chromium", "npm")]


def packages(file: Path, root: Path) -> None:
    """Pack this program and what its runs import, without what is compiled."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in ("simpy", "yaml"):
            found = importlib.util.find_spec(name)
            assert found is not None
            assert found.origin is not None
            here = Path(found.origin).parent
            for one in here.rglob("*.py"):
                packed.write(one, Path(name) / one.relative_to(here))
        for name in ("simulator", "nwtsim", *SHIPPED):
            inside = Path("simulator/shipped_files") if name in SHIPPED else Path()
            for one in (root / name).rglob("*"):
                if one.suffix in (".py", ".yaml", ".json", ".md"):
                    packed.write(one, inside / one.relative_to(root))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """A folder of files, which are sent as they are."""
    site = tmp_path_factory.mktemp("site")
    fetched("pyodide", PYODIDE, PACKED, site)
    (site / "play").mkdir()
    packages(site / "packages.zip", root)
    about = {"engine": "worker", "pyodide": "../package/", "packages": "../packages.zip"}
    for name, content in page_files(**about).items():
        (site / "play" / name).write_bytes(content)

    class Quiet(SimpleHTTPRequestHandler):
        extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_the_page_runs_python_in_the_browser(address: str, tmp_path: Path, capsys: Capture) -> None:
    with opened(tmp_path) as browser:
        go(browser, f"{address}play/")
        assert browser.run(HEADLINE).startswith("Writing: 14.5 MB/s")
        for name in ("buffer", "array", "record"):
            move(browser, name, "ArrowRight")
            record = as_json(capsys, *shlex.split(browser.run(COMMAND))[1:], "--no-limits")
            assert browser.run(HEADLINE).startswith(f"Writing: {record['write_MBps']:.1f} MB/s")
        assert browser.run(f"{DOTS} === +document.getElementById('s-buffer').max + 1")
        browser.run("document.querySelector('#limits button').click()")
        browser.wait("document.querySelectorAll('.levers li').length > 0")
        clean(browser, address)
