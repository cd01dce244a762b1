"""Errors of traces: what may be wrong with a log, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = 100
"""How many characters of a line a message shows."""

WRONG = {
    "UNREADABLE": "this is no line of a trace",
    "HOLE": "zero bytes: a hole, as a crash or a full disk leaves",
    "TOO_LARGE": "a number with more than 64 bits",
    "CUT_OFF": "the last line is cut off",
    "BACKWARDS": "the time goes back",
    "NOT_RESUMED": "a call begins while another of the same process has not ended",
    "NOTHING_RESUMED": "a call ends that has not begun",
    "NO_TIME": "the time is missing, or of another kind than in the lines before",
    "BAD_DURATION": "this duration is no number of seconds",
    "TOO_LONG": "a line of more than 64 MiB",
    "TORN": "the call begins before the last one of its process has ended, here and in further"
    " lines: times and durations contradict each other",
}
"""What is wrong with a line, by its name in the scanner."""


class TraceError(InputError):
    """A trace that cannot be read."""


class DamagedTraceError(TraceError):
    """A trace of which a part is damaged."""

    def __init__(self, path: Path, line: int, wrong: str, read: bytes = b"") -> None:
        shown = f": {_shown(read)}" if read else ""
        super().__init__(
            f"{path}:{line}: {wrong}{shown}; trace again, or pass over what is damaged with"
            " --lenient, which counts it"
        )


class UnknownFormatError(TraceError):
    """A file that is no trace."""

    def __init__(self, path: Path, read: bytes, hint: str = "") -> None:
        found = hint or f"it begins with {_shown(read)}"
        super().__init__(
            f"{path}:1: neither strace's nor truss's format: {found}; write logs as"
            " 'strace -f -ttt -T -o LOG COMMAND' does"
        )


class ForeignFormatError(TraceError):
    """A log of a tool that is alike, and whose logs are not read."""

    def __init__(self, path: Path, tool: str) -> None:
        super().__init__(
            f"{path}:1: a log of {tool}, whose logs are not read; record the program with"
            " 'strace -f -ttt -T -o LOG COMMAND' on Linux, or 'truss -fldE -o LOG COMMAND' on"
            " Solaris and illumos"
        )


def _shown(read: bytes) -> str:
    text = read[:SHOWN].decode("utf-8", "backslashreplace")
    printed = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return repr(printed).replace("\\\\", "\\") + ("..." if len(read) > SHOWN else "")


class DarshanError(InputError):
    """A log of Darshan, or a text that its parsers write of one, that cannot be read."""
