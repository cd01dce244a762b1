# cython: infer_types=True
"""The processor of a node: a process spends time there, and may share it (native/sharing.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class CpuStation(Station):
    """What copying and calling cost."""

    def flatten(self, row: PartRow) -> None:
        """Write the times of calls and records."""
        spec = row.part.spec
        row.serve_with(0)
        row.fields[P_KIND] = CPU
        row.fields[P_CALL] = spec.call_overhead_ns
        row.fields[P_TURN] = spec.turn_overhead_ns
        row.fields[P_UNIT] = spec.turn_unit
        row.fields[P_RECORD] = spec.record_overhead_ns
        row.copy_rate = 1e9 / spec.copy_rate
