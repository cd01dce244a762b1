"""Columns of a store of calls, calls by what they do, and rows as batches; see docs/traces.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

    from simulator.traces.scanner import Follower

COLUMNS = {
    "time_ns": "int64",
    "duration_ns": "int64",
    "pid": "int32",
    "process": "int32",
    "call": "text",
    "fd": "int32",
    "kind": "text",
    "file": "text",
    "to_file": "text",
    "offset": "int64",
    "to_offset": "int64",
    "requested": "int64",
    "returned": "int64",
    "error": "text",
    "flags": "text",
}
"""Name and type of each column; every one but ``pid``, ``process`` and ``call`` may be null."""

READS = frozenset(
    {"read", "pread", "pread64", "readv", "preadv", "preadv2", "recv", "recvfrom", "recvmsg"}
    | {"aio_pread", "aio_preadv"}
)
WRITES = frozenset(
    {"write", "pwrite", "pwrite64", "writev", "pwritev", "pwritev2", "send", "sendto", "sendmsg"}
    | {"aio_pwrite", "aio_pwritev"}
)
BOTH = frozenset(
    {"sendfile", "sendfile64", "sendfilev", "copy_file_range", "splice", "tee", "vmsplice"}
)
"""Calls that read from one descriptor and write to another."""
REQUESTS = ("aio_pread", "aio_pwrite", "aio_preadv", "aio_pwritev", "aio_fsync", "aio_fdsync")
"""Requests of ``io_submit``, which have rows of their own behind its; not calls."""
SUBMITS = ("io_submit",)
REAPS = ("io_getevents", "io_pgetevents", "io_pgetevents_time64")
"""Calls that wait for requests. The offset of their rows, and of ``io_submit``, is the context."""
MOVES = READS | WRITES | BOTH
"""Calls whose result is the number of bytes that they moved."""
SEEKS = ("lseek", "_llseek", "llseek")
CREATS = ("creat", "creat64")
"""Opens with O_CREAT and O_TRUNC."""
OPENS = ("open", "open64", "openat", "openat64", "openat2", *CREATS)
RENAMES = ("rename", "renameat", "renameat2")
LINKS = ("link", "linkat")
"""Calls that give a file a second name."""
UNLINKS = ("unlink", "unlinkat")
MAPS = ("mmap", "mmap2")
EXECS = ("execve", "execveat")
"""Calls that start a program."""

METADATA_KEY = b"nwtsim"
"""Where the file's metadata hold what is known of the whole trace, as JSON."""


def schema() -> pyarrow.Schema:
    """Return the columns as pyarrow's schema; texts are dictionaries."""
    import pyarrow as pa

    types = {
        "int64": pa.int64(),
        "int32": pa.int32(),
        "text": pa.dictionary(pa.int32(), pa.string()),
    }
    sure = {"pid", "process", "call"}
    return pa.schema(
        [pa.field(name, types[kind], nullable=name not in sure) for name, kind in COLUMNS.items()]
    )


SLEEPS = frozenset(("nanosleep", "clock_nanosleep", "clock_nanosleep_time64"))
"""Calls that last as long as they say, whether traced or not."""
WAITS = frozenset(
    (
        *("futex", "futex_time64", "futex_waitv", "poll", "ppoll", "ppoll_time64", "select"),
        *("_newselect", "pselect6", "pselect6_time64", "epoll_wait", "epoll_pwait"),
        *("epoll_pwait2", "wait4", "wait3", "waitpid", "waitid", "wait", "accept", "accept4"),
        *("connect", "flock", "msgrcv", "msgsnd", "semop", "semtimedop", "mq_timedreceive"),
        *("mq_timedsend", "rt_sigtimedwait", "rt_sigsuspend", "sigsuspend", "pause"),
        *("mq_timedreceive_time64", "mq_timedsend_time64", "semtimedop_time64"),
        *("rt_sigtimedwait_time64", "recvmmsg", "recvmmsg_time64", "sendmmsg"),
        *("io_uring_enter", "restart_syscall"),
        # Solaris and FreeBSD
        *("pollsys", "lwp_park", "lwp_wait", "lwp_cond_wait", "lwp_sema_timedwait", "waitsys"),
        *("sigtimedwait", "kevent", "_umtx_op", "wait6"),
        *REAPS,
    )
)
"""Calls that last until somebody else has done something: the sooner, the less that is traced."""
LOCKS = frozenset(("fcntl", "fcntl64"))
"""Calls that wait for others if they ask for a lock (F_SETLKW), which rows do not say;"""
LOCK_NS = 1_000_000
"""how long they last at least then."""
TERMINALS = r"^/dev/(pts/|tty|console$|ptmx$|input/)"
"""Devices that data come from when a person, or another program, sends some."""
TIMED = frozenset(
    (
        *("poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6", "pselect6_time64"),
        *("epoll_wait", "epoll_pwait", "epoll_pwait2", "io_getevents"),
        *("pollsys", "kevent"),
    )
)
"""Calls that return 0 when their time has passed; others say so by an error."""


WORDS = ("call", "kind", "error", "flags")
"""Columns with few texts, whose dictionary only grows."""


class Batches:
    """The batches of one follower."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._words = dict.fromkeys(WORDS, _texts((0, bytes(4), b"")))

    def next(self) -> pyarrow.RecordBatch | None:
        """Return the oldest rows as a batch, or None: they are kept back, since they may change."""
        import pyarrow as pa

        ready = self._follower.batch()
        if ready is None:
            return None
        count, columns, names = ready
        for name, known in self._words.items():
            if (more := self._follower.words(name, len(known))) is not None:
                self._words[name] = _texts(more)
        texts = self._words | {name: _texts(some) for name, some in names.items()}
        made = []
        for name, kind in COLUMNS.items():
            values, present = columns[name]
            bits = None if present is None else pa.py_buffer(present)
            form = pa.int64() if kind == "int64" else pa.int32()
            numbers = pa.Array.from_buffers(form, count, [bits, pa.py_buffer(values)])
            if kind == "text":
                numbers = pa.DictionaryArray.from_arrays(numbers, texts[name], safe=False)
            made.append(numbers)
        return pa.RecordBatch.from_arrays(made, schema=schema())


def _texts(some: tuple[int, Any, Any]) -> pyarrow.StringArray:
    """Return texts that stand one after the other; pa.array would import pandas to look at them."""
    import pyarrow as pa

    count, ends, data = some
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(data))
