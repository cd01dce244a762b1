"""Formats of logs, by what their first lines have: strace, truss, and those that are not read."""

from __future__ import annotations

import re
from pathlib import Path

from simulator.traces.errors import ForeignFormatError, TraceError, UnknownFormatError

STRACE_LINE = re.compile(
    rb"""\s*(\[pid\s+\d+(<[^>]*>)?\]\s|\d+(<.*?>)?\s+)?   # a pid
    (\d\d:\d\d:\d\d(\.\d+)?\s|\d+(\.\d+)?\s|\s*)          # a time
    (\(\+\s*\d+(\.\d+)?\)\s|)\s*                          # -tt -r
    (\[[0-9a-f?\s]+\]\s*)*                                # -n, -i
    ([a-z_?][a-z_0-9?]*\(|<\.\.\.\s|\+\+\+\s|---\s|strace:\s|\[\sProcess)""",
    re.VERBOSE | re.IGNORECASE,
)
SUMMARY_HEAD = re.compile(
    rb" *((% time|seconds|shortest|longest|usecs/call|calls|errors|syscall)( +|$))+"
)
"""The headings of the table that strace -c and -C write."""
TRUSS_ONLY = re.compile(
    rb"""Base\stime\sstamp:|\s*\d+(/\d+)?:\s|\s*(\d+\.\d{4}\s+)+[a-z_]\w*\(|\s*/\d+:\s
    |\s*[\d.\s]*[a-z_]\w*\(.*\)\s+(Err\#\d+|\(sleeping|\(waiting\sfor|\(returning\sas|argc\s=)""",
    re.VERBOSE | re.IGNORECASE,
)
"""A line that truss writes, and strace does not."""
EITHER = re.compile(rb"\s*[a-z_]\w*\(.*\)(\t|\s{2,})\s*=\s*\S", re.IGNORECASE)
"""A line that may be of truss without pids and times, or of strace."""
STRACE_ONLY = re.compile(
    rb"\[pid +\d+|<\.\.\. |\+\+\+ |--- SIG|strace: |.*(<\d+\.\d+>|= -1 E[A-Z0-9]+ \(.*\)"
    rb"|<(unfinished|detached) \.\.\.>|= \?)\s*$"
)
_CALL = r"[a-z_]\w*\(.*\)?\s*"
FOREIGN = {
    name: re.compile(form.encode(), re.IGNORECASE)
    for name, form in {
        "FreeBSD's truss": (
            rf"\s*(\d+:\s+)?(\d+\s+)?([\d.]+\s+)*{_CALL}"
            r"(=\s+-?\d+\s+\(0x[0-9a-f]+\)|ERR#-?\d+\s+')"
        ),
        "dtruss (macOS)": (
            r"\s*(PID/THRD|RELATIVE|ELAPSD|CPU|SYSCALL\(args\))\s.*=\s+return"
            rf"|\s*(\d+/0x[0-9a-f]+:\s+)?(\d+\s+)*{_CALL}=\s+-?(0x)?[0-9a-f]+\s+(Err#)?-?\d+\s*$"
        ),
        "kdump (ktrace of the BSDs)": r"\s*\d+\s+(\d+\s+)?\S+\s+([\d.]+\s+)?(CALL|RET|NAMI|GIO)\s",
        "perf trace": r"\s*[\d.]+\s+\(\s*[\d.]*\s*(ms)?\s*\):\s+\S",
    }.items()
}
"""Tools whose logs are alike and are not read, and how their lines look."""
DARSHAN_TEXT = re.compile(rb"\s?# ?(darshan log version:|DXT, file_id:)")
HINTS = {
    b"PAR1": "it is a Parquet file without nwtsim's metadata",
    b"%PDF": "it is a PDF",
    b"PK\x03\x04": "it is a zip archive; unpack it",
    b"\x7fELF": "it is a program",
}
LOOKED_AT = 200
"""Lines that are looked at."""
BLANKS = re.compile(rb"[ \t\r\f\v]{3,}")
BASE = re.compile(rb"Base time stamp:\s*(\d+)\.(\d{1,9})")
FIELDS = re.compile(rb"\s*(\d*(?:/\d+)?:)?((?:\s*\d+\.\d+\s)*)\s*[a-z_]\w+\(", re.IGNORECASE)
FEWEST = 3
"""Lines that say if a number is the time since the line before."""
TICK = 0.00011
"""Seconds by which two sums of truss's times differ by rounding."""


def truss_times(start: bytes) -> tuple[int | None, int, bool]:
    """Return the time of truss's base, how many times each line has, and if the last is of -D."""
    base = BASE.search(start)
    began = int(base[1]) * 10**9 + int(base[2].ljust(9, b"0")) if base else None
    found = [FIELDS.match(line) for line in start.split(b"\n")[:LOOKED_AT]]
    times = [(match[1], match[2].split()) for match in found if match]
    count = min(max((len(words) for _, words in times), default=0), 3)
    rows = [(who, float(words[0]), float(words[-1])) for who, words in times if len(words) == 2]
    return began, count, count == 2 and bool(base) and _are_deltas(rows)


def _are_deltas(rows: list[tuple[bytes | None, float, float]]) -> bool:
    """Return whether each second number is the time since the thread's line before (-d -D)."""
    last: dict[bytes | None, float] = {}
    seen = moved = 0
    for who, at, number in rows:
        if who in last:
            if abs(at - last[who] - number) > TICK:
                return False
            seen += 1
            moved += number > TICK
        last[who] = at
    return seen >= FEWEST and moved > 0


def detect(path: Path, start: bytes) -> str:
    """Return ``strace`` or ``truss``; an error names what else a log is."""
    lines = [_short(line) for line in start.split(b"\n")[:LOOKED_AT] if line.strip()]
    strace = sum(1 for line in lines if b"\t" not in line and STRACE_LINE.match(line))
    only = sum(1 for line in lines if STRACE_ONLY.match(line) and b"\t" not in line)
    truss = sum(1 for line in lines if TRUSS_ONLY.match(line))
    tabbed = sum(1 for line in lines if EITHER.match(line) and b"\t" in line)
    if not only and any(DARSHAN_TEXT.match(line) for line in lines):
        raise TraceError(
            f"{path}:1: text of darshan-parser or darshan-dxt-parser, which is read by itself and"
            " not compressed: decompress it, or name one file"
        )
    for name, form in FOREIGN.items():
        alike = sum(1 for line in lines if form.match(line))
        if alike > only and 4 * alike >= sum(1 for line in lines if _is_call(line)):
            raise ForeignFormatError(path, name)
    if truss > only or (truss + tabbed and truss + tabbed >= strace):
        return "truss"
    if strace or any(SUMMARY_HEAD.fullmatch(line.rstrip(b"\r")) for line in lines):
        return "strace"
    hint = next((text for magic, text in HINTS.items() if start.startswith(magic)), "")
    raise UnknownFormatError(path, start.split(b"\n", 1)[0], hint)


def _is_call(line: bytes) -> bool:
    return bool(STRACE_LINE.match(line) or TRUSS_ONLY.match(line) or EITHER.match(line))


def _short(line: bytes) -> bytes:
    """Shorten runs of blanks, of which any two, or any tab, say the same: matching stays quick."""
    return BLANKS.sub(lambda run: b"\t" if b"\t" in run[0] else b"  ", line)
