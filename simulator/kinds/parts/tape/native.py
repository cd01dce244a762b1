# cython: infer_types=True
"""Tape drives: disks without an arm, whose mount is paid by each other file."""

from __future__ import annotations

from simulator.kinds.parts.disk.native import DiskStation


class TapeStation(DiskStation):
    """As :class:`DiskStation` has it."""
