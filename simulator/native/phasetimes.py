# cython: infer_types=True
"""What each phase of a job takes: times and bytes of all its processes; and what they hold in it.

A process is in one named phase from its begin on until the next one begins, or it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.clock import NEVER
from simulator.native.codes import *
from simulator.native.processes import Processes
from simulator.native.tiers import Tiers
from simulator.native.writeback import WriteBack
from simulator.runtime.streams import RecordStreams

if TYPE_CHECKING:
    from simulator.native.tables import ProcessTables


class PhaseTimes(Processes):
    """Processes with their named phases."""

    def __init__(
        self, tiers: Tiers, back: WriteBack, streams: RecordStreams, tables: ProcessTables
    ) -> None:
        super().__init__(tiers, back, streams, tables)
        self.named = tables.named
        """Phases of jobs, as the workload has them; sums have a carry of 2**62 beside them."""
        self.cut = tables.cut
        """Of lists with several of these: operations before which the next begins, and its row."""
        self.holdings = tables.holdings
        """What processes hold in memory: rows, of which the first is nothing."""

    def begin_named(self, x: int, row: int) -> None:
        """A process comes to a named phase, which ends the one that it is in."""
        now = self.clock.now + self.process[x + X_PENDING]
        self.end_named(x, now)
        self.process[x + X_NAMED] = row
        self.process[x + X_NAMED_SINCE] = now
        self.process[x + X_NAMED_READ] = self.moved(x, X_READ_BYTES, FL_READ)
        self.process[x + X_NAMED_WRITTEN] = self.moved(x, X_WRITE_BYTES, FL_WRITE)
        self.named[row + PH_PASSES] += 1
        if self.named[row + PH_BEGIN] < 0 or now < self.named[row + PH_BEGIN]:
            self.named[row + PH_BEGIN] = now
        if self.named[row + PH_HOLDING] != self.process[x + X_HOLDING]:
            self.hold_other(x, self.named[row + PH_HOLDING])

    def end_named(self, x: int, now: int) -> None:
        """A process leaves the named phase that it is in, if any."""
        row = self.process[x + X_NAMED]
        if row < 0:
            return
        self.process[x + X_NAMED] = -1
        self.named[row + PH_END] = max(now, self.named[row + PH_END])
        self.add_to(row + PH_TIME, now - self.process[x + X_NAMED_SINCE])
        read = self.moved(x, X_READ_BYTES, FL_READ) - self.process[x + X_NAMED_READ]
        self.add_to(row + PH_READ, read)
        written = self.moved(x, X_WRITE_BYTES, FL_WRITE) - self.process[x + X_NAMED_WRITTEN]
        self.add_to(row + PH_WRITTEN, written)

    def moved(self, x: int, bytes_cell: int, failed_cell: int) -> int:
        """Bytes that a process has read, or written, less what calls asked for that failed."""
        failed = self.failed[self.process[x + X_NUMBER] * FL_ROWS + failed_cell]
        return self.process[x + bytes_cell] - failed

    def add_to(self, cell: int, value: int) -> None:
        """Add to a sum of more than 62 bits; what a phase has moved may be less than nothing.

        Bytes of a call that fails are less than none until its phase is over.
        """
        total = self.named[cell] + value
        if total >= NEVER:
            total -= NEVER
            self.named[cell + 1] += 1
        elif total < 0:
            total += NEVER
            self.named[cell + 1] -= 1
        self.named[cell] = total

    def pass_cut(self, x: int) -> bool:
        """Within a list, begin the named phase that follows; False at the end of the list."""
        cut = self.process[x + X_CUT]
        if self.cut[cut + CUT_NAMED] < 0:
            return False
        self.begin_named(x, self.cut[cut + CUT_NAMED])
        self.process[x + X_CUT] = cut + CUT_ROWS
        self.process[x + X_ROW_END] = self.cut[cut + CUT_ROWS + CUT_AT]
        return True

    # -- memory ---------------------------------------------------------------------------------

    def hold(self, x: int, sign: int) -> None:
        """Let a process take what it holds in memory (1), or give it back (-1)."""
        row = self.process[x + X_HOLDING]
        if row:
            self.hold_more(x, self.holdings[row + HO_GROUP], sign * self.holdings[row + HO_BYTES])

    def hold_other(self, x: int, row: int) -> None:
        """Let a process hold what a row has, instead of what it has held."""
        before = self.process[x + X_HOLDING]
        self.process[x + X_HOLDING] = row
        group = self.holdings[max(row, before) + HO_GROUP]  # One of them may be nothing.
        self.hold_more(x, group, self.holdings[row + HO_BYTES] - self.holdings[before + HO_BYTES])

    def hold_more(self, x: int, group: int, size: int) -> None:
        """Let a process hold so many more bytes on its nodes, or fewer if negative."""
        self.back.hold(group, self.process[x + X_NODE], self.process[x + X_NODES], size)
