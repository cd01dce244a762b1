"""A file closed after each small write, where a close waits until the bytes are on the device.

Found: streams with many closes after writes, on file systems with ``close: flush`` (NFS). Cured by
keeping the file open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.answers.patterns.open_storm import flushed, found

if TYPE_CHECKING:
    from simulator.answers.advise import Finding
    from simulator.answers.program import Program

NAME = "close-flush"


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    pairs = flushed(program)
    pairs = pairs[~program.written_by_others(pairs) & ~program.replaced(pairs)]
    what = "that write to it: each close waits until what was written is on the device"
    return found(program, NAME, pairs, what)
