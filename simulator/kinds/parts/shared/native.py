# cython: infer_types=True
"""A rate that all transfers under way share (native/sharing.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class SharedStation(Station):
    """Requests join those under way."""

    def flatten(self, row: PartRow) -> None:
        """Write what so many transfers get together."""
        row.serve_with(0)
        row.fields[P_KIND] = SHARED
        row.share(row.part.speeds)
