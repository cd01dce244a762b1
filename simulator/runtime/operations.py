"""Operations of processes, one per step, with a name and a number each.

Plans, listed calls and libraries of parallel I/O use the same numbers.
"""

from __future__ import annotations

OPERATIONS = (
    "seek",
    "read",
    "write",
    "open",
    "close",
    "pass",
    "wait",
    "pause",
    "stat",
    "sync",
    "lock",
    "unlock",
    "barrier",
    "send",
    "receive",
    "ask-read",
    "ask-write",
    "start",
    "join",
    "job",
    "call",
    "create",
    "lookup",
    "unlink",
    "rename",
    "mkdir",
    "rmdir",
    "readdir",
    "setattr",
)
"""Names of operations, by number. ``job`` is the work of an arrival, ``call`` one of a numerical
server."""
SEEK, READ, WRITE, OPEN, CLOSE, PASS, WAIT, PAUSE = range(8)
STAT, SYNC, LOCK, UNLOCK, BARRIER, SEND, RECEIVE, ASK_READ, ASK_WRITE, START, JOIN, JOB, CALL = (
    range(8, 21)
)
CREATE, LOOKUP, UNLINK, RENAME, MKDIR, RMDIR, READDIR, SETATTR = range(21, 29)

METADATA = (
    OPEN,
    CREATE,
    CLOSE,
    STAT,
    LOOKUP,
    UNLINK,
    RENAME,
    MKDIR,
    RMDIR,
    READDIR,
    SETATTR,
)
"""The kinds of metadata operations, in the order of :attr:`TierPlan.costs`. ``lookup`` is one of an
absent name; ``setattr`` changes a mode, an owner, times or a length."""
CHANGING = (CREATE, UNLINK, RENAME, MKDIR, RMDIR, SETATTR)
"""Those that change the file system."""

PLAIN, DIRECT, SYNCED = 31, 32, 64
"""Bits of a listed read's or write's kind besides its number: bypassing the stores of the node
(O_DIRECT); followed by a sync of the file (O_SYNC)."""


def plain(kind: int) -> int:
    """Return a kind of operation without these bits.

    >>> plain(WRITE | SYNCED) == WRITE
    True
    """
    return kind & PLAIN


def name_of(kind: int) -> str:
    """Return the name of a kind of operation in lists of calls.

    >>> name_of(WRITE | DIRECT | SYNCED)
    'write-direct-sync'
    """
    name = OPERATIONS[plain(kind)]
    return f"{name}{'-direct' if kind & DIRECT else ''}{'-sync' if kind & SYNCED else ''}"


def kind_of(name: str) -> int:
    """Return the kind of a name, which may have these endings.

    >>> kind_of("write-direct-sync") == WRITE | DIRECT | SYNCED
    True
    """
    bits = SYNCED if name == "write-sync" or name.endswith("-direct-sync") else 0
    whole = name.removesuffix("-sync") if bits else name
    bits |= DIRECT if whole.endswith("-direct") else 0
    return OPERATIONS.index(whole.removesuffix("-direct")) | bits
