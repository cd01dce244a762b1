"""Small numbers with a name that several modules of the engine use. Not compiled itself."""

from __future__ import annotations

READY, BLOCKED, ENDED = -1, -2, -3
"""What a step returns where it returns no time: go on at once, wait for somebody, no more."""

WORKS = ("read", "write", "compute", "calls")
WORK_READ, WORK_WRITE, WORK_COMPUTE, WORK_CALLS = range(4)
"""What a phase does."""

PATHS = ("scfs", "nfs", "svio")
SCFS, NFS, SVIO = range(3)
"""How it reaches its file."""

START = 0
"""The place of a client that has not begun."""
