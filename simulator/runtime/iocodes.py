"""Small numbers with a name in plans of parallel input and output. Not compiled itself."""

from __future__ import annotations

KINDS = ("rest", "read", "write", "send", "lock", "unlock", "barrier", "start", "wait")
REST, READ, WRITE, SEND, LOCK, UNLOCK, BARRIER, START, WAIT = range(9)
"""What a thread does next; see :class:`simulator.runtime.iosteps.Steps`."""

PARTS = (
    "calls",
    "copying",
    "computing",
    "crossbar",
    "I/O nodes",
    "disks",
    "merging",
    "file lock",
    "barrier",
    "asynchronous",
)
CALLS, COPYING, COMPUTING, CROSSBAR, NODES, DISKS, MERGING, FILE_LOCK, AT_BARRIER, LATER = range(10)
"""Where time goes: in the library and system calls; copying in the process's node; the program's
own work; ports; processors of I/O nodes; waiting for blocks; for the requests of others; for the
lock; for the other processes; for asynchronous calls to end."""
