"""Journals: group commit, as file systems make the changes of several callers durable at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from simulator.config.part import UNLIMITED, Timed, spec_of
from simulator.config.quantities import Time
from simulator.config.section import default
from simulator.kinds.dice import Dice
from simulator.kinds.traits import PartSpec
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSpec(PartSpec):
    """How long a commit waits for further requests."""

    wait_ns: int = 0
    """From the first request for a commit until it may begin."""


class Journal(Timed):
    """Group commit, for syncs only: those that come before the next one begins share it."""

    uses = frozenset({"sync"})
    synonyms = {"commit": "overhead", "delay": "wait", "max_batch_time": "wait"}
    later = frozenset(("wait",))
    spec = JournalSpec
    what = "journal, one commit at a time"
    order = "own"
    only_syncs = True
    directed = False
    roles = {"sync": 4}

    kind: Literal["journal"]
    """Which kind of part this is."""
    overhead: Time
    """Time of one commit, however many syncs share it."""

    wait: Time = default(Nanoseconds(0), "PostgreSQL: commit_delay 0; MySQL: sync delay 0")
    """For how long a commit waits, from the first sync for it on, so that others join it."""

    def row(self) -> dict[str, Any]:
        """Return its service, and how long it waits."""
        return {
            "service": ServiceSpec(UNLIMITED, self.overhead),
            "spec": spec_of(JournalSpec, self),
        }

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service, and how long a commit waits."""
        return {"service": dice.service(), "spec": JournalSpec(wait_ns=dice.time_ns())}
