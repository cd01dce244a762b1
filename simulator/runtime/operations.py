"""Operations, of which a process does one in a step, with a name and a number each.

Plans, listed calls and libraries of parallel input and output have the same numbers.
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
"""The name of each operation; its place is its number. ``job`` is what an arrival asks for, and
``call`` one of a numerical server."""
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
"""The kinds of metadata operations, in the order of :attr:`TierPlan.costs`. ``lookup`` is one of a
name that is not there; ``setattr`` changes a mode, an owner, times or a length."""
CHANGING = (CREATE, UNLINK, RENAME, MKDIR, RMDIR, SETATTR)
"""Those that change what the file system keeps."""

PLAIN, DIRECT, SYNCED = 31, 32, 64
"""Bits of a listed read's or write's kind beside those of its number: past the stores of the node
(O_DIRECT); followed by a sync of the file (O_SYNC)."""


def plain(kind: int) -> int:
    """Return a kind of operation without these bits.

    >>> plain(WRITE | SYNCED) == WRITE
    True
    """
    return kind & PLAIN


def name_of(kind: int) -> str:
    """Return what a kind of operation is called in lists of calls.

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
