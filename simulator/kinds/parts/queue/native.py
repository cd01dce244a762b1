# cython: infer_types=True
"""Equal servers with one queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class QueueStation(Station):
    """A request is served by the server that is free first; or keeps one, of a pool."""

    def flatten(self, row: PartRow) -> None:
        """Write how many servers there are."""
        if row.pool:
            row.fields[P_SERVERS] = row.part.servers
            row.fields[P_SHARE] = row.tables.pools
            row.tables.pools += row.part.count
        else:
            row.serve_with(row.part.servers)
