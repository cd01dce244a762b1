"""The compiled engine of a browser: made or not, and equal to the one here in every number."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs.site import wasm
from docs.site.build import PLAYED
from tests.site.recorded import DRAWN, SHIPPED, lines

ROOT = Path(__file__).resolve().parents[2]
PYODIDE = ROOT / "build" / "site" / "lab" / "static" / "pyodide"
CODE = """
import sys
sys.path.append("/here")
from tests.site.recorded import lines
for line in lines():
    print(line)
"""


def wheels() -> list[Path]:
    """The wheels of the site that the page with sliders loads; skips the test where none are."""
    found = [one for name in PLAYED for one in PYODIDE.glob(f"{name}-*.whl")]
    if not any(wasm.PLATFORM in one.name for one in found):
        pytest.skip("make site compiles for the browser")
    return found


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.real("node")
def test_the_engine_of_the_browser_gives_the_results_of_the_one_here() -> None:
    words = ["node", str(ROOT / "docs" / "site" / "pyodide.mjs"), str(PYODIDE), str(ROOT)]
    words += map(str, wheels())
    there = subprocess.run(words, input=CODE, capture_output=True, text=True, check=False)
    assert there.stderr == ""
    found = there.stdout.splitlines()
    assert len(found) == len(SHIPPED) + DRAWN
    for made, wanted in zip(found, lines(), strict=True):
        assert made == wanted


# -- where it cannot be -----------------------------------------------------------------------


def told(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    assert wasm.compiled(folder) == {}
    return capsys.readouterr().out


def test_without_zig_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", {}.get)
    wanted = "Not compiled for the browser: there is no zig (PyPI: ziglang)\n"
    assert told(capsys, tmp_path) == wanted


Zig = Callable[[str], list[tuple[str, ...]]]
STEPS = len(wasm.setup.MODULES) + len(wasm.LIBRARY) + len(wasm.setup.MODULES)
"""How often zig's tools are called: to compile each file, and to link each module."""


@pytest.fixture
def zig(monkeypatch: pytest.MonkeyPatch) -> Zig:
    """Put in zig's place what writes files, or fails with a text; returns what it is asked for."""

    def put(error: str = "") -> list[tuple[str, ...]]:
        calls: list[tuple[str, ...]] = []

        def run(*words: str) -> None:
            calls.append(words)
            if error:
                raise subprocess.CalledProcessError(1, words, stderr=error)
            Path(words[-1]).write_text("made")

        found: Any = type("Spec", (), {"submodule_search_locations": ["/zig"]})
        monkeypatch.setattr("importlib.util.find_spec", {"ziglang": found}.get)
        monkeypatch.setattr(wasm, "_zig", run)
        return calls

    return put


def test_what_the_compiler_says_is_said(
    tmp_path: Path, zig: Zig, capsys: pytest.CaptureFixture[str]
) -> None:
    zig("module.cpp:3: error: no such name\n")
    wanted = "Not compiled for the browser:\nmodule.cpp:3: error: no such name\n"
    assert told(capsys, tmp_path) == wanted


def test_only_what_is_older_than_its_sources_is_compiled(tmp_path: Path, zig: Zig) -> None:
    calls = zig("")
    made = wasm.compiled(tmp_path / "made")
    assert [one.read_text() for one in made.values()] == len(made) * ["made"]
    assert len(calls) == STEPS
    assert wasm.compiled(tmp_path / "made") == made
    assert len(calls) == STEPS
    os.utime(made["simulator.rowloops"], (0, 0))
    assert wasm.compiled(tmp_path / "made") == made
    assert len(calls) == 2 * STEPS


def test_headers_have_the_sizes_of_the_browser(tmp_path: Path) -> None:
    wasm._headers(tmp_path / "include")
    text = (tmp_path / "include" / "pyconfig.h").read_text()
    assert "#define SIZEOF_VOID_P 4\n" in text
    assert "#define SIZEOF_LONG_LONG 8\n" in text
    assert (tmp_path / "include" / "Python.h").exists()
