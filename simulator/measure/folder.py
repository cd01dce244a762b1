"""A folder of its own: made only where there is room, and removed whatever happens."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

from simulator.children import blocked
from simulator.errors import InputError
from simulator.units import format_size

_SIGNALS = tuple(name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
MARGIN = 64 << 20
"""Bytes that stay free at least, and a twentieth of the file system."""
PREFIX = "nwtsim-measure-"


class FolderError(InputError):
    """A folder in which nothing can be measured."""


@contextmanager
def own_folder(folder: Path, size: int, *, shared: bool = False) -> Iterator[Path]:
    """Work in a folder of its own in ``folder``, for files of ``size`` bytes; then it is removed.

    Also after an error, an interrupt, SIGTERM and SIGHUP, which become KeyboardInterrupt. It is the
    working folder meanwhile, so that names in it stay its own whatever others rename around it.
    FolderError if ``folder`` is none, cannot be written, has too little room, or if others could
    rename in it, unless it is to be ``shared``.
    """
    _check(folder, size)
    with _signals():
        own: _Own | None = None
        try:
            with blocked(*_SIGNALS):
                try:
                    own = _Own(folder, shared=shared)
                except OSError as error:
                    raise FolderError(f"{folder}: {error.strerror}; name another") from error
            yield Path()
        except OSError as error:
            raise FolderError(f"{folder}: {error.strerror or error}") from error
        finally:
            with blocked(*_SIGNALS):  # A second signal has to wait until everything is removed.
                if own is not None:
                    own.remove()


class _Own:
    """A new folder, by its handle and by that of the one that it is in."""

    def __init__(self, folder: Path, *, shared: bool) -> None:
        self._handles = ExitStack()
        with ExitStack() as handles:
            self._within = _opened(handles, folder)
            if not shared:
                _refuse_others(folder, os.fstat(self._within))
            remove_left(self._within)
            name = f"{_own_prefix()}{os.getpid()}-{os.urandom(4).hex()}"
            os.mkdir(name, 0o700, dir_fd=self._within)
            self._own = _opened(handles, name, self._within)
            self._before = _opened(handles, ".")
            os.fchdir(self._own)
            self._handles = handles.pop_all()

    def remove(self) -> None:
        """Remove what is in the folder, and it, wherever in the other one it is by now."""
        with self._handles, suppress(OSError):
            os.fchdir(self._before)
            own = os.fstat(self._own)
            for one in os.listdir(self._own):  # noqa: PTH208 - by handle
                _remove(one, self._own)
            for one in os.listdir(self._within):  # noqa: PTH208
                with suppress(OSError):
                    there = os.stat(one, dir_fd=self._within, follow_symlinks=False)
                    if os.path.samestat(there, own):
                        os.rmdir(one, dir_fd=self._within)


def _opened(handles: ExitStack, name: str | Path, within: int | None = None) -> int:
    """Open a folder, which is no link if it is ``within`` another one."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if within is None else os.O_NOFOLLOW)
    handle = os.open(name, flags, dir_fd=within)
    handles.callback(os.close, handle)
    return handle


def _remove(name: str, within: int) -> None:
    """Remove a file, or a folder and what is in it; of a link only the link."""
    with suppress(OSError):
        if stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode):
            shutil.rmtree(name, ignore_errors=True, dir_fd=within)
        else:
            os.unlink(name, dir_fd=within)


def _refuse_others(folder: Path, status: os.stat_result) -> None:
    """Raise FolderError if another user could rename what is made in a folder."""
    writable = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX
    if writable or status.st_uid not in (0, os.geteuid()):
        raise FolderError(
            f"{folder}: other users may rename files here ({stat.filemode(status.st_mode)});"
            " name a folder of your own, or write --shared-folder"
        )


def _own_prefix() -> str:
    host = re.sub(r"[^A-Za-z0-9]", "_", platform.node())
    return f"{PREFIX}{host}-"


def remove_left(within: int) -> None:
    """Remove what runs left in a folder that were killed: by their names, of this user and host.

    Removed below the folder's handle, and no symbolic link is followed.
    """
    name = re.compile(rf"{re.escape(_own_prefix())}(\d{{1,9}})-[a-z0-9_]{{8}}")
    for one in os.listdir(within):
        match = name.fullmatch(one)
        if match is None or _lives(int(match[1])):
            continue
        with suppress(OSError):
            status = os.stat(one, dir_fd=within, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                _remove(one, within)


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

    numbers = [getattr(signal, name) for name in _SIGNALS]
    before = {one: signal.signal(one, stop) for one in numbers}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
