"""A redundant array of disks: each disk a queue of its own, first come, first served.

What a request reads joins the disks' queues when it comes; what it writes, once all is read. Before
either, failures and rebuilding up to now are carried out, in the order of their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import simpy

from simulator.kinds.parts.array.spec import ArraySpec
from simulator.plan.errors import within
from simulator.plan.events import FOREVER, Calendar, Pair
from simulator.reference.actor import Actor
from simulator.reference.part import Load, Station
from simulator.result.result import ArrayResult

READ, WRITE = range(2)  # What the next step of a rebuild does.
Spans = dict[int, tuple[int, int]]
"""Of disks that are used: the first address, and that after the last."""


class Disk:
    """One disk of an array."""

    def __init__(
        self, spec: ArraySpec, failing: Calendar | None, slow: Calendar | None, label: str
    ) -> None:
        """``failing``: when it is not there; ``slow``: its speeds; ``label``: of its array."""
        self.spec = spec
        self.label = label
        self.failing = failing
        self.slow = slow
        self.free_ns = 0
        self.head = -1
        self.reader = 0
        """The request that its last access was a read for; 0 if it was none."""
        self.valid = FOREVER
        """The address up to which its data are right; ALWAYS: all of them."""
        self.back_ns = 0
        """When it is replaced."""
        self.fails_ns = FOREVER if failing is None else failing.next(0, down=True)
        """When it fails next."""

    def has(self, end: int) -> bool:
        """Return whether its data are right up to an address."""
        return self.valid >= end

    def goes_on(self, now_ns: int, low: int) -> bool:
        """Return whether it is free at a time, its head at an address, and always as fast."""
        return self.head == low and self.free_ns <= now_ns and self.slow is None

    def access(self, now_ns: int, low: int, high: int, *, again: bool = False) -> tuple[int, int]:
        """Queue an access now; return when it begins and ends. ``again``: it was just read.

        LimitError if it ends later than a run may.
        """
        start_ns = max(now_ns, self.free_ns)
        if again:
            service_ns = self.spec.rewrite_ns(high - low)
        else:
            gap = low - self.head if self.head >= 0 else -1
            service_ns = self.spec.access_ns(gap, high - low, start_ns - self.free_ns)
        self.head, self.reader = high, 0
        end_ns = start_ns + within(service_ns, self.label)
        if self.slow is not None:
            end_ns = self.slow.end_of(start_ns, service_ns)
        self.free_ns = within(end_ns, self.label)
        return start_ns, end_ns


class Array(Station):
    """Disks in rows: see ``ArraySpec``."""

    joins = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: ArraySpec = self.plan.spec
        self.disks = [Disk(self.spec, None, None, self.label) for _ in range(self.spec.disks)]
        self.counts = ArrayResult(self.plan.label)
        self._readers = 0
        """Requests that have read what they need before they write."""
        self._target = -1
        """The disk that is being rebuilt,"""
        self._step, self._step_ns = READ, 0
        """what its next step does, and when;"""
        self._begun_ns = 0
        """when the step began that is under way,"""
        self._idle_ns = 0
        """and when the last rebuild ended."""
        self._degraded_ns = -1
        """Since when not all disks have all data; -1: they have."""

    def attach(self, calendars: dict[int, Pair]) -> None:
        """Have things happen to some of the disks."""
        for disk, (failing, slow) in calendars.items():
            self.disks[disk] = Disk(self.spec, failing, slow, self.label)

    # -- requests -------------------------------------------------------------------------------

    def join(self, actor: Actor, load: Load) -> Iterator[simpy.Event]:
        """Queue what is read, and when that has ended what is written, at the disks."""
        self.advance(actor.now)
        self.count(load.size, 0)
        low, high = load.span[0], load.span[0] + load.size
        writes = load.writes and load.size > 0
        *reads, written = self._spans(actor.now, low, high, writes=writes)
        reader = 0
        if any(reads):
            self._readers += 1
            reader = self._readers
            yield self._pass(actor, reads, reader, writes=False)
            if not writes:
                return
            self.advance(actor.now)
            *_, written = self._spans(actor.now, low, high, writes=True)
        yield self._pass(actor, [written], reader, writes=True)

    def _pass(
        self, actor: Actor, accesses: Sequence[Spans], reader: int, *, writes: bool
    ) -> simpy.Event:
        """Queue accesses now; yield what it returns to await the last one, which is charged.

        A disk that has done nothing since it has read for the ``reader`` is at the end of that.
        """
        now_ns = end_ns = begin_ns = actor.now
        for number, one in enumerate(self.disks):
            for spans in accesses:
                if number not in spans:
                    continue
                low, high = spans[number]
                again = writes and 0 < reader == one.reader
                begun, ended = one.access(now_ns, low, high, again=again)
                one.reader = 0 if writes else reader
                self.busy_ns += ended - begun
                self.note(begun, ended - begun, high - low, f"disk {number}")
                if writes:
                    self.counts.written_bytes += high - low
                else:
                    self.counts.read_bytes += high - low
                if ended > end_ns:
                    begin_ns, end_ns = begun, ended
        actor.charge(self.column, begin_ns - now_ns, end_ns - begin_ns)
        return actor.until(within(end_ns, self.label))

    def _nearest(self, now_ns: int, low: int) -> list[int]:
        """Return which of each two mirrors is read from an address of the array on.

        The one that is free earlier; of two that are free now, the one whose head is there.
        """
        unit, (row, begin) = self.spec.unit, divmod(low, self.spec.columns * self.spec.unit)
        found = []
        for first in range(0, 0 if self.spec.parities else self.spec.disks, 2):
            at = row * unit + min(unit, max(0, begin - first // 2 * unit))
            ranks = [
                (max(now_ns, one.free_ns), one.head != at) for one in self.disks[first : first + 2]
            ]
            found.append(first + (ranks[1] < ranks[0]))
        return found

    def _spans(
        self, now_ns: int, low: int, high: int, *, writes: bool
    ) -> tuple[Spans, Spans, Spans]:
        """Return what is read of each disk, of the last row by itself, and what is written then.

        Of what is written only the first and the last row can be in part.
        """
        reads: Spans = {}
        reads_last: Spans = {}
        written: Spans = {}
        whole = self.spec.columns * self.spec.unit
        nearest = self._nearest(now_ns, low)
        first, last = low // whole, max(low, high - 1) // whole
        rows: Sequence[int] = range(first, last + 1)
        if all(disk.valid == FOREVER for disk in self.disks):
            # Rows between are whole, and lie within what as many rows as disks at each end span.
            end_row = max(first + self.spec.disks + 1, last - self.spec.disks)
            rows = (*rows[: self.spec.disks + 1], *range(end_row, last + 1))
        for row in rows:
            begin = max(0, low - row * whole)
            end = min(whole, high - row * whole)
            if not writes:
                self._read_row(row, begin, end, reads, nearest)
            elif not self.spec.parities:
                self._mirror_row(row, begin, end, written)
            else:
                self._write_row(row, begin, end, reads if row == first else reads_last, written)
        return reads, reads_last, written

    def _pieces(self, begin: int, end: int) -> list[tuple[int, int, int]]:
        """Return the units of a row that bytes of it lie in: column, and where in the unit."""
        unit = self.spec.unit
        return [
            (column, max(0, begin - column * unit), min(unit, end - column * unit))
            for column in range(begin // unit, max(begin, end - 1) // unit + 1)
        ]

    def _has(self, disk: int, row: int) -> bool:
        return self.disks[disk].has((row + 1) * self.spec.unit)

    def _use(self, spans: Spans, disk: int, row: int, low: int, high: int) -> None:
        first, last = row * self.spec.unit + low, row * self.spec.unit + high
        if disk in spans:
            first, last = min(first, spans[disk][0]), max(last, spans[disk][1])
        spans[disk] = first, last

    def _read_row(self, row: int, begin: int, end: int, reads: Spans, nearest: list[int]) -> None:
        for column, low, high in self._pieces(begin, end):
            disk = self.spec.disk_of(row, column)
            if not self.spec.parities:
                twins = self._has(disk, row) and self._has(disk + 1, row)
                disk = nearest[column] if twins else disk + (not self._has(disk, row))
                self._use(reads, disk, row, low, high)
            elif self._has(disk, row):
                self._use(reads, disk, row, low, high)
            else:
                self.counts.reconstructed_bytes += high - low
                for other in self._sources(row):
                    self._use(reads, other, row, low, high)

    def _sources(self, row: int) -> list[int]:
        """Return the first disks that have as much of a row as it takes to know all of it."""
        there = [disk for disk in range(self.spec.disks) if self._has(disk, row)]
        return there[: self.spec.columns]

    def _mirror_row(self, row: int, begin: int, end: int, written: Spans) -> None:
        for column, low, high in self._pieces(begin, end):
            for disk in (2 * column, 2 * column + 1):
                if self._has(disk, row):
                    self._use(written, disk, row, low, high)

    def _write_row(self, row: int, begin: int, end: int, reads: Spans, written: Spans) -> None:
        """Write units and parity; of a part of a row, what the parity needs is read before."""
        spec, pieces = self.spec, self._pieces(begin, end)
        _, low, high = pieces[0] if len(pieces) == 1 else (0, 0, spec.unit)
        parities = [spec.parity_of(row, number) for number in range(spec.parities)]
        parities = [disk for disk in parities if self._has(disk, row)]
        there = [one for one in pieces if self._has(spec.disk_of(row, one[0]), row)]
        for column, first, last in there:
            self._use(written, spec.disk_of(row, column), row, first, last)
        for disk in parities:
            self._use(written, disk, row, low, high)
        if end - begin == spec.columns * spec.unit or not parities:
            return
        if len(there) == len(pieces):
            for column, first, last in pieces:
                self._use(reads, spec.disk_of(row, column), row, first, last)
            for disk in parities:
                self._use(reads, disk, row, low, high)
            return
        touched = {column for column, _, _ in pieces}
        others = [spec.disk_of(row, c) for c in range(spec.columns) if c not in touched]
        known = [disk for disk in others if self._has(disk, row)]
        for disk in known if len(known) == len(others) else self._sources(row):
            self._use(reads, disk, row, low, high)

    # -- failures and rebuilding ----------------------------------------------------------------

    def advance(self, now_ns: int) -> None:
        """Carry out failures and steps of rebuilding up to a time; of equal ones failures first."""
        while True:
            failing = min(range(len(self.disks)), key=lambda one: self.disks[one].fails_ns)
            fails_ns, step_ns = self.disks[failing].fails_ns, self._next_step()
            if min(fails_ns, step_ns) > now_ns:
                return
            if fails_ns <= step_ns:
                self._fail(failing)
            elif self._step == READ:
                if not self._leap(step_ns, min(now_ns, fails_ns - 1)):
                    self._read_step(step_ns)
            else:
                self._write_step(step_ns)

    def finish(self, end_ns: int) -> ArrayResult:
        """Carry out what happens up to the end of a run; return what happened."""
        self.advance(end_ns)
        if self._degraded_ns >= 0:
            self.counts.degraded_ns += end_ns - self._degraded_ns
            self._degraded_ns = end_ns
        return self.counts

    def _fail(self, number: int) -> None:
        disk = self.disks[number]
        assert disk.failing is not None
        now_ns = disk.fails_ns
        disk.valid, disk.back_ns = 0, disk.failing.next(now_ns, down=False)
        disk.fails_ns = disk.failing.next(disk.back_ns, down=True)
        self.counts.failures += 1
        if self._target == number:
            self._give_up()
        if self._degraded_ns < 0:
            self._degraded_ns = now_ns
        if self._is_lost(number):
            self._lose(now_ns)

    def _is_lost(self, number: int) -> bool:
        """Return whether data are lost once a disk has failed."""
        if not self.spec.parities:
            return self.disks[number ^ 1].valid < FOREVER
        return sum(disk.valid < FOREVER for disk in self.disks) > self.spec.parities

    def _lose(self, now_ns: int) -> None:
        """Count it, and go on as if all disks were new, with all data from elsewhere."""
        if not self.counts.losses:
            self.counts.first_loss_ns = now_ns
        self.counts.losses += 1
        for disk in self.disks:
            disk.valid = FOREVER
        if self._target >= 0:
            self._give_up()
        self._whole(now_ns)

    def _give_up(self) -> None:
        """End a rebuild before its disk is whole; the next begins after the step under way."""
        self._target, self._step, self._idle_ns = -1, READ, self._step_ns

    def _whole(self, now_ns: int) -> None:
        self.counts.degraded_ns += now_ns - self._degraded_ns
        self._degraded_ns = -1

    def _next_step(self) -> int:
        """Return when the next step of a rebuild is; it begins with the disk replaced first."""
        if self._target < 0:
            waiting = [n for n, disk in enumerate(self.disks) if disk.valid < FOREVER]
            if not waiting:
                return FOREVER
            first = min(waiting, key=lambda one: self.disks[one].back_ns)
            return max(self.disks[first].back_ns, self._idle_ns)
        return self._step_ns

    def _leap(self, now_ns: int, until_ns: int) -> int:
        """Carry out equal steps up to a time by arithmetic; return how many, all of whole size.

        They are equal if each disk goes on where its last step ended, at its usual speed.
        """
        if self._target < 0:
            return 0
        target, size = self.disks[self._target], self.spec.step
        low = target.valid
        sources = [self.disks[number] for number in self._rebuilt_from()]
        service_ns = self.spec.access_ns(0, size)
        period_ns = max(2 * service_ns, self.spec.pace_ns(size))
        count = (self.spec.capacity - low - 1) // size
        if period_ns:
            count = min(count, (until_ns - now_ns) // period_ns)
        if count < 1 or not all(one.goes_on(now_ns, low) for one in (target, *sources)):
            return 0
        if any(one.valid < FOREVER for one in sources):
            return 0
        last_ns = now_ns + (count - 1) * period_ns
        for disk in (target, *sources):
            disk.head, disk.free_ns = low + count * size, last_ns + service_ns
            disk.reader = 0
        target.free_ns += service_ns
        target.valid = low + count * size
        self.counts.rebuild_read_bytes += count * size * len(sources)
        self.counts.rebuilt_bytes += count * size
        self._begun_ns, self._step_ns = last_ns, last_ns + period_ns
        return count

    def _rebuilt_from(self) -> list[int]:
        """Return the disks that a step reads."""
        if not self.spec.parities:
            return [self._target ^ 1]
        whole = [n for n, disk in enumerate(self.disks) if disk.valid == FOREVER]
        return whole[: self.spec.columns]

    def _read_step(self, now_ns: int) -> None:
        """Read what the next bytes of the disk follow from."""
        if self._target < 0:
            waiting = [n for n, disk in enumerate(self.disks) if disk.valid < FOREVER]
            self._target = min(waiting, key=lambda one: self.disks[one].back_ns)
        low = self.disks[self._target].valid
        high = min(self.spec.capacity, low + self.spec.step)
        self._step, self._begun_ns, self._step_ns = WRITE, now_ns, now_ns
        for number in self._rebuilt_from():
            _, ended = self.disks[number].access(now_ns, low, high)
            self.counts.rebuild_read_bytes += high - low
            self._step_ns = max(self._step_ns, ended)

    def _write_step(self, now_ns: int) -> None:
        """Write them."""
        disk = self.disks[self._target]
        low = disk.valid
        high = min(self.spec.capacity, low + self.spec.step)
        _, ended = disk.access(now_ns, low, high)
        self.counts.rebuilt_bytes += high - low
        self._step = READ
        self._step_ns = max(ended, self._begun_ns + self.spec.pace_ns(high - low))
        disk.valid = high
        if high == self.spec.capacity:
            disk.valid = FOREVER
            self.counts.rebuilds += 1
            self._target, self._idle_ns = -1, ended
            if all(one.valid == FOREVER for one in self.disks):
                self._whole(now_ns)
