"""Which format a file has, by what it begins with."""

from __future__ import annotations

import re
from pathlib import Path

from simulator.traces.errors import UnknownFormatError

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
TRUSS_LINE = re.compile(
    rb"""Base\stime\sstamp:|(\d+(/\d+)?:\s+([\d.]+\s+){0,2}|\s*([\d.]+\s+){1,2})?
    [a-z_][a-z_0-9]*\(.*\)?(\t|\s{2,})\s*(=\s|Err\#\d+|\(sleeping|\(returning|argc\s=)|\d+(/\d+)?:\s""",
    re.VERBOSE | re.IGNORECASE,
)
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
FIELDS = re.compile(rb"(?:\d+(?:/\d+)?:)?((?:\s*\d+\.\d+\s)*)\s*[a-z_]\w+\(", re.IGNORECASE)


def truss_times(start: bytes) -> tuple[int | None, int]:
    """Return the time of truss's base, if it says that, and how many times each line has."""
    base = BASE.search(start)
    began = int(base[1]) * 10**9 + int(base[2].ljust(9, b"0")) if base else None
    lines = (FIELDS.match(line) for line in start.split(b"\n")[:LOOKED_AT])
    counts = [len(match[1].split()) for match in lines if match]
    return began, min(max(counts, default=0), 3)


def detect(path: Path, start: bytes) -> str:
    """Return ``strace`` or ``truss``."""
    lines = [_short(line) for line in start.split(b"\n")[:LOOKED_AT] if line.strip()]
    truss = sum(1 for line in lines if _is_truss(line))
    strace = sum(1 for line in lines if b"\t" not in line and STRACE_LINE.match(line))
    if truss > strace or (truss and truss == strace):
        return "truss"
    if strace or any(SUMMARY_HEAD.fullmatch(line.rstrip(b"\r")) for line in lines):
        return "strace"
    hint = next((text for magic, text in HINTS.items() if start.startswith(magic)), "")
    raise UnknownFormatError(path, start.split(b"\n", 1)[0], hint)


def _short(line: bytes) -> bytes:
    """Shorten runs of blanks, of which any two, or any tab, say the same: matching stays quick."""
    return BLANKS.sub(lambda run: b"\t" if b"\t" in run[0] else b"  ", line)


def _is_truss(line: bytes) -> bool:
    return bool(TRUSS_LINE.match(line)) and not re.search(rb"\) += [^\t]*$", line)
