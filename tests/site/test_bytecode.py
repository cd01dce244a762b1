"""Bytecode is added where imports find it, in wheels and in a zipped library."""

import importlib
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from zipfile import ZipFile

import pytest

from docs.site import bytecode

BROKEN = b"print 'of Python 2'\n"
PYODIDE = Path(__file__).resolve().parents[2] / "build" / "site" / "lab" / "static" / "pyodide"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A zipped library and a wheel, with the same modules."""
    for name in ("library.zip", "of-1-py3-none-any.whl"):
        with ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("of_site/__init__.py", b"HERE = 'written'\n")
            archive.writestr("of_site/old.py", BROKEN)
            archive.writestr("of_site/data.txt", b"text")
    bytecode.add_all(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield tmp_path
    for name in [one for one in sys.modules if one.startswith("of_site")]:
        del sys.modules[name]


def test_a_module_of_an_unpacked_wheel_is_not_compiled_again(library: Path) -> None:
    with ZipFile(library / "of-1-py3-none-any.whl") as archive:
        archive.extractall(library / "unpacked")
    source = library / "unpacked" / "of_site" / "__init__.py"
    source.write_text("HERE = 'of another text'")
    sys.path.insert(0, str(library / "unpacked"))
    assert importlib.import_module("of_site").HERE == "written"
    assert not Path(cache_from_source(str(source.with_name("old.py")))).exists()


def test_a_module_of_a_library_is_found_without_its_source(library: Path) -> None:
    with ZipFile(library / "library.zip") as archive:
        assert sorted(archive.namelist()) == [
            *("of_site/__init__.pyc", "of_site/data.txt", "of_site/old.py"),
        ]
        assert archive.read("of_site/old.py") == BROKEN
        assert archive.read("of_site/data.txt") == b"text"
    sys.path.insert(0, str(library / "library.zip"))
    assert importlib.import_module("of_site").HERE == "written"


@pytest.mark.skipif(not PYODIDE.is_dir(), reason="make site builds the lab")
def test_the_python_of_the_site_has_its_own_bytecode() -> None:
    with ZipFile(PYODIDE / "python_stdlib.zip") as archive:
        assert "json/__init__.pyc" in archive.namelist()
    (wheel,) = PYODIDE.glob("nwtsim-*.whl")
    with ZipFile(wheel) as archive:
        assert "nwtsim/__pycache__/__init__.cpython-314.pyc" in archive.namelist()
