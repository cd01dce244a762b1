"""The files of the page, for a server and for a static site."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from simulator.play.files import PAGE, TYPES, page_files


def test_the_wheel_has_every_file(root: Path) -> None:
    built = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert "play/page/*" in built["package-data"]["simulator"]
    assert {one.suffix for one in PAGE.iterdir()} == set(TYPES)
    assert page_files().keys() == {*(one.name for one in PAGE.iterdir()), "report.css"}


def test_every_file_that_is_named_is_there() -> None:
    files = page_files()
    for name, content in files.items():
        named = re.findall(r"(?:src|href)=\"([\w.]+)\"|from '\./([\w.]+)'", content.decode())
        assert {one or other for one, other in named} <= files.keys(), name


def test_a_static_page_names_its_engine() -> None:
    before = page_files()["index.html"].decode()
    about = {"engine": "worker", "pyodide": "../p/", "packages": 'a.whl "b".zip'}
    after = page_files(**about)["index.html"].decode()
    assert '<meta name="engine" content="worker">' in after
    assert '<meta name="packages" content="a.whl &quot;b&quot;.zip">' in after
    assert len(before.splitlines()) == len(after.splitlines())
    with pytest.raises(ValueError, match="nothing of 'color'"):
        page_files(color="red")
