"""Properties of this host as Linux reports them: processor wait, memory, file systems.

Values that another system does not report are None, or ``unknown``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_NETWORKS = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|lustre|gpfs|beegfs\w*|ceph|afs|fuse\.(sshfs|\w*fs)"
)


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


def drop(descriptor: int) -> None:
    """Write a file's data to its device and drop its pages, where the system supports it."""
    os.fsync(descriptor)
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def is_cached(descriptor: int, offset: int) -> bool | None:
    """Return whether a byte of a file is in the page cache; None if that is not told."""
    flag = getattr(os, "RWF_NOWAIT", None)
    if flag is None:
        return None
    try:
        return os.preadv(descriptor, [bytearray(1)], offset, flag) > 0
    except BlockingIOError:
        return False
    except OSError:
        return None


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
