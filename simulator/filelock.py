"""Locks that let one command at a time write to a file or folder, by a lock file beside it.

The lock is a line of JSON with the process, its start and its host. A lock left by a process that
no longer exists is taken over; the state of another host is unknown, so the user decides.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.output import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class LockedError(InputError):
    """Another command is writing to a file or folder."""


@contextmanager
def locked(what: Path, lock: Path) -> Iterator[None]:
    """Hold the lock of a file or folder; LockedError names its holder.

    OutputError if the lock cannot be written.
    """
    mine = {
        "pid": os.getpid(),
        "start": _start_of(os.getpid()),
        "host": platform.node(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
    }
    try:
        _take(what, lock, mine)
    except OSError as error:
        raise OutputError(lock, error) from error
    try:
        yield
    finally:
        with suppress(OSError):
            if _read(lock) == mine:
                lock.unlink()


def _take(what: Path, lock: Path, mine: dict[str, Any]) -> None:
    while True:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(lock, flags, 0o666)
        with open(file, "r+b") as lock_file:  # noqa: PTH123 - it has no path any more
            if fcntl is not None:  # One process at a time decides.
                fcntl.flock(file, fcntl.LOCK_EX)
            if not lock.exists() or not os.path.samestat(os.fstat(file), lock.stat()):
                continue  # Its holder has just ended.
            owner = _record(lock_file.read())
            if owner is not None and (told := _holder(owner, lock)):
                raise LockedError(f"{what} is being written to by {told}")
            lock_file.seek(0)
            lock_file.truncate()
            lock_file.write(json.dumps(mine).encode() + b"\n")
            return


def _holder(owner: dict[str, Any], lock: Path) -> str:
    """Return the process that holds a lock, and advice; empty if it no longer exists."""
    pid, host, since = (owner.get(key) for key in ("pid", "host", "since"))
    if host != platform.node():
        return f"process {pid} on {host} since {since}; if that has ended, delete {lock}"
    if not isinstance(pid, int) or _start_of(pid) != owner.get("start"):
        return ""
    return f"process {pid} since {since}; wait for its end, or name another place"


def _start_of(pid: int) -> str | None:
    """Return the start of a process, in a comparable form; None if it does not exist."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        fields = text.rpartition(")")[2].split()
        return fields[19] if fields[0] not in "ZX" else None  # A zombie: it has ended.
    except (OSError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:
        os.kill(pid, 0)  # Without /proc: check for a process of that number.
    except PermissionError:
        return "there"
    except OSError:
        return None
    return "there"


def _read(lock: Path) -> dict[str, Any] | None:
    return _record(lock.read_bytes())


def _record(content: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(content)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
