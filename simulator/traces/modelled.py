"""Calls that a model has a cost for, by their names, and which kind of operation each is."""

from __future__ import annotations

from simulator.plan.codes import (
    BARRIER,
    CLOSE,
    LOCK,
    OPEN,
    PASS,
    READ,
    RECEIVE,
    SEEK,
    SEND,
    SYNC,
    UNLOCK,
    WAIT,
    WRITE,
)
from simulator.traces import named
from simulator.traces.columns import BOTH, READS, WRITES

NOTHING, COPY = -1, -2
"""A call without a model; one that reads from a file and writes to another."""

_KINDS = {
    READ: READS | {"MPI_File_read", "fread"},
    WRITE: WRITES | {"MPI_File_write", "fwrite"},
    COPY: BOTH,
    SEEK: {"lseek", "llseek", "_llseek"},
    OPEN: {"open", "open64", "openat", "openat64", "openat2", "creat", "creat64"},
    CLOSE: {"close"},
    PASS: {"fork", "vfork", "fork1", "forkall", "forkx", "vforkx", "clone", "clone2", "clone3"},
    WAIT: {"wait4", "wait3", "waitpid", "wait"},
}
KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
SYNCS = ("fsync", "fdatasync", "fdsync", "aio_fsync", "aio_fdsync")
METADATA_OF = {**named.KIND_OF, **dict.fromkeys(SYNCS, SYNC)}
"""Calls that machines with a metadata server, or with sync, have a cost for."""

MEETING_OF = {
    "flock": LOCK,
    "funlock": UNLOCK,
    "barrier": BARRIER,
    "sendto": SEND,
    "recvfrom": RECEIVE,
}
"""Calls of simulated runs whose offset says which lock, barrier or channel it is."""
