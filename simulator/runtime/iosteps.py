"""Steps of processes that read and write files over I/O nodes: requests and extents.

Processes, nodes and rows are numbered from 0.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

CALLS, COPYING = range(2)
"""Category of a process's time: the library and system calls, or copying in its node."""


@dataclass(slots=True)
class Steps:
    """The steps of processes, a row each; those of a process are contiguous."""

    kind: array[int]
    """Operation; ``ASK_READ`` and ``ASK_WRITE`` request fragments of a file from I/O nodes."""
    think: array[int]
    """Time of the process before the step; ns."""
    part: array[int]
    """Category of that time."""
    first: array[int]
    """Read and write: first request. Send: receiving process. System call: offset."""
    count: array[int]
    """Read and write: number of requests. Send and system call: bytes."""


@dataclass(slots=True)
class Requests:
    """Requests to I/O nodes, a row each; a process has one request per node at a time."""

    node: array[int]
    size: array[int]
    """Bytes of data."""
    message: array[int]
    """Bytes of the request message, without header and data."""
    pieces: array[int]
    group: array[int]
    """The merged request that it belongs to; -1 if none."""
    first: array[int]
    """Its extents, if it is not merged."""
    count: array[int]


@dataclass(slots=True)
class Groups:
    """Requests of several processes that an I/O node merges, once all of them have arrived."""

    members: array[int]
    size: array[int]
    more: array[int]
    """Additional time of the node's processor; ns."""
    first: array[int]
    count: array[int]


@dataclass(slots=True)
class ExtentRows:
    """Bytes ``low`` to ``high`` of a block of a sub-file."""

    block: array[int]
    low: array[int]
    high: array[int]
