"""Calls of a log of system calls that move data of files and are not read: which, and how much.

They are in ``unknown`` of a trace. Calls that move other data (messages, the memory of another
process) are named there too, but are no part of what reports judge. What a program asks to be read
ahead is, as far as it is more than what its calls moved: they move most of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.traces.scanner import Follower

MUCH = 0.05
"""The share of a log that may be unread, by requests, bytes or time, with verdicts."""
OTHERS = ("kaio", "aio_read", "aio_write", "lio_listio")
"""Calls of other systems that begin reads and writes."""
AHEAD = ("readahead", "fadvise64", "fadvise64_64", "arm_fadvise64_64")
"""Calls that have a file read ahead; of mappings, whose bytes are named, ``madvise`` does."""
UNSAID = "of unknown length"
TIMED = ("io_uring_enter", "msync", *OTHERS)
"""Calls whose time is that of data which are not read."""

Unknown = Mapping[str, Mapping[str, int]]


def unknown_of(follower: Follower) -> dict[str, dict[str, int]]:
    """Return what a log that has been read does not say, by name, with its numbers."""
    found = {
        "inherited": {"calls": follower.inherited_calls, "bytes": follower.inherited_bytes},
        "append": {"calls": follower.append_calls, "bytes": follower.append_bytes},
        "root": {"calls": follower.root_calls},
        "mmap": {"calls": follower.mapped_calls, "bytes": follower.mapped_bytes},
        "io_uring": {"calls": follower.ring_calls, "submitted": follower.ring_submitted},
        "unfinished": {"calls": follower.unfinished},
        "skipped": {"lines": follower.skipped},
    }
    for name, calls, amount, unsized in follower.unread():
        found[name] = {"calls": calls, "bytes": amount} | ({UNSAID: unsized} if unsized else {})
    if follower.submit_lost:
        found["io_submit"] = {"calls": follower.submit_calls, "requests": follower.submit_lost}
    if follower.open_requests:
        found["without completion"] = {"requests": follower.open_requests}
    return found


def is_much(
    unknown: Unknown, *, moves: int, moved: int, took: float = 0, whole: float | None = None
) -> bool:
    """Return whether too much of a log is unread to judge it.

    ``moves`` and ``moved``: the reads and writes that were read, and their bytes. ``took``: the
    time of calls of :data:`TIMED`, and ``whole`` that of all processes.

    >>> is_much({"io_uring": {"calls": 9, "submitted": 6}}, moves=100, moved=0)
    True
    >>> is_much({"io_uring": {"calls": 9, "submitted": 5}}, moves=100, moved=0)
    False
    """
    requests, pages = _requests(unknown), _of(unknown, "msync", "bytes")
    pages += max(sum(_of(unknown, name, "bytes") for name in AHEAD) - moved, 0)
    return (
        requests > MUCH * (moves + requests)
        or pages > MUCH * (moved + pages)
        or (whole is not None and took > MUCH * whole)
    )


def lacks_of(about: Mapping[str, Any], unknown: Unknown) -> list[str]:
    """Return what a log of any kind lacks of what the program did to files, a sentence each."""
    if about.get("darshan") is None:
        return shortfalls(unknown)
    from simulator.traces import darshan_log

    return darshan_log.shortfalls(about["darshan"])


def need_calls(about: Mapping[str, Any], name: str, what: str) -> None:
    """InputError if a log called ``name`` has no single calls, which ``what`` needs."""
    darshan = about.get("darshan")
    if darshan is not None and not darshan["segments"] and "sample" not in about:
        raise InputError(
            f"{name}: this Darshan log has totals, but not the single calls that {what} needs; run"
            " the job with DXT_ENABLE_IO_TRACE=1 for a log with them ('nwtsim trace activity' shows"
            " bytes over time without)"
        )


def shortfalls(unknown: Unknown) -> list[str]:
    """Return what a log lacks of what the program did to files, a sentence each.

    >>> shortfalls({"io_uring": {"calls": 1, "submitted": 3}})
    ['1 call of io_uring_enter submitted 3 requests; their files and bytes are not in the log']
    """
    lacks = []
    calls, submitted = _of(unknown, "io_uring", "calls"), _of(unknown, "io_uring", "submitted")
    if calls:
        lacks.append(
            f"{counted(calls, 'call')} of io_uring_enter submitted"
            f" {counted(submitted, 'request')}; their files and bytes are not in the log"
        )
    rebuilt = _of(unknown, "rebuilt times", "calls")
    if rebuilt:
        lacks.append(
            f"{counted(rebuilt, 'call')} would begin before the last one of the process had ended"
            " (strace -r counts from the last line of any process, with -ff in another file);"
            " their times are made anew from durations, without what lies between such calls"
        )
    torn = _of(unknown, "contradicting times", "calls")
    if torn:
        lacks.append(
            f"{counted(torn, 'call')} begin{'s' if torn == 1 else ''} before the last one of the"
            " process has ended: times and durations contradict each other"
        )
    hidden = _of(unknown, "io_submit", "requests")
    if hidden:
        lacks.append(
            f"{counted(hidden, 'request')} of io_submit"
            f" {'is' if hidden == 1 else 'are'} not shown in full;"
            " trace with -e abbrev='!io_submit'"
        )
    if alone := _of(unknown, "without completion", "requests"):
        lacks.append(
            f"of {counted(alone, 'request')} of io_submit the log has no completion; their bytes"
            " are those that they asked for"
        )
    lacks += _of_mappings(unknown)
    known = [(name, _of(unknown, name, "calls")) for name in OTHERS if name in unknown]
    others = [f"{name} ({counted(calls, 'call')})" for name, calls in known]
    if others:
        lacks.append(f"reads and writes of {', '.join(others)} are not read")
    return lacks


def _of_mappings(unknown: Unknown) -> list[str]:
    """Return what a log lacks of mapped files, and of what was to be read ahead."""
    lacks = []
    if "msync" in unknown:
        lacks.append(
            f"{counted(_of(unknown, 'msync', 'calls'), 'call')} of msync write what was changed"
            f" in {brief_size(_of(unknown, 'msync', 'bytes'))} of mapped files; how much that was"
            " is not in the log"
        )
    ahead = [unknown[name] for name in AHEAD if name in unknown]
    if ahead:
        calls, size, unsaid = (
            sum(one.get(key, 0) for one in ahead) for key in ("calls", "bytes", UNSAID)
        )
        upto = f" up to {brief_size(size)}" if calls > unsaid else ""
        rest = (
            f" ({counted(unsaid, 'call')} up to a file's end that is not known)" if unsaid else ""
        )
        lacks.append(
            f"{counted(calls, 'call')} ask{'s' if calls == 1 else ''} the system to read{upto} of"
            f" files ahead{rest}; how much it read then is not in the log"
        )
    return lacks


def processes_text(about: Mapping[str, Any], many: int) -> str:
    """Return how many processes and threads these are, in the words that the log allows.

    ``about``: what is known of the whole log, where it has so many.

    >>> processes_text({"processes": 64, "groups": 1}, 64)
    '64 threads of 1 process'
    """
    groups = about.get("groups") if about.get("processes") == many else None
    if many in (1, groups):
        return counted(many, "process")
    if groups:
        return f"{many:,} threads of {counted(groups, 'process')}"
    return f"{many:,} processes and threads"


def _requests(unknown: Unknown) -> int:
    told = _of(unknown, "io_uring", "submitted") + _of(unknown, "io_submit", "requests")
    return told + sum(_of(unknown, name, "calls") for name in OTHERS)


def _of(unknown: Unknown, name: str, what: str) -> int:
    return unknown.get(name, {}).get(what, 0)
