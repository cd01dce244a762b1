"""Python child processes that import code from this program only, never from the working folder.

Python searches the working folder first when it is started with ``-c`` or ``-m``: a ``pickle.py``
beside a user's data would be executed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)
"""Folder of this package."""


def paths() -> list[str]:
    """Return the folders that code may come from: those of this process except the working folder.

    If it contains this package it remains, after Python's own modules.
    """
    try:
        here = os.stat(".")  # noqa: PTH116 - the folder itself, whatever its name
    except OSError:  # It is gone.
        return [path for path in sys.path if path]
    found = [path for path in sys.path if path and not _is(path, here)]
    return found if len(found) == len(sys.path) or ROOT in found else [*found, ROOT]


def _is(path: str, folder: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), folder)  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return False


def command(code: str, *words: str) -> list[str]:
    """Return the command that runs some code, with words as its arguments."""
    return [sys.executable, "-P", "-c", code, *words]


def environment() -> dict[str, str]:
    """Return the environment of such a command, and of its children."""
    return {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(paths())}


@contextmanager
def blocked(*names: str) -> Iterator[None]:
    """Start processes with these signals blocked from the beginning.

    A process that is interrupted while Python starts prints a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {getattr(signal, name) for name in names}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)  # Processes inherit it.
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def from_safe_paths() -> Iterator[None]:
    """Apply the safe paths to processes started by :mod:`multiprocessing`, without an option."""
    before, safe = sys.path[:], os.environ.get("PYTHONSAFEPATH")
    sys.path[:] = paths()
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        sys.path[:] = before
        if safe is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = safe
