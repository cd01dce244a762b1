"""Rows of the slow reader: what a call says of itself, and whether its numbers are sound."""

from __future__ import annotations

from dataclasses import dataclass, field
from errno import errorcode
from itertools import count

from tests.traces.slow_text import BadLineError, maybe_number, member, name, split, vector_bytes
from tests.traces.slow_words import Event, Words, words_of

ORDER = count()
FORKS = {"fork", "vfork", "clone", "clone2", "clone3", "fork1", "forkall", "vforkx", "forkx"}
SIZES: dict[str, int | str] = {  # Where bytes are asked for; a vector's sum is under "v".
    **dict.fromkeys(("read", "pread", "pread64", "recv", "recvfrom"), 2),
    **dict.fromkeys(("write", "pwrite", "pwrite64", "send", "sendto"), 2),
    **dict.fromkeys(("readv", "preadv", "preadv2", "writev", "pwritev", "pwritev2"), "v"),
    **dict.fromkeys(("vmsplice",), "v"),
    **dict.fromkeys(("recvmsg", "sendmsg"), "m"),
    **dict.fromkeys(("sendfile", "sendfile64"), 3),
    **dict.fromkeys(("copy_file_range", "splice"), 4),
    **dict.fromkeys(("tee", "readahead", "mq_timedsend", "mq_timedsend_time64", "msgsnd"), 2),
    "msync": 1,
    "kaio": 3,
}
OFFSETS = dict.fromkeys(
    ("pread", "pread64", "pwrite", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2"), 3
)
OFFSETS |= dict.fromkeys(("truncate", "truncate64", "ftruncate", "ftruncate64"), 1)
OFFSETS |= dict.fromkeys(("mmap", "mmap2", "mmap64", "old_mmap"), 1)
"""Which argument is an offset, or a length."""
BOXED = {"sendfile": (2,), "sendfile64": (2,), "copy_file_range": (1, 3), "splice": (1, 3)}
"""Arguments that are offsets in brackets."""
AIO = {"pread", "pwrite", "preadv", "pwritev", "fsync", "fdsync"}
STATS = {"stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat", "fstatat64"}
STATS |= {"fstat", "fstat64", "statx"}


@dataclass
class Row:
    """What a line says of one call: some of the columns of docs/traces.md."""

    time_ns: int | None
    duration_ns: int | None
    pid: int
    process: int
    call: str
    requested: int | None
    returned: int | None
    error: str | None


@dataclass(eq=False)
class Begun:
    """A call under way."""

    call: str
    text: str
    time: int | None
    order: int = field(default_factory=lambda: next(ORDER))
    headless: bool = False
    """The log has only the end of it."""
    child: Process | None = None
    """The process that this fork made, if it spoke before the fork returned."""


@dataclass(eq=False)
class Process:
    """A process or thread."""

    pid: int
    number: int = -1
    """-1 until its first line."""
    entered: int = -1
    """When it got its number, in the order of all that begins."""
    pending: Begun | None = None
    until: int | None = None
    """When its last call ended."""
    later: int = 0
    """How much later than its lines say its calls are, since others had not ended."""
    maker: Begun | None = None


class LostEndError(BadLineError):
    """A call begins while another is under way: the end of that one is missing."""


def describe(process: Process, begun: Begun, words: Words) -> Row:
    """The row of a call, but for its duration."""
    result = words.result
    error = None if result.error is None else name(result.error)
    asked = None if begun.headless else requested(words)
    return Row(
        begun.time, None, process.pid, process.number, begun.call, asked, result.value, error
    )


def requests(submission: Row, text: str | None) -> tuple[int, list[tuple[int, Row]]]:
    """How many accepted requests are not shown, and data and rows of the others."""
    left, rows = submission.returned or 0, []
    for one in split(text[1:-1]) if text and text.startswith("[{") else []:
        if not left or not one.startswith("{"):
            break
        done = request(one)
        if done is None:
            continue
        left -= 1
        call, size = done
        if call:
            asked = None if "sync" in call else size
            row = (submission.pid, submission.process, call, asked, size, None)
            rows.append((number_of(one, "aio_data") or 0, Row(submission.time_ns, None, *row)))
    return left, rows


def complete(open_requests: list[tuple[int, Row]], text: str | None) -> None:
    """Let requests of a context, which programs tell apart by data, have their results."""
    for one in split(text[1:-1]) if text and text.startswith("[{") else []:
        moved = maybe_number(member(one, "res"))
        if moved is None:
            continue
        mine = [row for data, row in open_requests if data == number_of(one, "data")]
        fits = [row for row in mine if (row.requested or 0) == moved]
        row = next(iter(fits or [row for row in mine if (row.requested or 0) > moved]), None)
        if row is not None:
            open_requests[:] = [pair for pair in open_requests if pair[1] is not row]
            row.returned = moved if moved >= 0 else None
            row.error = None if moved >= 0 else errorcode[-moved]


def request(text: str) -> tuple[str, int] | None:
    """What one request does, as the name of a row, and its bytes; None if it is not all shown."""
    what = member(text, "aio_lio_opcode") or ""
    call = what.removeprefix("IOCB_CMD_").lower()
    if call in ("poll", "noop"):
        return "", 0
    if number_of(text, "aio_fildes") is None or call not in AIO:
        return None
    if "sync" in call:
        return f"aio_{call}", 0
    size = number_of(text, "aio_nbytes")
    if size is None:
        size = vector_bytes(member(text, "aio_buf"))
    where = maybe_number(member(text, "aio_offset"))
    return None if size is None or where is None else (f"aio_{call}", size)


def number_of(text: str, key: str) -> int | None:
    """The number of a field, without the name that may follow it."""
    return maybe_number((member(text, key) or "").partition("<")[0])


def requested(words: Words) -> int | None:
    """How many bytes were asked for."""
    where = SIZES.get(words.call)
    if where == "v":
        return vector_bytes(words.arg(1))
    if where == "m":
        return vector_bytes(member(words.arg(1), "msg_iov"))
    return maybe_number(words.arg(where)) if isinstance(where, int) else None


def verify(words: Words) -> None:
    """Are the numbers that will be used within 64 bits? Else the line is bad."""
    requested(words)
    maybe_number(words.arg(OFFSETS.get(words.call)))
    for place in BOXED.get(words.call, ()):
        text = words.arg(place) or ""
        if text.startswith("["):
            maybe_number(text[1 : text.index("]")])
    for arg in words.args if words.call in STATS else ():
        for prefix in ("st", "stx"):
            if (member(arg, prefix + "_mode") or "").startswith("S_IFREG"):
                maybe_number(member(arg, prefix + "_size"))


def check(process: Process, event: Event) -> None:
    """Refuse a line that contradicts what is under way."""
    pending = process.pending
    if event.kind == "resumed":
        if pending is None and process.number >= 0:
            raise BadLineError(f"{event.call} resumed, but no call is under way")
        if pending and pending.call != event.call:
            raise BadLineError(f"{event.call} resumed, but {pending.call} is under way")
        if event.result:
            headless = not pending or pending.headless
            text = (pending.text if pending else "") + event.text
            verify(words_of(event.call, text, headless=headless))
    elif event.kind == "call" and pending:
        raise LostEndError(f"{event.call}, but {pending.call} is under way")
    elif event.result:
        verify(words_of(event.call, event.text))


def may_be_born(begun: Begun) -> bool:
    """Is this a fork whose child has not spoken?"""
    return begun.call in FORKS and begun.child is None
