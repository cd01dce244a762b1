"""Facts about a folder: its file system, its page cache and its host, as the system tells them."""

from __future__ import annotations

import mmap
import os
import platform
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from simulator.host import drop, filesystem_of, memory_of
from simulator.processors import processors

_IN_MEMORY = ("tmpfs", "ramfs")
_PAGE = 4096
_SAMPLED = 1 << 20


@dataclass(frozen=True, slots=True)
class Facts:
    """A host and a file system; None where the system does not tell."""

    host: str
    system: str
    date: str
    """In UTC."""
    filesystem: str = "unknown"
    """Type, like ext4."""
    memory: int | None = None
    """All memory, in bytes."""
    cores: int | None = None
    """Processors that processes may use."""
    available: int | None = None
    """Memory that the page cache could have when it was measured."""
    dirty: int | None = None
    """``vm.dirty_ratio``, in %."""
    background: int | None = None
    """``vm.dirty_background_ratio``, in %."""
    read_ahead: int | None = None
    """Bytes."""
    journal: bool | None = None
    """Whether the file system has a journal; None if it is not ext4."""
    direct: bool = False
    """Reads can pass the page cache (O_DIRECT)."""
    drops: bool | None = None
    """Cached pages of a file can be dropped; None if that cannot be seen."""

    @property
    def in_memory(self) -> bool:
        """Whether the file system has no device."""
        return self.filesystem in _IN_MEMORY

    @property
    def reaches_device(self) -> bool:
        """Whether reads can be made that are not served by the page cache."""
        return not self.in_memory and (self.direct or self.drops is True)

    @property
    def cold(self) -> bool:
        """Whether a file can be read through an empty page cache."""
        return not self.in_memory and self.drops is True


def facts_of(folder: Path) -> Facts:
    """Return the facts about a folder that may be written to; a small file is made in it."""
    facts = Facts(
        host=platform.node() or "unknown",
        system=f"{platform.system()} {platform.release()}",
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
    )
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    ahead = _number(Path(f"/sys/class/bdi/{number}/read_ahead_kb"))
    facts = replace(
        facts,
        filesystem=filesystem_of(folder),
        memory=memory_of("MemTotal"),
        cores=processors(),
        available=memory_of("MemAvailable"),
        dirty=_ratio("dirty"),
        background=_ratio("dirty_background"),
        read_ahead=None if ahead is None else ahead * 1024,
        journal=_journal(number),
    )
    path = folder / "tried"
    try:
        path.write_bytes(os.urandom(_SAMPLED))
        return replace(facts, direct=_reads_directly(path), drops=_drops(path))
    finally:
        path.unlink(missing_ok=True)


def open_direct(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a file for calls past the page cache; OSError where that is not possible."""
    flag = getattr(os, "O_DIRECT", None)
    if flag is None:
        raise OSError("this system has no O_DIRECT")
    return os.open(path, flags | flag)


def _reads_directly(path: Path) -> bool:
    try:
        descriptor = open_direct(path)
    except OSError:
        return False
    try:
        with mmap.mmap(-1, _PAGE) as page:  # Aligned, as O_DIRECT needs it.
            return os.preadv(descriptor, [page], _PAGE) == _PAGE
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _drops(path: Path) -> bool | None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        left = drop(descriptor)
        return None if left is None else left < 0.1
    finally:
        os.close(descriptor)


def _journal(number: str) -> bool | None:
    """Return whether the ext4 on a device has a journal: then there is a thread for it."""
    try:
        device = Path(f"/sys/dev/block/{number}").resolve(strict=True).name
        thread = Path(f"/sys/fs/ext4/{device}/journal_task").read_text(encoding="ascii")
    except (OSError, ValueError):
        return None
    return "none" not in thread


def _ratio(name: str) -> int | None:
    """Return a percentage of ``vm``; None where it is given in bytes."""
    percent = _number(Path(f"/proc/sys/vm/{name}_ratio"))
    return percent or None


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
