"""Listed calls: which one a client is at, who waits for which mark, and the log of all calls."""

from __future__ import annotations

from array import array

from simulator.engine.native.clock import Clock
from simulator.result.calls import CallLog
from simulator.runtime.listed import CallTable


class Listing:
    """The calls of a plan's table, the clients' places in it, and what they have called."""

    def __init__(self, clock: Clock, clients: int, table: CallTable) -> None:
        self.clock = clock
        self.kind = table.kind
        self.file = table.file
        self.offset = table.offset
        self.size = table.size
        self.gap = table.gap
        # Where each client is: its row, the row after its last, whether the gap has been counted.
        self.at = array("q", [0]) * clients
        self.end = array("q", [0]) * clients
        self.counted = array("q", [0]) * clients
        self.called = array("q", [0]) * clients
        """When the client's call began; ns."""
        # Marks, and the clients that wait for one: a chain from the first, in no order.
        self.passed = array("b", [0]) * table.marks
        self.waiting = array("q", [-1]) * table.marks
        self.after = array("q", [-1]) * clients
        # The log: a stretch for each client.
        self.recording = 0
        self.next_row = array("q", [0]) * clients
        self.log_kind = array("b")
        self.log_file = array("i")
        self.log_offset = array("q")
        self.log_size = array("q")
        self.log_begin = array("q")
        self.log_end = array("q")

    def record(self, log: CallLog) -> None:
        """Write the calls of each client to its rows of a log."""
        self.next_row = array("q", log.first)
        self.log_kind = log.kind
        self.log_file = log.file
        self.log_offset = log.offset
        self.log_size = log.size
        self.log_begin = log.begin
        self.log_end = log.end
        self.recording = 1

    def note(self, c: int, kind: int, file: int, offset: int, size: int, end: int) -> None:
        """Write down a call that began at ``called``."""
        if self.recording:
            row = self.next_row[c]
            self.next_row[c] = row + 1
            self.log_kind[row] = kind
            self.log_file[row] = file
            self.log_offset[row] = offset
            self.log_size[row] = size
            self.log_begin[row] = self.called[c]
            self.log_end[row] = end

    def begin(self, c: int, first: int, calls: int) -> None:
        """A client begins a phase of listed calls."""
        self.at[c] = first
        self.end[c] = first + calls
        self.counted[c] = 0

    def wait(self, c: int, mark: int) -> None:
        """A client waits for a mark to be passed."""
        self.after[c] = self.waiting[mark]
        self.waiting[mark] = c

    def pass_by(self, mark: int) -> None:
        """Pass a mark: all that wait for it go on."""
        self.passed[mark] = 1
        client = self.waiting[mark]
        self.waiting[mark] = -1
        while client >= 0:
            self.clock.wake(client)
            client = self.after[client]
