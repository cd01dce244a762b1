# cython: infer_types=True
"""What a request of an array reads and writes of each disk, and when a disk has done it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.calendars import NO_END, Calendars
from simulator.native.codes import *
from simulator.native.parts import Parts

if TYPE_CHECKING:
    from array import array


class ArrayLines:
    """The disks of all arrays; a line is a row of units, one of each disk."""

    def __init__(
        self,
        parts: Parts,
        rows: array[int],
        disks: array[int],
        failing: Calendars,
        slow: Calendars,
    ) -> None:
        """``failing`` and ``slow`` are the calendars of disks, by their number."""
        self.parts = parts
        self.clock = parts.clock
        self.row = rows
        self.disk = disks
        self.failing = failing
        self.slow = slow
        failing.clock = slow.clock = parts.clock
        self.own = 0
        """Where the numbers of the array are that is looked at,"""
        self.part = 0
        """its row of specifications,"""
        self.first = 0
        self.end = 0
        """and its disks, from the first to behind the last."""
        self.begun = 0
        """When the access of a disk began that was queued last,"""
        self.reader = 0
        """and the number of the last request that has to write after it has read; 0 for others."""

    def look(self, part: int, instance: int) -> int:
        """Look at an array; returns its row."""
        number = self.parts.spec[part + P_SHARE] + instance - self.parts.spec[part + P_FIRST]
        row = number * AR_ROWS
        self.part = part
        self.own = self.parts.spec[part + P_OWN]
        self.first = self.row[row + AR_DISK]
        self.end = self.first + self.number(AS_DISKS) * DK_ROWS
        return row

    def number(self, field: int) -> int:
        """A number of the array's specification."""
        return self.parts.own[self.own + field]

    def columns(self) -> int:
        """The units of data of a row."""
        parities = self.number(AS_PARITIES)
        return self.number(AS_DISKS) - parities if parities else self.number(AS_DISKS) // 2

    def disk_of(self, row: int, column: int) -> int:
        """The disk with a unit of data; of a mirror the first of two."""
        parities = self.number(AS_PARITIES)
        if parities == 0:
            return self.first + 2 * column * DK_ROWS
        disks = self.number(AS_DISKS)
        number = (disks - parities - row % disks + disks + parities + column) % disks
        return self.first + number * DK_ROWS

    def parity_of(self, row: int, number: int) -> int:
        """The disk with the first or second parity of a row."""
        disks = self.number(AS_DISKS)
        number = (2 * disks - self.number(AS_PARITIES) - row % disks + number) % disks
        return self.first + number * DK_ROWS

    def transfer(self, size: int) -> int:
        """The time of bytes."""
        rate = self.parts.rate[self.part >> P_BITS]
        return self.clock.transfer(0, size, rate, OF_PART, self.part)

    def access(self, disk: int, start: int, low: int, high: int, again: int) -> int:
        """Queue an access of a disk at a time; returns when it ends.

        ``again``: it was just read there.
        """
        start = max(start, self.disk[disk + DK_FREE])
        idle = start - self.disk[disk + DK_FREE]
        gap = low - self.disk[disk + DK_HEAD]
        passed = self.number(AS_PARITIES) * self.number(AS_UNIT)
        move = service = self.transfer(high - low)
        if again:
            service = self.parts.sum_of(self.part, service, self.number(AS_ROTATION))
        else:
            more = self.parts.sum_of(self.part, self.number(AS_SEEK), self.number(AS_ROTATION) // 2)
            service = self.parts.sum_of(self.part, service, more)
            if self.disk[disk + DK_HEAD] >= 0 and 0 <= gap <= passed:
                service = min(service, max(move, self.transfer(gap + high - low) - idle))
        service = self.parts.sum_of(self.part, service, self.number(AS_OVERHEAD))
        end = start + service
        number = disk // DK_ROWS
        if self.slow.has(number):
            end = self.slow.end_of(number, start, service)
        end = self.clock.within(end, OF_PART, self.part)
        self.disk[disk + DK_HEAD] = high
        self.disk[disk + DK_FREE] = end
        self.disk[disk + DK_READER] = 0
        self.begun = start
        return end

    def spans(self, row: int, low: int, high: int, writes: int) -> None:
        """Write down what is read of each disk, of the last row by itself, and what is written."""
        disk = self.first
        skips = 1
        while disk < self.end:
            skips &= self.disk[disk + DK_VALID] == NO_END
            self.disk[disk + DK_LOW] = -1
            self.disk[disk + DK_LAST_LOW] = -1
            self.disk[disk + DK_WRITE_LOW] = -1
            disk += DK_ROWS
        if self.number(AS_PARITIES) == 0:
            self.choose(low)
        whole = self.columns() * self.number(AS_UNIT)
        first = low // whole
        last = max(low, high - 1) // whole
        line = first
        while line <= last:
            begin = max(0, low - line * whole)
            end = min(whole, high - line * whole)
            if not writes:
                self.read_line(row, line, begin, end)
            elif self.number(AS_PARITIES) == 0:
                self.mirror_line(line, begin, end)
            else:
                self.write_line(line, begin, end, DK_LOW if line == first else DK_LAST_LOW)
            line += 1
            # Rows between are whole, and lie within what as many rows as disks at each end span.
            if skips and line - first > self.number(AS_DISKS):
                line = max(line, last - self.number(AS_DISKS))
                skips = 0
            self.clock.tick()
            if self.clock.over >= 0:
                return

    def choose(self, low: int) -> None:
        """Of each two mirrors, read the one that is free first, or is where a request begins."""
        unit = self.number(AS_UNIT)
        whole = self.columns() * unit
        begin = low % whole
        disk = self.first
        while disk < self.end:
            at = low // whole * unit + min(unit, max(0, begin))
            other = disk + DK_ROWS
            free = max(self.clock.now, self.disk[disk + DK_FREE])
            later = max(self.clock.now, self.disk[other + DK_FREE])
            takes = later < free
            if later == free:
                takes = self.disk[other + DK_HEAD] == at and self.disk[disk + DK_HEAD] != at
            self.disk[disk + DK_NEAREST] = other if takes else disk
            disk = other + DK_ROWS
            begin -= unit

    def has(self, disk: int, line: int) -> bool:
        """Whether a disk's data are right in a row of units."""
        return self.disk[disk + DK_VALID] >= (line + 1) * self.number(AS_UNIT)

    def use(self, disk: int, field: int, line: int, low: int, high: int) -> None:
        """Add bytes of a unit to what is read or written of a disk."""
        at = line * self.number(AS_UNIT)
        if self.disk[disk + field] < 0:
            self.disk[disk + field] = at + low
            self.disk[disk + field + 1] = at + high
        else:
            self.disk[disk + field] = min(self.disk[disk + field], at + low)
            self.disk[disk + field + 1] = max(self.disk[disk + field + 1], at + high)

    def read_line(self, row: int, line: int, begin: int, end: int) -> None:
        """Read bytes of a row of units."""
        unit = self.number(AS_UNIT)
        column = begin // unit
        last = max(begin, end - 1) // unit
        while column <= last:
            low = max(0, begin - column * unit)
            high = min(unit, end - column * unit)
            disk = self.disk_of(line, column)
            if self.number(AS_PARITIES) == 0:
                if self.has(disk, line) and self.has(disk + DK_ROWS, line):
                    disk = self.disk[disk + DK_NEAREST]
                elif not self.has(disk, line):
                    disk += DK_ROWS
                self.use(disk, DK_LOW, line, low, high)
            elif self.has(disk, line):
                self.use(disk, DK_LOW, line, low, high)
            else:
                self.row[row + AR_RECONSTRUCTED] += high - low
                self.use_sources(DK_LOW, line, low, high)
            column += 1

    def use_sources(self, field: int, line: int, low: int, high: int) -> None:
        """Read the first disks that have as much of a row as it takes to know all of it."""
        left = self.columns()
        disk = self.first
        while disk < self.end and left > 0:
            if self.has(disk, line):
                self.use(disk, field, line, low, high)
                left -= 1
            disk += DK_ROWS

    def mirror_line(self, line: int, begin: int, end: int) -> None:
        """Write bytes of a row on both disks."""
        unit = self.number(AS_UNIT)
        column = begin // unit
        last = max(begin, end - 1) // unit
        while column <= last:
            low = max(0, begin - column * unit)
            high = min(unit, end - column * unit)
            disk = self.disk_of(line, column)
            if self.has(disk, line):
                self.use(disk, DK_WRITE_LOW, line, low, high)
            if self.has(disk + DK_ROWS, line):
                self.use(disk + DK_ROWS, DK_WRITE_LOW, line, low, high)
            column += 1

    def write_line(self, line: int, begin: int, end: int, field: int) -> None:
        """Write bytes of a row, and its parity; read before what this needs, as ``field``."""
        unit = self.number(AS_UNIT)
        first = begin // unit
        last = max(begin, end - 1) // unit
        low = 0
        high = unit
        if first == last:
            low = begin - first * unit
            high = end - first * unit
        known = self.use_pieces(DK_WRITE_LOW, line, begin, end)
        parities = self.use_parities(DK_WRITE_LOW, line, low, high)
        if end - begin == self.columns() * unit or parities == 0:
            return
        if known:
            self.use_pieces(field, line, begin, end)
            self.use_parities(field, line, low, high)
        elif self.has_others(line, first, last):
            for column in range(self.columns()):
                if column < first or column > last:
                    self.use(self.disk_of(line, column), field, line, low, high)
        else:
            self.use_sources(field, line, low, high)

    def use_pieces(self, field: int, line: int, begin: int, end: int) -> int:
        """Read or write bytes of a row on the disks that have them; returns whether all do."""
        unit = self.number(AS_UNIT)
        known = 1
        for column in range(begin // unit, max(begin, end - 1) // unit + 1):
            disk = self.disk_of(line, column)
            if self.has(disk, line):
                low = max(0, begin - column * unit)
                high = min(unit, end - column * unit)
                self.use(disk, field, line, low, high)
            else:
                known = 0
        return known

    def has_others(self, line: int, first: int, last: int) -> int:
        """Whether the disks have the data of a row before one column and after another."""
        known = 1
        for column in range(self.columns()):
            if (column < first or column > last) and not self.has(self.disk_of(line, column), line):
                known = 0
        return known

    def use_parities(self, field: int, line: int, low: int, high: int) -> int:
        """Read or write the parity of a row on the disks that have it; returns how many do."""
        found = 0
        number = 0
        while number < self.number(AS_PARITIES):
            disk = self.parity_of(line, number)
            if self.has(disk, line):
                self.use(disk, field, line, low, high)
                found += 1
            number += 1
        return found
