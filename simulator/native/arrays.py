# cython: infer_types=True
"""Redundant arrays of disks, as ``simulator/kinds/parts/array/reference.py``.

Each disk is a queue. When a request has ended is known when it comes: failures and steps of
rebuilding up to now are carried out first.
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
        """Queue a request at the disks that it needs; returns when it has ended."""
        row = self.look(part, instance)
        now = self.clock.now
        self.advance(row, now)
        self.spans(row, low, low + size, self.parts.spec[part + P_WRITES] < 0 and size > 0)
        self.waited = 0
        read = self.read_all(row, instance, now)
        end = self.write_all(row, instance, read)
        self.parts.book(part, instance, size, 0)
        self.parts.state[4 * instance + REQUESTS] += 1
        if self.parts.timing:
            self.parts.note(instance, now, end - now, size)
        column = self.parts.spec[part + P_COLUMN]
        self.parts.charge(slot, column, self.waited, end - now - self.waited)
        return end

    def read_all(self, row: int, instance: int, now: int) -> int:
        """Read all that was written down; returns when it has ended."""
        ended = now
        disk = self.first
        while disk < self.end:
            field = DK_LOW
            while field <= DK_LAST_LOW:
                low = self.disk[disk + field]
                if low >= 0:
                    high = self.disk[disk + field + 1]
                    end = self.access(disk, now, low, high, 0)
                    self.row[row + AR_READ] += high - low
                    self.parts.book(self.part, instance, 0, end - self.begun)
                    if end > ended:
                        ended = end
                        self.waited = self.begun - now
                field += 2
            disk += DK_ROWS
        return ended

    def write_all(self, row: int, instance: int, now: int) -> int:
        """Write all that was written down, once all is read; returns when it has ended."""
        ended = now
        before = self.waited
        disk = self.first
        while disk < self.end:
            low = self.disk[disk + DK_WRITE_LOW]
            if low >= 0:
                again = self.disk[disk + DK_LOW] >= 0 or self.disk[disk + DK_LAST_LOW] >= 0
                high = self.disk[disk + DK_WRITE_HIGH]
                end = self.access(disk, now, low, high, again)
                self.row[row + AR_WRITTEN] += high - low
                self.parts.book(self.part, instance, 0, end - self.begun)
                if end > ended:
                    ended = end
                    self.waited = before + self.begun - now
            disk += DK_ROWS
        return ended

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
                left -= 1
            disk += DK_ROWS
        self.disk[target + DK_HEAD] = low + count * size
        self.disk[target + DK_FREE] = last + 2 * service
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
