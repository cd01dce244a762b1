"""Copies of the project in a temporary folder, in which mutants are made and tested.

A mutant is never made in the working tree. Where it changes a module that may be compiled, the copy
has no compiled modules at all: compiling takes a minute each time, and what the tests of engines
run is small enough for interpreted code.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.listed import Mutant

LEFT_OUT = (".git", ".venv", ".hypothesis", "build", "dist", "__pycache__", "*.egg-info")
CACHES = (".*_cache",)
COMPILED = ("*.so", "*.pyd")
STEP_S = 10
"""Seconds between the times of two texts of a file: Python compares whole seconds and the size."""


class Copy:
    """One copy, which has one mutant at a time."""

    def __init__(self, source: Path, folder: Path, *, compiled: bool) -> None:
        """``compiled``: with the compiled modules."""
        self.folder = folder
        self._changes = 0
        ignored = (*LEFT_OUT, *CACHES, *(() if compiled else COMPILED))
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*ignored), symlinks=True)

    @contextmanager
    def having(self, *mutants: Mutant) -> Iterator[None]:
        """Make mutants of one file, and take them away again."""
        (name,) = {one.file for one in mutants}
        path = self.folder / name
        text, times = path.read_text(encoding="utf-8"), path.stat()
        self._changes += 1
        changed = text
        for one in mutants:
            changed = one.mutate(changed)
        path.write_text(changed, encoding="utf-8")
        later = times.st_mtime + STEP_S * self._changes
        os.utime(path, (later, later))
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
