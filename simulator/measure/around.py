"""What goes on around a sample: others that want its processor, data that wait to be written."""

from __future__ import annotations

from pathlib import Path

from simulator.measure.facts import memory_of
from simulator.measure.probe import Around


def waited(process: int | str = "self") -> float | None:
    """Return the seconds that a process waited for a processor so far; None if not told."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


def around(before: float | None, after: float | None, elapsed: float) -> Around | None:
    """Return what goes on now, from two readings of :func:`waited`; None where it is not told."""
    dirty = memory_of("Dirty")
    if before is None or after is None or dirty is None or elapsed <= 0:
        return None
    return Around((after - before) / elapsed, dirty)
