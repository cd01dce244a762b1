"""A folder of its own: made only where there is room, and removed whatever happens."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from simulator.errors import InputError
from simulator.units import format_size

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
MARGIN = 64 << 20
"""Bytes that stay free at least, and a twentieth of the file system."""
PREFIX = "nwtsim-measure-"


class FolderError(InputError):
    """A folder in which nothing can be measured."""


@contextmanager
def own_folder(folder: Path, size: int) -> Iterator[Path]:
    """Make a folder in ``folder`` for files of ``size`` bytes; at the end it is removed.

    Also after an error, an interrupt, SIGTERM and SIGHUP, which become KeyboardInterrupt.
    FolderError if it is no folder, cannot be written, or has too little room.
    """
    _check(folder, size)
    with _signals():
        made: Path | None = None
        try:
            with _held():
                try:
                    remove_left(folder)
                    prefix = f"{_own_prefix()}{os.getpid()}-"
                    made = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
                except OSError as error:
                    raise FolderError(f"{folder}: {error.strerror}; name another") from error
            yield made
        except OSError as error:
            raise FolderError(f"{folder}: {error.strerror or error}") from error
        finally:
            with _held():  # A second signal has to wait until everything is removed.
                if made is not None:
                    shutil.rmtree(made, ignore_errors=True)


def _own_prefix() -> str:
    host = re.sub(r"[^A-Za-z0-9]", "_", platform.node())
    return f"{PREFIX}{host}-"


def remove_left(folder: Path) -> None:
    """Remove what runs left in ``folder`` that were killed: by their names, of this user and host.

    Removed below the folder's descriptor, and no symbolic link is followed.
    """
    name = re.compile(rf"{re.escape(_own_prefix())}(\d{{1,9}})-[a-z0-9_]{{8}}")
    within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for one in os.listdir(within):  # noqa: PTH208 - a handle, no path
            match = name.fullmatch(one)
            if match is None or _lives(int(match[1])):
                continue
            with suppress(OSError):
                status = os.stat(one, dir_fd=within, follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                    shutil.rmtree(one, ignore_errors=True, dir_fd=within)
    finally:
        os.close(within)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _check(folder: Path, size: int) -> None:
    if not folder.is_dir():
        about = "is a file" if folder.exists() else "there is no such folder"
        raise FolderError(f"{folder}: {about}; name a folder on the file system to be measured")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FolderError(f"{folder}: you may not write here; name a folder of your own")
    room = os.statvfs(folder)
    if room.f_flag & os.ST_RDONLY:
        raise FolderError(f"{folder}: this file system is read-only; name another folder")
    free = room.f_bavail * room.f_frsize
    margin = max(MARGIN, room.f_blocks * room.f_frsize // 20)
    if free < size + margin:
        most = max(0, free - margin) >> 20
        advice = f"write --size '{most} MiB' or less" if most else "name another folder"
        raise FolderError(
            f"{folder}: {free >> 20} MiB are free, of which {margin >> 20} MiB stay free; the"
            f" probes need {format_size(size)}: {advice}"
        )


@contextmanager
def _signals() -> Iterator[None]:
    """Turn signals that end the process into KeyboardInterrupt, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        name = signal.Signals(number).name
        raise KeyboardInterrupt(f"interrupted by {name}; all files of the probes are removed")

    before = {one: signal.signal(one, stop) for one in _SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextmanager
def _held() -> Iterator[None]:
    """Let signals wait."""
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
