"""Small numbers with a name that the compiled modules of the reader share. Not compiled itself.

For the compiler they are constants of C (declaring.py), but for the bytes: both take all, by
``import *`` and ``cimport *``.
"""

from __future__ import annotations

NULL = -(2**63)
"""An absent value in a column of 64 bits."""
ABSENT = -(2**31)
"""An absent value in a column of 32 bits."""
MOST = 2**63 - 1
"""The largest number kept; larger ones up to 2^64 - 1 count as this one."""

(
    CALL,
    UNFINISHED,
    RESUMED,
    ENDED,
    SUPERSEDED,
    DAMAGED,
    ATTACHED,
    LATE,
    CHILD,
    SIGNAL,
    SUMMARY,
) = range(1, 12)
"""What a line is: a whole call, the first or last part of one, a process's end, ...; LATE is a
line that adds to the call before (truss -v), CHILD a fork that returns as child (truss); SUMMARY
has the form of a line of the table that strace -C writes, its VALUE is which."""

TABLE_TITLE, TABLE_HEAD, TABLE_RULE, TABLE_ROW = range(1, 5)
"""Lines of that table: what precedes it, its headings, dashes, and a row of numbers."""

(
    KIND,
    NUMBER,
    START,
    END,
    PID,
    LWP,
    TIME,
    CLOCK,
    WHICH,
    NAME,
    NAME_END,
    ARGS,
    ARGS_END,
    COUNT,
    ARG,
) = range(15)
"""Fields of a token: what it is, its line in the block, where that begins and ends, who, when, by
which kind of clock, which known call (or -1), the call's name, its arguments, how many."""
MOST_ARGS = 7
RESULT = ARG + MOST_ARGS
VALUE, VALUE_AT, ERROR, ERROR_END, DURATION, OTHER, WIDTH = range(RESULT + 1, RESULT + 8)
"""What a call returned, where that stands, the error's name, how long it took."""

NO_CLOCK, WALL, EPOCH, STEPS = range(4)
"""Times in a log: none, of the day, since 1970 (or the log's begin), since the line before."""

NOTHING, A_NUMBER, AN_ERROR = range(3)
"""A result: none (``= ?``), a number, an error."""

(
    UNREADABLE,
    HOLE,
    TOO_LARGE,
    CUT_OFF,
    BACKWARDS,
    NOT_RESUMED,
    NOTHING_RESUMED,
    NO_TIME,
    BAD_DURATION,
    TOO_LONG,
    BROKEN,
    TORN,
) = range(1, 13)
"""What is wrong with a line."""

KINDS = (
    "file",
    "directory",
    "device",
    "inherited",
    "pipe",
    "socket",
    "eventfd",
    "epoll",
    "timerfd",
    "signalfd",
    "inotify",
    "memfd",
    "pidfd",
    "userfaultfd",
    "perf_event",
    "fanotify",
    "io_uring",
    "fscontext",
    "mount",
    "mqueue",
    "landlock-ruleset",
)
"""Kinds of open files, as they are numbered."""
FILE, DIRECTORY, DEVICE, INHERITED, PIPE, SOCKET = range(6)
MEMFD, MOUNTED, MQUEUE = KINDS.index("memfd"), KINDS.index("mount"), KINDS.index("mqueue")

ACTS = (  # noqa: SIM905 - a table of words, not of quotation marks
    "nothing read write pread pwrite preadv2 pwritev2 sendfile copy seek llseek open creat close"
    " dup dup2 fcntl pair make signalfd fork clone exec chdir fchdir stat truncate unlink rename"
    " link symlink mmap uring ioctl close_range unshare allocate openat2"
    " chroot setns mount submit context unread"
).split()
"""What a call does to descriptors, names and positions."""

(
    DO_NOTHING,
    READ,
    WRITE,
    PREAD,
    PWRITE,
    PREADV2,
    PWRITEV2,
    SENDFILE,
    COPY,
    SEEK,
    LLSEEK,
    OPEN,
    CREAT,
    CLOSE,
    DUP,
    DUP2,
    FCNTL,
    MAKE_PAIR,
    MAKE,
    SIGNALFD,
    FORK,
    CLONE,
    EXEC,
    CHDIR,
    FCHDIR,
    STAT,
    TRUNCATE,
    UNLINK,
    RENAME,
    LINK,
    SYMLINK,
    MMAP,
    URING,
    IOCTL,
    CLOSE_RANGE,
    UNSHARE,
    ALLOCATE,
    OPENAT2,
    CHROOT,
    SETNS,
    MOUNT,
    SUBMIT,
    CONTEXT,
    UNREAD,
) = range(len(ACTS))

(
    AIO_READ,
    AIO_WRITE,
    AIO_READV,
    AIO_WRITEV,
    AIO_SYNC,
    AIO_DATASYNC,
    AIO_NOTHING,
) = range(7)
"""What a request of io_submit does."""


CLONE_FILES, CLONE_FS = b"CLONE_FILES", b"CLONE_FS"
"""Flags of clone: what the child shares."""

(
    ACT,
    FD,
    DIR,
    PATH,
    FD2,
    DIR2,
    PATH2,
    BYTES,
    VECTOR,
    OFFSET,
    OFFSET2,
    FLAGS,
    PAIR,
    MAKES,
    MOVING,
    SIMPLE,
    SPECS,
) = range(17)
"""Columns of a call's row in ``specs``; an argument that it has not is -1."""

PLAIN, QUOTE, COMMA, OPENS, CLOSES, ANGLE = range(6)
"""Classes of characters, where arguments are told apart (text.py)."""

BITS, WIDE = 4, 16
"""Entries of a node of a table of descriptors, and how many bits of one choose among them."""

ROOM, FIELDS = 256, 9
"""Of a first part (heads.py): its bytes, where longer ones, which are rare, are kept as objects;
and its numbers: how many bytes, how many arguments, and where the first of those begin."""
