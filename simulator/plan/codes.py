"""Kinds of tiers, phases and operations, by their names in programs."""

from __future__ import annotations

from simulator.runtime.operations import *  # noqa: F403 - a plan's operations are these

STAGE, WORK, HOLD, REQUEST, STRIPE = "stage", "work", "hold", "request", "stripe"
FORWARD, STORE, BUFFERS, END = "forward", "store", "buffers", "end"
COMMIT, EXPORT, LOCKS = "sync", "export", "locks"
TIERS = (
    *(STAGE, WORK, HOLD, REQUEST, STRIPE, FORWARD, STORE, BUFFERS, END),
    *(COMMIT, EXPORT, LOCKS),
)
"""The kinds of tiers that others than their folders in ``simulator/kinds/tiers`` know, in the order
of their numbers in the native engine; see :class:`simulator.plan.paths.TierPlan`."""

PHASES = ("compute", "stream", "operations", "mesh", "calls", "loop")
COMPUTE, STREAM, LISTED, MESH, CALLS, LOOP = range(6)
"""The kinds of phases. ``loop`` stands at the end of the phases that it repeats."""

CLOSE_FREE, CLOSE_QUEUE, CLOSE_FLUSH, CLOSE_REPLACED = range(4)
"""Effects of closing a file that was written: none; ask for the write-back of its dirty blocks
if the store's ``close`` trigger says so; wait until they are on the device; ask for it only if the
file was emptied and written anew, or is renamed to a name that is there."""
REPLACED = 2
"""The size of a listed ``close`` of a file that was emptied and written anew; 1 if only written."""

OPEN_ASKS, OPEN_CHECKS, OPEN_CACHED = range(3)
"""Further effects of opening a file: none; the server is asked, and blocks of a file that another
client has changed go (close-to-open); attributes that are known answer it, too (nocto)."""

FIXED, POISSON, AT_TIMES = range(3)
"""Arrivals of jobs: at a fixed interval, at exponentially distributed intervals, at given times."""
