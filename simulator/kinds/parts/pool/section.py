"""Pools of threads: a request keeps one from when it comes until its answer goes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.part import BOTH, UNLIMITED, Part, Row
from simulator.config.quantities import Count
from simulator.service import ServiceSpec


class Pool(Part):
    """Threads: a request keeps one from when it comes until its answer goes back."""

    uses = frozenset({"hold"})
    synonyms = {"threads": "servers", "count": "servers", "workers": "servers"}

    kind: Literal["pool"]
    """Which kind of part this is."""
    servers: Count
    """How many there are on each node."""

    def rows(self) -> Iterator[Row]:
        """Return one row: it has no service time of its own."""
        fields = {"service": ServiceSpec(UNLIMITED), "servers": self.servers}
        yield Row(BOTH, "queue", fields)
