"""Traces of any kind: logs of strace and truss, or of Darshan, and stores of calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import InputError
from simulator.extras import need
from simulator.inputfile import open_input
from simulator.traces.formats import DARSHAN_TEXT
from simulator.traces.sources import size_of
from simulator.traces.store import Store, is_store

if TYPE_CHECKING:
    from simulator.traces.store import Readable


MAGIC = (6567223).to_bytes(8, "little")
"""At byte 8 of a log of Darshan's, written on a machine that begins numbers with their end."""
STARTS = 4096
"""Bytes of a text of Darshan's in which it says so."""


def open_trace(
    paths: Sequence[Path],
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
    sample: int | None = None,
) -> Readable:
    """Open logs, as :func:`read_logs` does, or one store."""
    if is_one_store(paths, "pyarrow"):
        return Store(paths[0])
    return read_logs(paths, cwd=cwd, lenient=lenient, progress=progress, sample=sample)


def is_one_store(paths: Sequence[Path], *needed: str) -> bool:
    """Return whether these are one store, not logs; InputError for a store among others.

    MissingExtraError if what is ``needed`` is not installed.
    """
    for path in paths:
        size_of(path)  # That there is none is said before what is not installed.
    need(*needed)
    if not (paths and paths[0].is_file() and is_store(paths[0])):
        return False
    if len(paths) > 1:
        raise InputError(f"{paths[0]} is a store; name it alone, or name logs")
    return True


def read_logs(
    paths: Sequence[Path],
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
    sample: int | None = None,
) -> Readable:
    """Read logs, as :func:`simulator.traces.reader.read` does, or one log of Darshan.

    One log that ``nwtsim trace record`` has made has its record in ``about``, and its folder as
    ``cwd``. ``sample``: the seed by which calls are drawn for a log of Darshan's without any.
    """
    if paths and is_darshan(paths[0]):
        from simulator.traces.darshan_log import read_darshan

        return read_darshan(paths, text=is_text_of_darshan(paths[0]), sample=sample)
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
