"""Whether processes are at the same place at two moments, but for how often they came there.

A process comes on in one way only: of what it repeats, a single number has grown, and all others
are as they were. So none was begun anew in between, and each period adds the same to that one.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.moments import DiffersError, differing
from simulator.native.sameactors import SameActors
from simulator.native.statekinds import FREE, process_rows

if TYPE_CHECKING:
    from simulator.native.flatten import Flat


class SameProcesses(SameActors):
    """Where processes are, and what clients know of files."""

    def _compare_processes(self, flat: Flat) -> None:
        """Compare the places of processes, and how far each has come in what it repeats."""
        stride, count = flat.stride, len(flat.plan.processes)
        self._rows("Clients.process", process_rows(stride))
        if self.then.streams != memoryview(flat.clients.streams.cells):
            raise DiffersError("a stream")
        steps: dict[int, int] = {}
        then, process = self.then.copies["Clients.process"], self.tables.view("Clients.process")
        rounds = process[c.X_ROUND :: stride].tolist()
        for number, was in enumerate(then[c.X_ROUND :: stride].tolist()[:count]):
            if was != rounds[number]:
                self._repeat(number * stride, rounds[number] - was)
                steps[number * stride] = 1
        self._compare_loops(flat, steps)
        self._compare_arrivals(flat, steps)
        if any(number > 1 for number in steps.values()):
            raise DiffersError("a process comes on in two ways")

    def _repeat(self, x: int, step: int) -> None:
        """A process has gone through its phases again."""
        process = self.tables.view("Clients.process")
        if step < 0:
            raise DiffersError("rounds")
        self._add(process, x + c.X_ROUND, step)
        done, row = process[x + c.X_ROUND], process[x + c.X_UNTIL]
        if row < 0:
            self.limit((process[x + c.X_REPEAT] - 1 - done) // step)
            return
        then, rounds = self.then.copies["Clients.rounds"], self.tables.view("Clients.rounds")
        if not self.flat.clients.awaited:
            self.limit((rounds[row] - 1 - done) // step)
        elif rounds[row] - then[row] != step:
            raise DiffersError("rounds of those that go on as long as others")

    def _compare_loops(self, flat: Flat, steps: dict[int, int]) -> None:
        """Compare how often loops have been gone through: one of a process, if any."""
        then, phase = self.then.copies["Clients.phase"], self.tables.view("Clients.phase")
        firsts = memoryview(flat.clients.process)[c.X_FIRST_PHASE :: flat.stride].tolist()
        for number, was, value in differing(then, phase):
            row, column = divmod(number, c.H_ROWS)
            kind = phase[row * c.H_ROWS + c.H_KIND]
            if column == c.H_WATCH:
                continue
            if column != c.H_PASSES:
                raise DiffersError("a phase")
            if kind == c.W_LOOP:
                step = value - was
                if step < 0:
                    raise DiffersError("a loop")
                self._add(phase, number, step)
                self.limit((phase[row * c.H_ROWS + c.H_COUNT] - 1 - value) // step)
                x = (bisect_right(firsts, row) - 1) * flat.stride
                steps[x] = steps.get(x, 0) + 1
            elif phase[row * c.H_ROWS + c.H_DRAW] >= 0:
                raise DiffersError("places that are drawn")

    def _compare_arrivals(self, flat: Flat, steps: dict[int, int]) -> None:
        """Compare how many jobs have arrived, at fixed distances."""
        then, arrivals = self.then.copies["Clients.arrivals"], self.tables.view("Clients.arrivals")
        taken: set[int] = set()
        for number, was, value in differing(then, arrivals):
            row = number - number % c.G_ROWS
            step = value - was
            if number - row != c.G_TAKEN or arrivals[row + c.G_KIND]:
                raise DiffersError("arrivals")
            if step * arrivals[row + c.G_GAP] != self.passed:
                raise DiffersError("arrivals at other times")
            self._add(arrivals, number, step)
            self.limit((arrivals[row + c.G_COUNT] - value) // step)
            taken.add(row // c.G_ROWS)
        process = self.tables.view("Clients.process")
        for number in range(len(flat.plan.processes) if taken else 0):
            x = number * flat.stride
            if process[x + c.X_ARRIVALS] in taken:
                steps[x] = steps.get(x, 0) + 1

    # -- what clients know ------------------------------------------------------------------------

    def _compare_known(self) -> None:
        """Compare what clients know of files: whether it is the last version, and until when."""
        old, new = self.then.copies["Clients.version"], self.tables.view("Clients.version")
        for number, was, value in differing(old, new):
            self._add(new, number, value - was)
        name = "Clients.known"
        then, known = self.then.copies[name], self.tables.view(name)
        for row in range(0, len(known), c.R_ROWS):
            then_row, row_now = (
                then[row : row + c.R_ROWS].tolist(),
                known[row : row + c.R_ROWS].tolist(),
            )
            file = row_now[c.R_FILE]
            step = row_now[c.R_VERSION] - then_row[c.R_VERSION]
            stale = then_row[c.R_VERSION] != old[file] and row_now[c.R_VERSION] != new[file]
            if not stale and step != new[file] - old[file]:
                raise DiffersError("what a client knows")
            if not stale and step:
                self._add(known, row + c.R_VERSION, step)
            until = row + c.R_UNTIL
            if bool(then_row[c.R_UNTIL]) != bool(row_now[c.R_UNTIL]):
                raise DiffersError("until when a client knows")
            if then_row[c.R_UNTIL] != row_now[c.R_UNTIL]:
                self.cell(name, FREE, known, until, then_row[c.R_UNTIL], row_now[c.R_UNTIL])
            self._still_free(name, then[until : until + 1], known[until : until + 1])
            for field in (c.R_CLIENT, c.R_FILE, c.R_NAME, c.R_LIFE):
                if then_row[field] != row_now[field]:
                    raise DiffersError("what a client knows")
