"""Bytecode for the Python of a browser, which would compile all sources again at each start.

Run by that Python itself, in node (``lab.py``): bytecode is of one version of Python.
"""

from __future__ import annotations

from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[import-not-found]
from importlib.util import cache_from_source, source_hash
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile


def add_all(folder: Path) -> None:
    """Add bytecode to the wheels and the zipped libraries of a folder."""
    for wheel in folder.glob("*.whl"):
        add_to_wheel(wheel)
    for library in folder.glob("*.zip"):
        put_into_library(library)


def add_to_wheel(wheel: Path) -> None:
    """Add the bytecode of each module, where an import looks for it once that is unpacked."""
    with ZipFile(wheel, "a", ZIP_DEFLATED) as archive:
        for name in archive.namelist():
            if name.endswith(".py") and (made := bytecode(archive.read(name), name)):
                archive.writestr(cache_from_source(name), made)


def put_into_library(library: Path) -> None:
    """Replace sources by their bytecode: an import from a zip file finds only one of them."""
    with ZipFile(library) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(library, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            made = bytecode(content, name) if name.endswith(".py") else b""
            archive.writestr(f"{name}c" if made else name, made or content)


def bytecode(source: bytes, name: str) -> bytes:
    """Return what a ``.pyc`` file holds, which is not compared with the source; empty if none."""
    try:
        code = compile(source, name, "exec", dont_inherit=True)
    except SyntaxError:  # It is for another version of Python.
        return b""
    made: bytes = _code_to_hash_pyc(code, source_hash(source), checked=False)
    return made
