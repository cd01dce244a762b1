# cython: infer_types=True
"""A RAID unit, which belongs to the buffer cache in front of it (native/buffers.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class RaidStation(Station):
    """No request comes to it but from its buffer cache."""

    def flatten(self, row: PartRow) -> None:
        """Leave out servers."""
        row.serve_with(0)
