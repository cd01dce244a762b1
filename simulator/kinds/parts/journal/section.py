"""Journals: group commit, as file systems make the changes of several callers durable at once."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import UNLIMITED, Timed
from simulator.config.quantities import Time
from simulator.service import ServiceSpec


class Journal(Timed):
    """Group commit, for syncs only: those that come while one is under way share the next."""

    uses = frozenset({"sync"})
    synonyms = {"commit": "overhead"}
    what = "journal, one commit at a time"
    order = "own"
    only_syncs = True
    directed = False
    roles = {"sync": 4}

    kind: Literal["journal"]
    """Which kind of part this is."""
    overhead: Time
    """Time of one commit, however many syncs share it."""

    def row(self) -> dict[str, Any]:
        """Return its service."""
        return {"service": ServiceSpec(UNLIMITED, self.overhead)}
