"""What calls and copies of an MPI-IO library cost."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.service import ServiceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySpec:
    """What calls and copies cost on the node of a process; times ns, sizes bytes."""

    call_ns: int
    """One system call."""
    item_ns: int
    """Putting one piece on a list."""
    item: int
    """Bytes of a piece on a list."""
    stride: int
    """Bytes of the four numbers."""
    copy: ServiceSpec
    """Copying in the library."""
    transfer_buffer: int
    """Bytes of a call that are under way at one time."""
    sieve_buffer: int
    exchange_buffer: int
    lock_ns: int
    """Asking for the file's lock, and giving it back."""
    barrier_ns: int
    """Telling the others that one has come."""
    node_copy: ServiceSpec
    """Copying in an I/O node, for its server programs."""
    locks: bool = True
    """Whether there is a lock for writes of several pieces."""
