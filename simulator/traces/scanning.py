"""The scanner of logs, which is compiled: what it is told of system calls, and where it is from."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from simulator.traces.errors import TraceError
from simulator.traces.syscalls import known_calls, specs

if TYPE_CHECKING:
    from array import array

    from simulator.traces.scanner import Follower, Scanner

MISSING = (
    "this installation cannot read logs of system calls, whose scanner is compiled: install nwtsim"
    " from a wheel, or a C++ compiler (Debian: g++) and then run 'make setup' in a checkout"
)


@cache
def _known() -> tuple[bytes, array[int]]:
    """Return the names of the calls that are known, a line each, and the table of them."""
    return "\n".join(known_calls()).encode(), specs()


def new_follower(batch: int, *, lenient: bool) -> Follower:
    """Return what makes rows, so many in a batch; TraceError if there is no scanner."""
    try:
        from simulator.traces.scanner import Follower
    except ImportError:
        raise TraceError(MISSING) from None
    return Follower(*_known(), batch, lenient)


def new_scanner(tokens: int, truss: tuple[int, bool, int | None] | None) -> Scanner:
    """Return what makes so many tokens at once of lines of strace, or of truss with its times."""
    from simulator.traces.scanner import Scanner

    return Scanner(*_known(), tokens, *(truss or ()))
