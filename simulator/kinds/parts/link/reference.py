"""A link that transfers over several links share; who gets how much, the network decides."""

from __future__ import annotations

from typing import Any

from simulator.kinds.parts.link.spec import BYTE, LinkSpec
from simulator.reference.part import Part


class Link(Part):
    """One link; see :class:`simulator.reference.services.network.Network`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: LinkSpec = self.plan.spec
        self.capacity: int = self.spec.capacity
        self.carried = 0
        """Of transfers that have ended, in 1 / BYTE bytes."""

    def alone_for(self, size: int) -> int:
        """Return the time of a transfer without others, without the latency."""
        return -(-size * BYTE // self.capacity)
