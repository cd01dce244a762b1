# cython: infer_types=True
"""Work for a core of its node: a delay, or a task (native/sharing.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class CoreStation(Station):
    """Nothing queues here; where tasks can wait for a core, the engine makes one of a request."""

    def flatten(self, row: PartRow) -> None:
        """Leave out servers."""
        row.serve_with(0)
