# cython: infer_types=True
"""Redundant arrays of disks (native/arrays.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class ArrayStation(Station):
    """Each disk is a queue of its own."""

    def flatten(self, row: PartRow) -> None:
        """Write the numbers of the array, in the order of ``AS_DISKS`` and those that follow."""
        spec = row.part.spec
        row.serve_with(0)
        row.fields[P_KIND] = ARRAY
        row.fields[P_SHARE] = row.tables.arrays
        row.tables.arrays += row.part.count
        row.own(spec.disks, spec.parities, spec.unit, spec.capacity, spec.overhead_ns)
        row.tables.own.extend((spec.seek_ns, spec.turn_ns, spec.step, spec.rebuild))
