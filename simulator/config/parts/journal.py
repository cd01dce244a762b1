"""Journals: group commit, as file systems make the changes of several callers durable at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.parts.base import BOTH, Row, Timed
from simulator.config.quantities import Time
from simulator.service import ServiceSpec

UNLIMITED = float("inf")


class Journal(Timed):
    """A journal: one commit at a time; syncs that come while one is under way share the next."""

    uses = frozenset({"sync"})
    synonyms = {"latency": "overhead", "time": "overhead", "commit": "overhead"}

    kind: Literal["journal"]
    """Which kind of part this is."""
    overhead: Time
    """Time of one commit, however many syncs share it."""

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        yield Row(BOTH, "journal", {"service": ServiceSpec(UNLIMITED, self.overhead)})
