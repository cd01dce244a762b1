"""Calls on names and attributes of files: which kind of metadata operation each of a trace is.

A call that finds no such name is a ``lookup``, whatever it would have done. A call that the server
refuses for another reason has looked at the name: ``stat``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import (
    CREATE,
    LOOKUP,
    MKDIR,
    OPEN,
    READDIR,
    RENAME,
    RMDIR,
    SETATTR,
    STAT,
    UNLINK,
)
from simulator.traces.inodes import LINKED, MADE, OPENED, REMOVED, RENAMED, Inodes

if TYPE_CHECKING:
    Numbers = np.ndarray[Any, Any]

MAYBE = 100
"""An open with O_CREAT: of a file that is there, or creating it; see :func:`settled`."""
RUN = 101
"""A program is run: nothing, unless its name is not there."""
LINK = 102
"""A call that creates its second name."""

CALLS = {
    STAT: "stat stat64 lstat lstat64 newfstatat fstatat fstatat64 statx oldstat xstat lxstat access"
    " faccessat faccessat2 readlink readlinkat getxattr lgetxattr listxattr llistxattr getxattrat"
    " listxattrat file_getattr statfs statfs64 statvfs statvfs64 pathconf name_to_handle_at",
    UNLINK: "unlink unlinkat",
    RENAME: "rename renameat renameat2",
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
KIND_OF = {name: kind for kind, names in CALLS.items() for name in names.split()}
"""Calls on names and attributes beside open and close."""
OF_NAMES = (*CALLS, OPEN)
"""Kinds of calls that may find that a name is absent."""
EMPTIED = 1
"""The offset of a ``setattr`` that empties a file, by its open (O_TRUNC) or by ``truncate``."""
EXCHANGED = -2
"""The offset of a ``rename`` whose names change places; of others the number of the
second name and one, 0 if that is not known."""
HARD = ("link", "linkat")
"""Calls that give a file a second name; the number of the first is the offset of their rows."""
BESIDE = ("newfstatat", "fstatat", "fstatat64", "statx")
"""Calls that are about an open file if they have no name: answered without a server."""
CODE = re.compile(
    r"\.(so(\.[0-9.]+)?|jar|pyc|cache)$|/lib(32|64)?/|/locale/|/ld\.so|^/(dev|proc|sys|usr)/"
)
"""Names of files that are mapped as code, or by the C library."""
EVENTS = (OPEN, CREATE, STAT, LOOKUP, UNLINK, RENAME, MAYBE)
"""Rows that show whether a name is there."""

ABSENT = {"ENOENT", "ENOTDIR"}
REFUSED = {
    *("EACCES", "EEXIST", "EINVAL", "EISDIR", "ELOOP", "ENODATA", "ENOTEMPTY", "ENOTSUP"),
    *("EOPNOTSUPP", "EPERM", "EROFS", "EXDEV"),
}
NOT_STORED = ("/proc/", "/sys/", "/dev/")
"""Names under these lead to no storage."""


class Stored:
    """Which names lead to storage that is of interest; each name is looked at once."""

    def __init__(self, exclude: Iterable[str] = ()) -> None:
        """``exclude``: folders; names below them are left out."""
        self._below = tuple(folder.rstrip("/") + "/" for folder in exclude)
        self._good = np.ones(1, bool)
        """For each name, and at the end for none, whether it leads to storage;"""
        self._out = np.zeros(1, bool)
        """and whether it is left out."""
        self._folder = np.zeros(0, np.int64)

    def of(self, numbers: Numbers, names: dict[str, int]) -> tuple[Numbers, Numbers]:
        """Return the numbers of names that count, -1 for others; and which are left out."""
        known = len(self._good) - 1
        if known < len(names):
            new = list(names)[known:]
            out = [name.startswith(self._below) for name in new] if self._below else [False]
            good = [not name.startswith(NOT_STORED) for name in new]
            self._out = np.concatenate([self._out[:-1], np.broadcast_to(out, len(new)), [False]])
            self._good = np.concatenate([self._good[:-1], good, [False]])
        out_of: Numbers = self._out[numbers]
        return np.where(self._good[numbers] & ~out_of, numbers, -1), out_of

    def folders(self, numbers: Numbers, names: dict[str, int]) -> Numbers:
        """Return the numbers of the folders in which names are."""
        more = len(names) - len(self._folder)
        if more > 0:
            self._folder = np.concatenate([self._folder, np.full(more, -1)])
        new = np.unique(numbers)
        new = new[self._folder[new] < 0]
        if len(new):
            texts = list(names)
            for number in new.tolist():
                folder = texts[number].rpartition("/")[0] or ("/" if "/" in texts[number] else ".")
                self._folder[number] = names.setdefault(folder, len(names))
        found: Numbers = self._folder[numbers]
        return found


def kinds(what: Numbers, error: Numbers, errors: Iterable[str], returned: Numbers) -> Numbers:
    """Return the kinds of rows, given those of their calls' names, by their outcome.

    ``error`` are numbers of ``errors``, -1 for none. A call that does not return a number, or fails
    without having looked at a name, has no kind (-1).
    """
    texts = list(errors)
    absent = np.array([*(text in ABSENT for text in texts), False])[error]
    refused = np.array([*(text in REFUSED for text in texts), False])[error]
    named = np.isin(what, OF_NAMES)
    found = np.where(named & (returned < 0), -1, what)
    found = np.where(found == RUN, -1, found)
    found = np.where(named & (what != RUN) & refused, STAT, found)
    return np.where(named & absent, LOOKUP, found)


def opened(found: Numbers, call: Numbers, calls: Iterable[str], flags: Numbers, texts: Iterable[str]
) -> Numbers:  # fmt: skip
    """Return the kinds of rows, with opens told apart: of a file that is there, or created."""
    opens = found == OPEN
    if not opens.any():
        return found
    create, sure, looks = [], [], []
    for text in texts:
        words = text.split("|")
        looks.append("O_PATH" in words)
        made = "O_TMPFILE" in words or {"O_CREAT", "O_EXCL"} <= {*words}
        sure.append(made)
        create.append("O_CREAT" in words or made)
    maybe = opens & (np.array([*create, False])[flags] | by_creat(call, calls))
    found = np.where(maybe, MAYBE, found)
    found = np.where(opens & np.array([*sure, False])[flags], CREATE, found)
    return np.where(opens & np.array([*looks, False])[flags], STAT, found)


def by_creat(call: Numbers, calls: Iterable[str]) -> Numbers:
    """Return which calls are ``creat``: opens with O_CREAT and O_TRUNC."""
    found: Numbers = np.array([name.startswith("creat") for name in calls])[call]
    return found


def settled(rows: dict[str, Numbers]) -> Numbers:
    """Decide what depends on whether a name is there; return which rows stay.

    An open with O_CREAT creates its file if it was not there yet, or has gone; there is nothing to
    empty then. A rename to a name that is there has the size 1.
    """
    kind, offset = rows["kind"], rows["offset"]
    renames = np.flatnonzero(kind == RENAME)
    target = offset[renames]
    swaps, renames = renames[target == EXCHANGED], renames[target > 0]
    unsure = np.flatnonzero(kind == MAYBE)
    file = np.where(kind == LOOKUP, offset, rows["file"])
    concerned = np.zeros(int(max(file.max(initial=0), target.max(initial=0))) + 2, bool)
    concerned[np.concatenate([file[unsure], offset[renames] - 1])] = True
    here = np.flatnonzero(concerned[file] & np.isin(kind, EVENTS))
    row = np.concatenate([here, renames])
    name = np.concatenate([file[here], offset[renames] - 1])
    comes = np.arange(len(row)) >= len(here)
    goes = np.isin(kind[row], (LOOKUP, UNLINK, RENAME)) & ~comes & ~np.isin(row, swaps)
    order = np.lexsort((row, name))
    row, name, comes, goes = row[order], name[order], comes[order], goes[order]
    absent = np.concatenate([[True], (name[1:] != name[:-1]) | goes[:-1]])[: len(row)]
    kind[unsure] = OPEN
    kind[row[np.isin(row, unsure) & absent]] = CREATE
    rows["size"][row[comes & ~absent]] = 1
    of_open = (kind == SETATTR) & (offset == EMPTIED) & (rows["order"] % 2 == 1)
    stay: Numbers = ~(of_open & (np.roll(kind, 1) == CREATE))
    return stay


def told_apart(rows: dict[str, Numbers]) -> None:
    """Give each file that got a name of its own in the end that name's number from its beginning.

    A file that is made as ``.tmp`` and renamed to ``a`` is ``a``; the next ``.tmp`` is another one.
    Those that are removed, or renamed over each other again and again, stay with the name by which
    they were used. The calls that rename keep the first name.
    """
    kind, file, offset = rows["kind"], rows["file"], rows["offset"]
    moved = np.flatnonzero(np.isin(kind, (RENAME, CREATE)) & (offset > 0))
    links = moved[kind[moved] == CREATE]
    second = file.copy()
    second[moved] = offset[moved] - 1
    file[links], second[links] = second[links], file[links].copy()
    offset[np.isin(kind, (RENAME, CREATE))] = 0
    if not len(moved):
        return
    names = np.unique(np.concatenate([file[moved], second[moved]]))
    done = dict.fromkeys(np.flatnonzero(np.isin(file, names) & np.isin(kind, (*_DOES,))).tolist())
    inodes: Inodes[int] = Inodes(
        (row, LINKED if one else _DOES[what], name, to_name)
        for row, one, what, name, to_name in zip(
            done,
            np.isin(list(done), links).tolist(),
            *(column[list(done)].tolist() for column in (kind, file, second)),
            strict=True,
        )
    )
    used = np.flatnonzero(np.isin(file, names) & (kind != RENAME) & (kind != LOOKUP))
    used = np.setdiff1d(used, links, assume_unique=True)
    begins = np.array(sorted(inodes.begins), np.int64)
    key = begins[:, 0] << 40 | begins[:, 1]
    at = np.searchsorted(key, file[used].astype(np.int64) << 40 | used, side="right") - 1
    inode, home = begins[at, 2], np.array(inodes.home, np.int64)
    seen = np.unique(inode)
    alone, count = np.unique(home[seen], return_counts=True)
    own = np.isin(home[inode], alone[count == 1])
    file[used[own]] = home[inode[own]]
    apart = np.isin(file[links], names) & np.isin(second[links], alone[count == 1])
    kind[links[apart]] = RENAME
    file[links[~apart]] = second[links[~apart]]


_DOES = {CREATE: MADE, OPEN: OPENED, RENAME: RENAMED, UNLINK: REMOVED}
"""What rows of these kinds do to a name."""
