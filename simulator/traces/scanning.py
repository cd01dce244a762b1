"""The scanner of logs, which is compiled: what it is told of system calls, and where it is from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.traces.errors import TraceError
from simulator.traces.syscalls import described_calls

if TYPE_CHECKING:
    from simulator.traces.scanner import Follower, Scanner

MISSING = (
    "this installation cannot read logs of system calls, whose scanner is compiled: install nwtsim"
    " from a wheel, or a C++ compiler (Debian: g++) and then run 'make setup' in a checkout"
)


def new_follower(batch: int, *, lenient: bool) -> Follower:
    """Return what makes rows, so many in a batch; TraceError if there is no scanner."""
    try:
        from simulator.traces.scanner import Follower
    except ImportError:
        raise TraceError(MISSING) from None
    return Follower(described_calls(), batch, lenient)


def new_scanner(tokens: int, truss: tuple[int, bool, int | None] | None) -> Scanner:
    """Return what makes so many tokens at once of lines of strace, or of truss with its times."""
    from simulator.traces.scanner import Scanner

    return Scanner(described_calls(), tokens, *(truss or ()))
