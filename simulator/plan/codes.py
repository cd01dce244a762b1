"""Kinds of tiers, phases and operations, by their names in programs."""

from __future__ import annotations

from simulator.runtime.operations import *  # noqa: F403 - a plan's operations are these

STAGE, WORK, HOLD, REQUEST, STRIPE = "stage", "work", "hold", "request", "stripe"
FORWARD, STORE, BUFFERS, END = "forward", "store", "buffers", "end"
COMMIT, EXPORT, LOCKS, BEFORE = "sync", "export", "locks", "before"
TIERS = (
    *(STAGE, WORK, HOLD, REQUEST, STRIPE, FORWARD, STORE, BUFFERS, END),
    *(COMMIT, EXPORT, LOCKS, BEFORE),
)
"""The kinds of tiers that are known outside of their folders in ``simulator/kinds/tiers``, in the
order of their numbers in the native engine; see :class:`simulator.plan.paths.TierPlan`."""

PHASES = ("compute", "stream", "operations", "mesh", "calls", "loop")
COMPUTE, STREAM, LISTED, MESH, CALLS, LOOP = range(6)
"""The kinds of phases. A ``loop`` follows the phases that it repeats."""

CLOSE_FREE, CLOSE_QUEUE, CLOSE_FLUSH, CLOSE_REPLACED = range(4)
"""Effects of closing a written file: none; request write-back of its dirty blocks if the store
has the ``close`` trigger; wait until they are on the device; request write-back only if the file
was truncated and rewritten, or is renamed to an existing name."""
REPLACED = 2
"""Size of a listed ``close`` of a file that was truncated and rewritten; 1 if only written."""

OPEN_ASKS, OPEN_CHECKS, OPEN_CACHED = range(3)
"""Effects of opening a file: none; a request to the server, and invalidation of blocks of a file
that another client has changed (close-to-open); or cached attributes suffice (nocto)."""

FIXED, POISSON, AT_TIMES = range(3)
"""Arrivals of jobs: at a fixed interval, at exponentially distributed intervals, at given times."""
