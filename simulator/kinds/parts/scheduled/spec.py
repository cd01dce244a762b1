"""A disk behind a scheduler: what Linux's schedulers are told, with Linux's own defaults.

Modelled are directions, deadlines, batches, fair queueing with budgets, idling, merging, and the
drive's own queue. Not modelled: priorities and weights, bfq's low latency (raised weights), its
feedback on budgets and its detection of seeks; merging of requests that the drive has already; a
drive's choice by rotation.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.parts.disk.spec import DiskSpec

SCHEDULERS = ("none", "mq-deadline", "bfq")
"""By number; the names are Linux's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledSpec(DiskSpec):
    """A disk with a scheduler; times in ns, sizes in bytes."""

    policy: int = 0
    """Number of the scheduler in ``SCHEDULERS``."""
    ncq: int = 1
    """Commands that the drive has at once, the one under way included."""
    merge: int = 0
    """Most bytes of a command made of several requests; 0: none is."""
    read_expire_ns: int = 500_000_000
    """mq-deadline: time from which on a read that waits goes before its turn."""
    write_expire_ns: int = 5_000_000_000
    writes_starved: int = 2
    """mq-deadline: batches of reads before one of writes, if any wait."""
    fifo_batch: int = 16
    """mq-deadline: most commands of a batch."""
    slice_ns: int = 125_000_000
    """bfq: time after which a queue gives up the disk."""
    slice_idle_ns: int = 8_000_000
    """bfq: for how long the disk waits for the next read of a file."""
    budget: int = 8 << 20
    """bfq: bytes after which a queue gives up the disk."""
