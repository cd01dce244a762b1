"""A small sweep that tests make in several ways."""

from __future__ import annotations

from pathlib import Path

import pytest

SMALL = ("--set", "workload.files.output.size=4 MB")
VARIED = ("--vary", "policy=nwt,flang", "--vary", "buffer=600 kB..1.2 MB +300 kB, 0.6 MB")
WORDS = ("sweep", "nwt", "test-write", *SMALL, *VARIED, "--jobs=1")
Capture = pytest.CaptureFixture[str]


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
