"""Logs of any kind: of strace and truss, or of Darshan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.traces.darshan_log import DarshanTrace, is_darshan, read_darshan

if TYPE_CHECKING:
    from simulator.traces.reader import Trace


def read_logs(
    paths: Sequence[Path],
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = None,
) -> Trace | DarshanTrace:
    """Read logs, as :func:`simulator.traces.reader.read` does, or one log of Darshan."""
    if paths and is_darshan(paths[0]):
        return read_darshan(paths)
    from simulator.traces.reader import read

    return read(paths, cwd=cwd, lenient=lenient, progress=progress)
