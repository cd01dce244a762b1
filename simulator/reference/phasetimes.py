"""Named phases of a process: the current one, their times, and the memory held in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.reference.process import Process


class PhaseTimes:
    """The named phases of one process, whose times are added to those of its job."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.rows = process.world.phases
        self._row = -1
        """Row of the current phase; -1: none."""
        self._since_ns = 0
        """Begin of the current phase."""
        self._moved = (0, 0)
        """Bytes read and written before the current phase."""
        self._held = 0

    def begin(self, row: int) -> None:
        """Begin a phase, and hold its memory."""
        now, one = self.process.spent_ns(), self.rows[row]
        self.end(now)
        self._row, self._since_ns, self._moved = row, now, self._so_far()
        one.passes += 1
        one.begin_ns = now if one.begin_ns < 0 else min(one.begin_ns, now)
        self.hold(self.process.world.plan.named[row].memory)

    def end(self, now_ns: int) -> None:
        """End the current phase, if any."""
        if self._row < 0:
            return
        one, self._row = self.rows[self._row], -1
        one.end_ns = max(one.end_ns, now_ns)
        one.time_ns += now_ns - self._since_ns
        (read, written), before = self._so_far(), self._moved
        one.read += read - before[0]
        one.written += written - before[1]

    def hold(self, size: int) -> None:
        """Hold a number of bytes of the memory of the process's nodes from now on."""
        more, self._held = size - self._held, size
        if not more:
            return
        process = self.process
        for row, store in enumerate(process.world.plan.stores):
            if store.elastic and store.group == process.plan.group:
                for node in process.nodes:
                    process.machine.store(row, node).hold(more)

    def _so_far(self) -> tuple[int, int]:
        """Return the bytes that the process has read and written, failed calls excluded."""
        read, write = self.process.read, self.process.write
        return read.bytes - read.failed_bytes, write.bytes - write.failed_bytes
