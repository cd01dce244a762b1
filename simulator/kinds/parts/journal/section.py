"""Journals: group commit, as file systems make the changes of several callers durable at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from simulator.config.part import BOTH, UNLIMITED, Row, Timed
from simulator.config.quantities import Time
from simulator.kinds.dice import Dice
from simulator.service import ServiceSpec


class Journal(Timed):
    """Group commit, for syncs only: those that come while one is under way share the next."""

    uses = frozenset({"sync"})
    synonyms = {"latency": "overhead", "time": "overhead", "commit": "overhead"}
    what = "journal, one commit at a time"
    order = "own"
    only_syncs = True
    directed = False
    roles = {"sync": 4}

    kind: Literal["journal"]
    """Which kind of part this is."""
    overhead: Time
    """Time of one commit, however many syncs share it."""

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        yield Row(BOTH, "journal", {"service": ServiceSpec(UNLIMITED, self.overhead)})

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service."""
        return {"service": dice.service()}
