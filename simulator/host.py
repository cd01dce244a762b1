"""Properties of this host as Linux reports them: processor wait, memory, file systems.

Values that another system does not report are None, or ``unknown``.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import time
from pathlib import Path

_NETWORKS = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|lustre|gpfs|beegfs\w*|ceph|afs|fuse\.(sshfs|\w*fs)"
)

_TRIES, _PAUSE_S = 20, 0.001
"""How often pages are dropped that stay, and the time between."""


def waited_s(process: int | str = "self") -> float | None:
    """Return the seconds that a process has waited for a processor; None if not reported."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


def memory_of(key: str) -> int | None:
    """Return a number of bytes of ``/proc/meminfo``, like ``MemTotal``."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return None


def filesystem_of(folder: Path) -> str:
    """Return the type of a folder's file system, like ext4; ``unknown`` if not reported."""
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        text = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "unknown"
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        if before.split()[2:3] == [number] and after:
            return after.split()[0]
    return "unknown"


def drop(descriptor: int) -> float | None:
    """Write a file's data to its device and drop its pages; return what :func:`cached` then tells.

    Linux leaves pages that somebody holds at that moment, as the journal may: it is asked again.
    """
    left = None
    for _ in range(_TRIES):
        os.fsync(descriptor)
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        if not (left := cached(descriptor)):
            break
        time.sleep(_PAUSE_S)
    return left


def cached(descriptor: int) -> float | None:
    """Return the part of a file that is in the page cache; None if that is not told.

    It is told by mincore(2), which reads no page, of files that are one's own or may be written.
    """
    found = os.fstat(descriptor)
    if not found.st_size:
        return 0.0
    writable = os.access(f"/proc/self/fd/{descriptor}", os.W_OK)
    if not hasattr(os, "posix_fadvise") or not (writable or found.st_uid == os.geteuid()):
        return None
    pages = (ctypes.c_ubyte * -(-found.st_size // mmap.PAGESIZE))()
    try:
        with mmap.mmap(descriptor, found.st_size, mmap.MAP_PRIVATE) as mapped:
            start = ctypes.c_char.from_buffer(mapped)
            failed = ctypes.CDLL(None).mincore(
                ctypes.c_void_p(ctypes.addressof(start)), ctypes.c_size_t(found.st_size), pages
            )
            del start  # What is mapped is closed.
    except (OSError, AttributeError):
        return None
    return None if failed else 1 - bytes(pages).count(0) / len(pages)


def network_of(path: Path) -> str:
    """Return the type of the network file system of a file or of its folder; empty if none.

    It is known on Linux only.
    """
    mounts = Path("/proc/self/mountinfo")
    if not mounts.exists():
        return ""
    place = Path(os.path.realpath(path))
    found = (0, "")
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        left, _, right = line.partition(" - ")
        mounted = Path(left.split()[4].replace("\\040", " "))
        if place.is_relative_to(mounted) and len(mounted.parts) >= found[0]:
            found = (len(mounted.parts), right.split()[0])
    return found[1] if _NETWORKS.fullmatch(found[1]) else ""
