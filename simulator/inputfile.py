"""Opening of input files: regular files, and pipes where a reader can stream.

Refused: folders, devices, sockets, and the files of kernel file systems (``/proc/kmsg`` is listed
as a regular file, and never ends). The file is opened without blocking, and checked by its
descriptor, so that the checked file is the one that is read.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
from pathlib import Path
from typing import NamedTuple

from simulator.errors import InputError
from simulator.output import reading

_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"):  # No system has them all.
    _FLAGS |= getattr(os, _name, 0)
_KERNEL = (
    *("/proc", "/sys", "/sys/kernel/debug", "/sys/kernel/tracing"),
    *("/sys/kernel/security", "/sys/fs/cgroup", "/sys/fs/bpf", "/sys/fs/pstore"),
)
"""Mount points of file systems with the kernel's own data."""


class Text(NamedTuple):
    """A text that was read from a file, or given as such."""

    text: str
    name: str
    """Its name in messages."""


Source = str | Path | Text
"""A file, the name of a shipped one, or the text of one."""


MARK = 4
"""Bytes of the longest byte order mark."""
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def marked_encoding(start: bytes) -> str | None:
    r"""Return the encoding of the byte order mark at the beginning of a text, or None.

    >>> marked_encoding(b"\xff\xfea\0"), marked_encoding(b"text")
    ('utf-16', None)
    """
    return next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)


class KindError(InputError):
    """A name of something other than a readable file."""


def open_input(path: Path, *, pipes: bool = False) -> io.FileIO:
    """Open a file for reading, unbuffered; KindError for another kind, OSError on failure.

    InputError if the command also writes it.

    With ``pipes``, a pipe is accepted, like ``<(zcat log.gz)``; without a writer it is empty.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        if wrong := _wrong_kind(os.fstat(descriptor), pipes=pipes):
            raise KindError(f"{path}: {wrong}")
        reading(path)
        if _FLAGS & getattr(os, "O_NONBLOCK", 0):
            os.set_blocking(descriptor, True)
        return io.FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _wrong_kind(status: os.stat_result, *, pipes: bool) -> str:
    """Return the fault of a file's kind, in words; empty if it is accepted."""
    if stat.S_ISDIR(status.st_mode):
        return "this is a folder; name a file"
    if stat.S_ISFIFO(status.st_mode) and pipes:
        return ""
    if not stat.S_ISREG(status.st_mode):
        return "this is a device or a pipe; name a file"
    if status.st_dev in _kernel_devices():
        return "this is a file of the kernel, which may never end; copy it, and name the copy"
    return ""


def _kernel_devices() -> set[int]:
    return {os.stat(one).st_dev for one in _KERNEL if os.path.ismount(one)}  # noqa: PTH116
