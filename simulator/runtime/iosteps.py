"""What threads do that read and write files over I/O nodes: tables of steps, requests and extents.

Threads, nodes and rows are numbered from 0; what a step is, :mod:`simulator.runtime.iocodes` says.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass


@dataclass(slots=True)
class Steps:
    """What the threads do, a row each; those of a thread stand together."""

    kind: array[int]
    think: array[int]
    """Time of the thread before it; ns."""
    part: array[int]
    """What that time counts as."""
    first: array[int]
    """Read and write: the first request. Send: the thread that gets it. Start, wait: the thread."""
    count: array[int]
    """Read and write: how many requests. Send: bytes."""


@dataclass(slots=True)
class Requests:
    """What threads ask I/O nodes for, a row each; a thread asks a node for one thing at a time."""

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
    """Requests of several threads that an I/O node merges, once all of them are there."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A process, or an asynchronous call of one."""

    name: str
    node: int
    start_ns: int
    """When it begins; -1: when it is started."""
    first: int
    """Its steps."""
    count: int
    calls: int
    """System calls that it makes."""
    read: int = 0
    """Bytes that its program asked for,"""
    written: int = 0
    """and gave."""
