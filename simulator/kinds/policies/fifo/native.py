# cython: infer_types=True
"""First in, first out: the block that has been clean for longest goes, used or not."""

from __future__ import annotations

from simulator.native.policy import Policy


class FifoPolicy(Policy):
    """As :class:`Policy` has it: uses change nothing."""
