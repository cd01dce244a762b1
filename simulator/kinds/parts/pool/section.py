"""Pools of threads: a request keeps one from when it comes until its answer goes back."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import UNLIMITED, Part
from simulator.config.quantities import Count
from simulator.service import ServiceSpec


class Pool(Part):
    """Threads: a request keeps one from when it comes until its answer goes back."""

    uses = frozenset({"hold"})
    engine = "queue"
    synonyms = {"threads": "servers", "count": "servers", "workers": "servers"}

    kind: Literal["pool"]
    """Which kind of part this is."""
    servers: Count
    """How many there are on each node."""

    def row(self) -> dict[str, Any]:
        """Return its servers, without a service time of their own."""
        return {"service": ServiceSpec(UNLIMITED), "servers": self.servers}
