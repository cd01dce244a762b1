"""The library of the NWT as it was cured: it predicts the lengths of records (paper NWT, sec. 5.3).

Its calls are in :mod:`simulator.kinds.runtimes.nwt`.
"""

from __future__ import annotations

from simulator.kinds.runtimes.nwt import Nwt


class NwtPredicted(Nwt):
    """It writes the length of the record before in advance, and goes back if that was wrong."""

    goes_back = False
