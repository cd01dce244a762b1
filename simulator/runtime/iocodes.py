"""Small numbers with a name in tables of parallel input and output. Not compiled itself."""

from __future__ import annotations

REST, READ, WRITE, SEND, LOCK, UNLOCK, BARRIER = range(7)
"""What a process does next; see :class:`simulator.runtime.iosteps.Steps`."""

CALLS, COPYING = range(2)
"""What time of a process counts as: the library and system calls, or copying in its node."""
