"""Output files of a command: complete or absent.

A file is written under a temporary name and renamed, so that no reader sees a partial file, and an
interrupted command leaves the old one. Write access is checked before the work starts. Devices and
pipes (``/dev/null``) are written in place.

A command never overwrites its input, by whatever name (:func:`apart`, :func:`reading`): a result
that replaced its own log would destroy it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from simulator.errors import InputError

_LONGEST_NAME = 40
_REASONS = {
    errno.ENOENT: "there is no such folder; make it, or name another",
    errno.ENOTDIR: "a part of this path is a file, not a folder; name another",
    errno.EISDIR: "this is a folder; name a file in it",
    errno.EACCES: "you may not write here; name another place",
    errno.EPERM: "you may not write here; name another place",
    errno.EROFS: "nothing can be written on this file system; name another place",
    errno.ENOSPC: "no space is left on this file system",
    errno.EDQUOT: "your quota on this file system is exceeded",
    errno.ENAMETOOLONG: "this name is too long for a file; write a shorter one",
    errno.ELOOP: "this is a symbolic link to itself; name another place",
}


class OutputError(InputError):
    """A file that cannot be written."""

    def __init__(self, path: str | Path, error: OSError | ValueError) -> None:
        number = error.errno if isinstance(error, OSError) else None
        reason = _REASONS.get(number or 0, "") or getattr(error, "strerror", None) or str(error)
        super().__init__(f"{path}: {reason}")


class _Files:
    """The input and output files of a command, by device and inode."""

    def __init__(self) -> None:
        self.read: dict[tuple[int, int], str] = {}
        self.written: dict[tuple[int, int] | Path, str] = {}
        """Files that do not exist yet, by name."""


_files: list[_Files] = []
"""Files of the running command; none when called from Python."""


@contextmanager
def apart() -> Iterator[None]:
    """Check that a command writes none of its inputs, and nothing twice."""
    _files.append(_Files())
    try:
        yield
    finally:
        _files.pop()


def reading(path: Path) -> Path:
    """Register a file that is about to be read, and return it; InputError if it is written."""
    key = _key(path) if _files else None
    if key is not None:
        if written := _files[-1].written.get(key):
            raise _both(written, str(path))
        _files[-1].read.setdefault(key, str(path))
    return path


def _writing(path: Path, target: Path) -> list[tuple[int, int] | Path]:
    """Register a file that will be written; InputError if it is read, or written already."""
    keys = [key for key in (_key(target), target) if key is not None] if _files else []
    for key in keys:
        if isinstance(key, tuple) and key in _files[-1].read:
            raise _both(str(path), _files[-1].read[key])
        if key in _files[-1].written:
            other = _files[-1].written[key]
            raise InputError(f"{path}: this file is written as {other} already; name another one")
    for key in keys:
        _files[-1].written[key] = str(path)
    return keys


def _both(written: str, read: str) -> InputError:
    same = "" if written == read else f", as {read}"
    return InputError(f"{written}: this file is read{same}; name another one to write to")


def _key(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file; None for other kinds, or if it does not exist."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


@contextmanager
def placing(path: Path) -> Iterator[Path]:
    """Yield a file to write to; at the end it replaces ``path``.

    OutputError at once if the file cannot be created, and also if writing fails later; InputError
    if the command reads this file.
    """
    try:
        target, part = _places(path)
        keys = _writing(path, target) if part != target else []
        if part != target:
            _create(part, target)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name.
        raise OutputError(path, error) from error
    try:
        yield part
        if part != target:
            part.replace(target)
    except BrokenPipeError:  # Of standard output, not of this file.
        raise
    except OSError as error:
        raise OutputError(path, error) from error
    finally:
        if part != target:
            part.unlink(missing_ok=True)
        for key in keys if _files else ():
            _files[-1].written.pop(key, None)


def _create(part: Path, target: Path) -> None:
    """Create a new file that is not a link; its permissions are those of the target."""
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if target.exists() and hasattr(os, "fchmod"):
            os.fchmod(file, stat.S_IMODE(target.stat().st_mode))
    finally:
        os.close(file)


@contextmanager
def placing_if(path: Path | None) -> Iterator[Path | None]:
    """Do as :func:`placing`; without a path yield None."""
    if path is None:
        yield None
    else:
        with placing(path) as part:
            yield part


def show(text: str, to: Path | None = None) -> None:
    """Print a finished report, or write it to a file that is being placed.

    A closed standard output does not change the exit code of the command.
    """
    if to is not None:
        to.write_text(text, encoding="utf-8", newline="\n")
        return
    with suppress(BrokenPipeError):
        sys.stdout.write(text)
        sys.stdout.flush()


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, in UTF-8 and with LF, atomically."""
    with placing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes to a file, atomically."""
    with placing(path) as part:
        part.write_bytes(content)


def _places(path: Path) -> tuple[Path, Path]:
    """Return the target of ``path``, links followed, and its temporary name."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "is a link to itself")
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if target.exists() and not target.is_file():
        return target, target  # A device or a pipe: never replace it.
    if target.is_file() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "is read-only")
    name = f".{target.name[:_LONGEST_NAME]}.{os.getpid()}.{os.urandom(8).hex()}.part"
    return target, target.with_name(name)
