# cython: infer_types=True
"""Redundant arrays of disks, as ``simulator/kinds/parts/array/reference.py``.

Each disk is a queue. What a request reads joins queues when it comes, what it writes once all is
read; failures and steps of rebuilding up to now are carried out before either.
"""

from __future__ import annotations

from simulator.native.arraylines import ArrayLines
from simulator.native.calendars import NO_END
from simulator.native.codes import *
from simulator.native.wide import divided

REBUILT_IN = 1_000_000_000


class Arrays(ArrayLines):
    """All instances of all arrays."""

    def request(self, slot: int, part: int, instance: int, size: int, low: int) -> int:
        """Queue what a request reads, or writes if it need not read; returns when that has ended.

        ``reader`` is then its number if it has to write after that, else 0.
        """
        row = self.look(part, instance)
        self.advance(row, self.clock.now)
        writes = self.parts.spec[part + P_WRITES] < 0 and size > 0
        self.spans(row, low, low + size, writes)
        self.parts.book(part, instance, size, 0)
        self.parts.state[4 * instance + REQUESTS] += 1
        self.reader = 0
        if writes and not self.reads():
            return self.pass_all(slot, row, instance, 0, 1)
        self.row[row + AR_READERS] += 1
        reader = self.row[row + AR_READERS]
        end = self.pass_all(slot, row, instance, reader, 0)
        if writes:
            self.reader = reader
        return end

    def rewrite(self, slot: int, part: int, instance: int, size: int, low: int, reader: int) -> int:
        """Queue what a request writes that has read what it needs; returns when it has ended."""
        row = self.look(part, instance)
        self.advance(row, self.clock.now)
        self.spans(row, low, low + size, 1)
        return self.pass_all(slot, row, instance, reader, 1)

    def reads(self) -> int:
        """Whether anything is read before what is written."""
        disk = self.first
        while disk < self.end:
            if self.disk[disk + DK_LOW] >= 0 or self.disk[disk + DK_LAST_LOW] >= 0:
                return 1
            disk += DK_ROWS
        return 0

    def pass_all(self, slot: int, row: int, instance: int, reader: int, writes: int) -> int:
        """Queue all accesses of one kind now; returns when the last has ended, which is charged.

        A disk that has done nothing since it has read for the ``reader`` is at the end of that.
        """
        now = self.clock.now
        end = now
        waited = 0
        first, last = (DK_WRITE_LOW, DK_WRITE_LOW) if writes else (DK_LOW, DK_LAST_LOW)
        disk = self.first
        while disk < self.end:
            field = first
            while field <= last:
                low = self.disk[disk + field]
                if low >= 0:
                    high = self.disk[disk + field + 1]
                    again = writes and reader > 0 and self.disk[disk + DK_READER] == reader
                    ended = self.access(disk, now, low, high, again)
                    took = ended - self.begun
                    self.disk[disk + DK_READER] = 0 if writes else reader
                    self.row[row + (AR_WRITTEN if writes else AR_READ)] += high - low
                    self.parts.book(self.part, instance, 0, took)
                    if self.parts.timing:
                        track = ((disk - self.first) // DK_ROWS + 1) << TRACK_BITS
                        self.parts.note(instance + track, self.begun, took, high - low)
                    if ended > end:
                        end = ended
                        waited = self.begun - now
                field += 2
            disk += DK_ROWS
        self.parts.charge(slot, self.parts.spec[self.part + P_COLUMN], waited, end - now - waited)
        return end

    def finish(self, part: int, instance: int, end: int) -> int:
        """Carry out what happens up to the end of a run; returns the array's row."""
        row = self.look(part, instance)
        self.advance(row, end)
        if self.row[row + AR_DEGRADED] >= 0:
            self.row[row + AR_DEGRADED_NS] += end - self.row[row + AR_DEGRADED]
            self.row[row + AR_DEGRADED] = end
        return row

    def advance(self, row: int, now: int) -> None:
        """Carry out failures and steps of rebuilding up to a time; of equal ones failures first."""
        while self.clock.over < 0:
            self.clock.tick()
            failing = self.earliest(DK_FAILS, 0)
            fails = self.disk[failing + DK_FAILS]
            step = self.next_step(row)
            if fails > now and step > now:
                return
            if fails <= step:
                self.fail(row, failing)
            elif self.row[row + AR_STEP] == 0:
                if self.leap(row, step, min(now, fails - 1)) == 0:
                    self.read_step(row, step)
            else:
                self.write_step(row, step)

    def earliest(self, field: int, waiting: int) -> int:
        """The first disk with the least time; ``waiting``: of those to be rebuilt, -1 for none."""
        best = -1
        disk = self.first
        while disk < self.end:
            counts = not waiting or self.disk[disk + DK_VALID] < NO_END
            if counts and (best < 0 or self.disk[disk + field] < self.disk[best + field]):
                best = disk
            disk += DK_ROWS
        return best

    def fail(self, row: int, disk: int) -> None:
        """A disk fails."""
        now = self.disk[disk + DK_FAILS]
        number = disk // DK_ROWS
        self.disk[disk + DK_VALID] = 0
        back = self.failing.next(number, now, 0)
        self.disk[disk + DK_BACK] = back
        self.disk[disk + DK_FAILS] = self.failing.next(number, back, 1)
        self.row[row + AR_FAILURES] += 1
        if self.row[row + AR_TARGET] == disk:
            self.give_up(row)
        if self.row[row + AR_DEGRADED] < 0:
            self.row[row + AR_DEGRADED] = now
        if self.is_lost(disk):
            self.lose(row, now)

    def is_lost(self, failed: int) -> bool:
        """Whether data are lost once a disk has failed."""
        if self.number(AS_PARITIES) == 0:
            number = (failed - self.first) // DK_ROWS
            other = failed - DK_ROWS if number & 1 else failed + DK_ROWS
            return self.disk[other + DK_VALID] < NO_END
        return self.broken() > self.number(AS_PARITIES)

    def broken(self) -> int:
        """How many disks do not have all their data."""
        found = 0
        disk = self.first
        while disk < self.end:
            found += self.disk[disk + DK_VALID] < NO_END
            disk += DK_ROWS
        return found

    def lose(self, row: int, now: int) -> None:
        """Count that data are lost, and go on as if all disks were new, with all data."""
        if self.row[row + AR_LOSSES] == 0:
            self.row[row + AR_FIRST_LOSS] = now
        self.row[row + AR_LOSSES] += 1
        disk = self.first
        while disk < self.end:
            self.disk[disk + DK_VALID] = NO_END
            disk += DK_ROWS
        if self.row[row + AR_TARGET] >= 0:
            self.give_up(row)
        self.whole(row, now)

    def give_up(self, row: int) -> None:
        """End a rebuild before its disk is whole; the next begins after the step under way."""
        self.row[row + AR_TARGET] = -1
        self.row[row + AR_STEP] = 0
        self.row[row + AR_IDLE] = self.row[row + AR_STEP_AT]

    def whole(self, row: int, now: int) -> None:
        """All disks have all their data again."""
        self.row[row + AR_DEGRADED_NS] += now - self.row[row + AR_DEGRADED]
        self.row[row + AR_DEGRADED] = -1

    def next_step(self, row: int) -> int:
        """When the next step of a rebuild is; it begins with the disk that is replaced first."""
        if self.row[row + AR_TARGET] >= 0:
            return self.row[row + AR_STEP_AT]
        first = self.earliest(DK_BACK, 1)
        if first < 0:
            return NO_END
        return max(self.disk[first + DK_BACK], self.row[row + AR_IDLE])

    def leap(self, row: int, now: int, until: int) -> int:
        """Carry out equal steps up to a time by arithmetic; returns how many, all of whole size.

        They are equal if each disk goes on where its last step ended, at its usual speed.
        """
        target = self.row[row + AR_TARGET]
        if target < 0:
            return 0
        low = self.disk[target + DK_VALID]
        size = self.number(AS_STEP_SIZE)
        count = (self.number(AS_CAPACITY) - low - 1) // size
        service = self.parts.sum_of(self.part, self.transfer(size), self.number(AS_OVERHEAD))
        period = max(2 * service, divided(size, REBUILT_IN, self.number(AS_REBUILD)))
        if period > 0:
            count = min(count, (until - now) // period)
        sources = self.goes_on(target, now, low)
        if count < 1 or sources < 1:
            return 0
        last = now + (count - 1) * period
        left = sources
        disk = self.source(target)
        while left > 0:
            if self.disk[disk + DK_VALID] == NO_END:
                self.disk[disk + DK_HEAD] = low + count * size
                self.disk[disk + DK_FREE] = last + service
                self.disk[disk + DK_READER] = 0
                left -= 1
            disk += DK_ROWS
        self.disk[target + DK_HEAD] = low + count * size
        self.disk[target + DK_FREE] = last + 2 * service
        self.disk[target + DK_READER] = 0
        self.disk[target + DK_VALID] = low + count * size
        self.row[row + AR_REBUILD_READ] += count * size * sources
        self.row[row + AR_REBUILT] += count * size
        self.row[row + AR_BEGUN] = last
        self.row[row + AR_STEP_AT] = last + period
        return count

    def goes_on(self, target: int, now: int, low: int) -> int:
        """How many disks a step reads, if it and they are free at an address; else 0."""
        left = self.columns() if self.number(AS_PARITIES) else 1
        found = 0
        disk = self.source(target)
        if not self.is_at(target, now, low):
            return 0
        while disk < self.end and found < left:
            if self.disk[disk + DK_VALID] == NO_END:
                if not self.is_at(disk, now, low):
                    return 0
                found += 1
            elif self.number(AS_PARITIES) == 0:
                return 0
            disk += DK_ROWS
        return found

    def source(self, target: int) -> int:
        """The first disk that may be read to rebuild one: of a mirror the other one."""
        if self.number(AS_PARITIES):
            return self.first
        number = (target - self.first) // DK_ROWS
        return target - DK_ROWS if number & 1 else target + DK_ROWS

    def is_at(self, disk: int, now: int, low: int) -> bool:
        """Whether a disk is free at a time, its head at an address, and always as fast."""
        if self.disk[disk + DK_HEAD] != low or self.disk[disk + DK_FREE] > now:
            return False
        return not self.slow.has(disk // DK_ROWS)

    def read_step(self, row: int, now: int) -> None:
        """Read what the next bytes of the disk follow from."""
        if self.row[row + AR_TARGET] < 0:
            self.row[row + AR_TARGET] = self.earliest(DK_BACK, 1)
        target = self.row[row + AR_TARGET]
        low = self.disk[target + DK_VALID]
        high = min(self.number(AS_CAPACITY), low + self.number(AS_STEP_SIZE))
        self.row[row + AR_STEP] = 1
        self.row[row + AR_BEGUN] = now
        last = now
        left = self.columns() if self.number(AS_PARITIES) else 1
        disk = self.source(target)
        while disk < self.end and left > 0:
            if self.disk[disk + DK_VALID] == NO_END:
                last = max(last, self.access(disk, now, low, high, 0))
                self.row[row + AR_REBUILD_READ] += high - low
                left -= 1
            disk += DK_ROWS
        self.row[row + AR_STEP_AT] = last

    def write_step(self, row: int, now: int) -> None:
        """Write them."""
        disk = self.row[row + AR_TARGET]
        low = self.disk[disk + DK_VALID]
        high = min(self.number(AS_CAPACITY), low + self.number(AS_STEP_SIZE))
        ended = self.access(disk, now, low, high, 0)
        self.row[row + AR_REBUILT] += high - low
        self.row[row + AR_STEP] = 0
        pace = divided(high - low, REBUILT_IN, self.number(AS_REBUILD))
        self.row[row + AR_STEP_AT] = max(ended, self.row[row + AR_BEGUN] + pace)
        self.disk[disk + DK_VALID] = high
        if high == self.number(AS_CAPACITY):
            self.disk[disk + DK_VALID] = NO_END
            self.row[row + AR_REBUILDS] += 1
            self.row[row + AR_TARGET] = -1
            self.row[row + AR_IDLE] = ended
            if self.broken() == 0:
                self.whole(row, now)
