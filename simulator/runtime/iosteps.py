"""Steps of processes that read and write files over I/O nodes: requests and extents.

Processes, nodes and rows are numbered from 0.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

CALLS, COPYING = range(2)
"""What time of a process counts as: the library and system calls, or copying in its node."""


@dataclass(slots=True)
class Steps:
    """What the processes do, a row each; those of a process stand together."""

    kind: array[int]
    """An operation; ``ASK_READ`` and ``ASK_WRITE`` ask I/O nodes for pieces of a file."""
    think: array[int]
    """Time of the process before it; ns."""
    part: array[int]
    """What that time counts as."""
    first: array[int]
    """Read and write: the first request. Send: the process that gets it. System call: offset."""
    count: array[int]
    """Read and write: how many requests. Send and system call: bytes."""


@dataclass(slots=True)
class Requests:
    """What I/O nodes are asked for, a row each; a process asks a node for one thing at a time."""

    node: array[int]
    size: array[int]
    """Bytes of data."""
    message: array[int]
    """Bytes of the message that asks, without header and data."""
    pieces: array[int]
    group: array[int]
    """The merged request that it is a part of; -1 if it stands alone."""
    first: array[int]
    """Its extents, if it stands alone."""
    count: array[int]


@dataclass(slots=True)
class Groups:
    """Requests of several processes that an I/O node merges, once all of them are there."""

    members: array[int]
    size: array[int]
    more: array[int]
    """Further time of the node's processor; ns."""
    first: array[int]
    count: array[int]


@dataclass(slots=True)
class ExtentRows:
    """Bytes ``low`` to ``high`` of a block of a sub-file."""

    block: array[int]
    low: array[int]
    high: array[int]
