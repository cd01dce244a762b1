"""Small numbers with a name in tables of parallel input and output. Not compiled itself."""

from __future__ import annotations

REST, READ, WRITE, SEND, LOCK, UNLOCK, BARRIER, CALL_SEEK, CALL_READ, CALL_WRITE = range(10)
"""What a process does next; see :class:`simulator.runtime.iosteps.Steps`.

READ and WRITE ask I/O nodes for pieces of a file, the last three are system calls."""

CALLS, COPYING = range(2)
"""What time of a process counts as: the library and system calls, or copying in its node."""
