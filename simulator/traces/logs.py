"""Logs of any kind: of strace and truss, or of Darshan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.inputfile import open_input
from simulator.traces.formats import DARSHAN_TEXT

if TYPE_CHECKING:
    from simulator.traces.darshan_log import DarshanTrace
    from simulator.traces.reader import Trace

MAGIC = (6567223).to_bytes(8, "little")
"""At byte 8 of a log of Darshan's, written on a machine that begins numbers with their end."""
STARTS = 4096
"""Bytes of a text of Darshan's in which it says so."""


def read_logs(
    paths: Sequence[Path],
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
) -> Trace | DarshanTrace:
    """Read logs, as :func:`simulator.traces.reader.read` does, or one log of Darshan.

    One log that ``nwtsim trace record`` has made has its record in ``about``, and its folder as
    ``cwd``.
    """
    if paths and is_darshan(paths[0]):
        from simulator.traces.darshan_log import read_darshan

        return read_darshan(paths, text=is_text_of_darshan(paths[0]))
    from simulator.traces.reader import read
    from simulator.traces.record import record_of_log

    record = record_of_log(paths[0]) if len(paths) == 1 else None
    if record is not None and cwd is None:
        cwd = record.cwd
    trace = read(paths, cwd=cwd, lenient=lenient, progress=progress)
    if record is not None:
        trace.about["record"] = record.to_record()
    return trace


def is_darshan(path: Path) -> bool:
    """Return whether a file is a log of Darshan, or calls itself one."""
    if path.name.endswith(".darshan"):
        return True
    if not path.is_file():
        return False
    with open_input(path) as file:
        start = file.read(16)
    return start[8:] in {MAGIC, MAGIC[::-1]} or is_text_of_darshan(path)


def is_text_of_darshan(path: Path) -> bool:
    """Return whether a file is what Darshan's parsers write."""
    if not path.is_file():
        return False
    with open_input(path) as file:
        start = file.read(STARTS)
    return any(DARSHAN_TEXT.match(line) for line in start.split(b"\n"))
