# cython: infer_types=True
"""A time that each request takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class DelayStation(Station):
    """Nothing queues."""

    def flatten(self, row: PartRow) -> None:
        """Leave out servers."""
        row.serve_with(0)
