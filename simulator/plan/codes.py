"""Small numbers with a name: operations, kinds of tiers, phases, policies. Not compiled itself."""

from __future__ import annotations

OPERATIONS = (
    "seek",
    "read",
    "write",
    "open",
    "close",
    "pass",
    "wait",
    "pause",
    "stat",
    "sync",
    "lock",
    "unlock",
    "barrier",
    "send",
    "receive",
    "ask-read",
    "ask-write",
    "start",
    "join",
    "job",
    "call",
)
"""The name of each operation; its place is its number. ``job`` is what an arrival asks for, and
``call`` one of a numerical server."""
SEEK, READ, WRITE, OPEN, CLOSE, PASS, WAIT, PAUSE = range(8)
STAT, SYNC, LOCK, UNLOCK, BARRIER, SEND, RECEIVE, ASK_READ, ASK_WRITE, START, JOIN, JOB, CALL = (
    range(8, 21)
)

STAGE, WORK, HOLD, REQUEST, STRIPE, FORWARD, STORE, BUFFERS, END = range(9)
LOCKS = 11
TIERS = {
    **dict(enumerate(("stage", "work", "hold", "request", "stripe", "forward", "store"))),
    BUFFERS: "buffers",
    END: "end",
    LOCKS: "locks",
}
"""The kinds of tiers; see :class:`simulator.plan.paths.TierPlan`."""

PHASES = ("compute", "stream", "operations", "mesh", "calls")
COMPUTE, STREAM, LISTED, MESH, CALLS = range(5)
"""The kinds of phases."""

CLOSE_FREE, CLOSE_QUEUE, CLOSE_FLUSH = range(3)
"""What closing a file that was written does: nothing; ask for the write-back of its dirty blocks
if the store's ``close`` trigger says so; wait until they are on the device."""

FIXED, POISSON, AT_TIMES = range(3)
"""How jobs arrive: at a fixed interval, at exponentially distributed intervals, at given times."""
