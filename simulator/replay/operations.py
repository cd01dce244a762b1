"""Operations that the calls of a log are, by their names, flags and outcome.

A call that finds no such name is a ``lookup``, whatever it would have done. A call that the server
refuses for another reason has looked at the name: ``stat``.
"""

from __future__ import annotations

import re

import numpy as np

from simulator.plan.codes import (
    BARRIER,
    CLOSE,
    CREATE,
    DIRECT,
    LOCK,
    LOOKUP,
    MKDIR,
    OPEN,
    PASS,
    READ,
    READDIR,
    RECEIVE,
    RENAME,
    RMDIR,
    SEEK,
    SEND,
    SETATTR,
    STAT,
    SYNC,
    SYNCED,
    UNLINK,
    UNLOCK,
    WAIT,
    WRITE,
)
from simulator.replay.arrays import Batch, Numbers
from simulator.traces.columns import BOTH, CREATS, OPENS, READS, RENAMES, SEEKS, UNLINKS, WRITES
from simulator.traces.darshan_records import READING, WRITING

NOTHING, COPY = -1, -2
"""A call without a model; one that reads from a file and writes to another."""
MAYBE, RUN, LINK = 100, 101, 102
"""An open with O_CREAT, of a file that is there or creating it (:mod:`simulator.replay.names`);
a program is run: nothing, unless its name is absent; a call that creates its second name."""

_MODELLED = {
    READ: READS | READING,
    WRITE: WRITES | WRITING,
    COPY: BOTH,
    SEEK: SEEKS,
    OPEN: OPENS,
    CLOSE: {"close"},
    PASS: {"fork", "vfork", "fork1", "forkall", "forkx", "vforkx", "clone", "clone2", "clone3"},
    WAIT: {"wait4", "wait3", "waitpid", "wait"},
}
KIND_OF = {name: kind for kind, names in _MODELLED.items() for name in names}
_NAMED = {
    STAT: "stat stat64 lstat lstat64 newfstatat fstatat fstatat64 statx oldstat xstat lxstat access"
    " faccessat faccessat2 readlink readlinkat getxattr lgetxattr listxattr llistxattr getxattrat"
    " listxattrat file_getattr statfs statfs64 statvfs statvfs64 pathconf name_to_handle_at",
    UNLINK: " ".join(UNLINKS),
    RENAME: " ".join(RENAMES),
    MKDIR: "mkdir mkdirat",
    RMDIR: "rmdir",
    READDIR: "getdents getdents64 readdir",
    CREATE: "mknod mknodat xmknod",
    LINK: "link linkat symlink symlinkat",
    RUN: "execve execveat exece exec",
    SETATTR: "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat chown32 lchown32"
    " fchown32 utime utimes utimensat utimensat_time64 futimesat utimesys truncate truncate64"
    " ftruncate ftruncate64 fallocate posix_fallocate setxattr lsetxattr fsetxattr removexattr"
    " lremovexattr fremovexattr setxattrat removexattrat file_setattr",
}
OF_NAMES = {name: kind for kind, names in _NAMED.items() for name in names.split()}
"""Calls on names and attributes beside open and close."""
METADATA_OF = {
    **OF_NAMES,
    **dict.fromkeys(("fsync", "fdatasync", "fdsync", "aio_fsync", "aio_fdsync"), SYNC),
}
"""Calls that machines with a metadata server, or with sync, have a cost for."""
MEETING_OF = {
    "flock": LOCK,
    "funlock": UNLOCK,
    "barrier": BARRIER,
    "sendto": SEND,
    "recvfrom": RECEIVE,
}
"""Calls of simulated runs whose offset is the number of a lock, a barrier or a channel."""
MEETINGS = tuple(MEETING_OF.values())
_OF_OPEN_FILES = ("newfstatat", "fstatat", "fstatat64", "statx")
"""Calls that are about an open file if they have no name: answered without a server."""
CODE = re.compile(
    r"\.(so(\.[0-9.]+)?|jar|pyc|cache)$|/lib(32|64)?/|/locale/|/ld\.so|^/(dev|proc|sys|usr)/"
)
"""Names of files that are mapped as code, or by the C library."""
ABSENT = {"ENOENT", "ENOTDIR"}
REFUSED = {
    *("EACCES", "EEXIST", "EINVAL", "EISDIR", "ELOOP", "ENODATA", "ENOTEMPTY", "ENOTSUP"),
    *("EOPNOTSUPP", "EPERM", "EROFS", "EXDEV"),
}


def metadata_operations(what: Numbers, batch: Batch) -> Numbers:
    """Return the operations that calls turned out to be, given those of their names.

    A call that does not return a number, or fails without having looked at a name, is none.
    """
    of_name = np.isin(what, (*_NAMED, OPEN))
    found = np.where((of_name & (batch.returned < 0)) | (what == RUN), NOTHING, what)
    found = np.where(of_name & (what != RUN) & batch.failed_with(REFUSED), STAT, found)
    found = _opens(np.where(of_name & batch.failed_with(ABSENT), LOOKUP, found), batch)
    found = np.where((found == UNLINK) & batch.flagged("AT_REMOVEDIR"), RMDIR, found)
    of_open = batch.called(_OF_OPEN_FILES) & (found == STAT) & (batch.numbers("fd", -1) >= 0)
    return np.where(of_open, NOTHING, found)


def _opens(found: Numbers, batch: Batch) -> Numbers:
    """Return operations with opens told apart: of a file that is there, or created."""
    opens = found == OPEN
    if not opens.any():
        return found
    creates = batch.flagged("O_CREAT", "O_TMPFILE") | is_creat(batch)
    anew = batch.flagged("O_TMPFILE") | (batch.flagged("O_CREAT") & batch.flagged("O_EXCL"))
    found = np.where(opens & creates, MAYBE, found)
    found = np.where(opens & anew, CREATE, found)
    return np.where(opens & batch.flagged("O_PATH"), STAT, found)


def is_creat(batch: Batch) -> Numbers:
    """Return which calls are ``creat``: opens with O_CREAT and O_TRUNC."""
    return batch.called(CREATS)


def durable(what: Numbers, batch: Batch) -> Numbers:
    """Return the bits ``DIRECT`` and ``SYNCED`` of reads and writes, by their flags."""
    if batch.is_null("flags"):
        return np.zeros_like(what)
    synced = (what == WRITE) & batch.flagged("O_DSYNC", "O_SYNC")
    bits = DIRECT * batch.flagged("O_DIRECT") | SYNCED * synced
    return np.where((what == READ) | (what == WRITE), bits, 0)
