"""A tape drive; ``DiskSpec`` says how long a request takes."""

from __future__ import annotations

from simulator.kinds.parts.disk.reference import Disk


class Tape(Disk):
    """A disk without an arm, whose mount is paid by each other file."""
