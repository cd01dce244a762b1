# cython: infer_types=True
"""Group commit (``Parts.commit``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class JournalStation(Station):
    """Requests share the next commit."""

    def flatten(self, row: PartRow) -> None:
        """Have each instance remember its last commit."""
        row.serve_with(0)
        row.fields[P_KIND] = JOURNAL
        row.keep(-1, 0)
