# cython: infer_types=True
"""RAID units of I/O nodes, as ``simulator/kinds/parts/raid/reference.py``.

A request joins the bus or the disks when it comes there, which may be later than it is made. When
it ends is then a *moment*, a row that is known once it has joined. A time below 0 names such a row:
it is -1 less its offset.
"""

from __future__ import annotations

from simulator.native.clock import grown
from simulator.native.codes import *
from simulator.native.slots import Slots

FIRST_MOMENTS = 64
ROWS_OF_BLOCK, ROWS_OF_SLOT = 12, 3
"""Moments that one step may take at most for each block it wants, and to write each slot."""


class RaidUnits(Slots):
    """All RAID units. A *unit* is one member's buffer cache and RAID unit."""

    def read(self, u: int, now: int, e: int) -> int:
        """Read a block from the unit; returns when it has crossed the bus."""
        size = self.unit[u + U_BLOCK]
        block = self.cell[e + E_BLOCK]
        self.unit[u + U_DISK_READS] += 1
        self.unit[u + U_DISK_READ_BYTES] += size
        s = self.cell[e + E_DISK_SLOT]
        if s >= 0:
            self.unit[u + U_DISK_HITS] += 1
            self.touch(s, u + U_DISK_SLOTS)
        else:
            s = self.take_disk_slot(u, e)
            ready = self.enter(u, now, TO_DISK, block, size, self.slot[s + J_CLEAN], 0)
            self.keep(s + J_READY, ready)
            self.keep(s + J_CLEAN, ready)
        return self.enter(u, now, OVER_BUS, block, size, self.slot[s + J_READY], 0)

    def write(self, u: int, now: int, begin: int, e: int, size: int) -> int:
        """Write bytes of a block that is there at a time; returns when they are in the cache."""
        block = self.cell[e + E_BLOCK]
        self.unit[u + U_DISK_WRITES] += 1
        self.unit[u + U_DISK_WRITTEN_BYTES] += size
        s = self.cell[e + E_DISK_SLOT]
        clean = 0
        if s >= 0:
            self.touch(s, u + U_DISK_SLOTS)
        else:
            s = self.take_disk_slot(u, e)
            clean = self.slot[s + J_CLEAN]
        safe = self.enter(u, now, OVER_BUS, block, size, begin, clean)
        self.keep(s + J_READY, safe)
        self.keep(s + J_CLEAN, self.enter(u, now, TO_DISK, block, size, safe, 0))
        return safe

    def take_disk_slot(self, u: int, e: int) -> int:
        """Assign a slot of the unit's cache to a block."""
        s = self.take(u + U_DISK_SLOTS)
        held = self.slot[s + J_CELL]
        if held >= 0:
            self.cell[held + E_DISK_SLOT] = -1
        self.cell[e + E_DISK_SLOT] = s
        self.slot[s + J_CELL] = e
        return s

    # -- queues ---------------------------------------------------------------------------------

    def advance(self, u: int, now: int) -> None:
        """Let all join the disks and the bus that do up to a time, in the order of these times."""
        m = self.unit[u + U_MOMENT]
        while m >= 0 and self.moment[m + MO_AT] <= now:
            self.unlink(u, m)
            one, other = self.moment[m + MO_ONE], self.moment[m + MO_OTHER]
            was = self.moment[m + MO_AT]
            least = max(was, self.least(one), self.least(other))
            ready = self.is_known(one) and self.is_known(other)
            queue = self.moment[m + MO_QUEUE]
            self.moment[m + MO_AT] = least
            self.moment[m + MO_END] += least - was
            if not ready or (queue and least > was):
                self.link(u, m)
            else:
                if queue:
                    block, size = self.moment[m + MO_BLOCK], self.moment[m + MO_SIZE]
                    self.moment[m + MO_END] = self.serve(u, was, queue, block, size)
                self.moment[m + MO_KNOWN] = 1
                self.drop(one)
                self.drop(other)
                self.forget(m)
            m = self.unit[u + U_MOMENT]

    def later(self, u: int, one: int, other: int) -> int:
        """The later of two times."""
        least = max(self.least(one), self.least(other))
        if self.is_known(one) and self.least(other) == least:
            return self.settled(other)
        if self.is_known(other) and self.least(one) == least:
            return self.settled(one)
        return self.at(u, least, one, other, 0, 0, 0)

    def enter(
        self, u: int, now: int, queue: int, block: int, size: int, one: int, other: int
    ) -> int:
        """Have bytes of a block join a queue at the later of two times; returns when it ends."""
        least = max(now, self.least(one), self.least(other))
        if least == now and self.is_known(one) and self.is_known(other):
            return self.serve(u, now, queue, block, size)
        return self.at(u, least, one, other, queue, block, size)

    def serve(self, u: int, now: int, queue: int, block: int, size: int) -> int:
        """Queue a request at the disks or the bus; returns when it ends."""
        field = U_BUS_FREE if queue == OVER_BUS else U_DISK_FREE
        start = max(now, self.unit[u + field])
        service = self.service(u, queue, size)
        if queue == TO_DISK:
            more = 0
            if block != self.unit[u + U_HEAD]:
                more = self.unit[u + U_SEEK_NS]
            elif start > self.unit[u + U_DISK_FREE]:
                more = self.unit[u + U_PAUSE_NS]
            service = self.clock.within(service + more, OF_UNIT, u)
        end = self.clock.within(start + service, OF_UNIT, u)
        self.unit[u + field] = end
        if queue == OVER_BUS:
            self.unit[u + U_BUS_BUSY] += service  # It has one server: at most its end.
        else:
            self.unit[u + U_HEAD] = block + 1
            self.unit[u + U_DISK_BUSY] += service
        if self.parts.timing:
            track = self.unit[u + U_INSTANCE] + (queue << TRACK_BITS)
            self.parts.note(track, start, service, size)
        return end

    def service(self, u: int, queue: int, size: int) -> int:
        """What a request takes at the bus, or at the disks at least."""
        overhead = self.unit[u + U_BUS_NS] if queue == OVER_BUS else 0
        rate = self.rate[self.unit[u + U_RATES] + queue]
        return self.clock.transfer(overhead, size, rate, OF_UNIT, u)

    # -- moments --------------------------------------------------------------------------------

    def is_known(self, when: int) -> bool:
        """Whether a time is known."""
        return when >= 0 or self.moment[MO_KNOWN - 1 - when] != 0

    def least(self, when: int) -> int:
        """A time; of one that is not known, one that it is not before."""
        return when if when >= 0 else self.moment[MO_END - 1 - when]

    def settled(self, when: int) -> int:
        """A time as itself, if it is known."""
        return self.least(when) if self.is_known(when) else when

    def refer(self, when: int) -> int:
        """Keep the moment that a time names, if it does; returns the time."""
        if when < 0:
            self.moment[MO_USERS - 1 - when] += 1
        return when

    def drop(self, when: int) -> None:
        """Do not keep the moment any more that a time names, if it does."""
        if when < 0:
            self.moment[MO_USERS - 1 - when] -= 1
            self.forget(-1 - when)

    def keep(self, at: int, when: int) -> None:
        """Write a time into a slot."""
        old = self.slot[at]
        self.slot[at] = self.refer(self.settled(when))
        self.drop(old)

    def forget(self, m: int) -> None:
        """Give a moment's row back that is known, if nothing names it."""
        if self.moment[m + MO_KNOWN] and self.moment[m + MO_USERS] == 0:
            self.moment[m + MO_NEXT] = self.moment_free
            self.moment_free = m
            self.moments_left += 1

    def at(
        self, u: int, least: int, one: int, other: int, queue: int, block: int, size: int
    ) -> int:
        """Return a moment that is known after two others, and after joining a queue if not 0."""
        m = self.moment_free
        self.moment_free = self.moment[m + MO_NEXT]
        self.moments_left -= 1
        if self.moments_left < self.wanted_moments():
            self.clock.short = 1
        self.moments_made += 1
        self.moment[m + MO_AT] = least
        self.moment[m + MO_END] = least
        if queue:
            takes = self.service(u, queue, size)
            self.moment[m + MO_END] = self.clock.within(least + takes, OF_UNIT, u)
        self.moment[m + MO_NUMBER] = self.moments_made
        self.moment[m + MO_KNOWN] = 0
        self.moment[m + MO_USERS] = 0
        self.moment[m + MO_ONE] = self.refer(self.settled(one))
        self.moment[m + MO_OTHER] = self.refer(self.settled(other))
        self.moment[m + MO_QUEUE] = queue
        self.moment[m + MO_BLOCK] = block
        self.moment[m + MO_SIZE] = size
        self.link(u, m)
        return -1 - m

    def link(self, u: int, m: int) -> None:
        """Let a moment stand among those of its unit that are not known: a pairing heap."""
        self.moment[m + MO_CHILD] = -1
        self.moment[m + MO_NEXT] = -1
        self.unit[u + U_MOMENT] = self.merged(self.unit[u + U_MOMENT], m)

    def unlink(self, u: int, m: int) -> None:
        """Take the first moment, ``m``, out of those of its unit."""
        child = self.moment[m + MO_CHILD]
        pairs = -1
        while child >= 0:
            other = self.moment[child + MO_NEXT]
            after = -1
            self.moment[child + MO_NEXT] = -1
            if other >= 0:
                after = self.moment[other + MO_NEXT]
                self.moment[other + MO_NEXT] = -1
                child = self.merged(child, other)
            self.moment[child + MO_NEXT] = pairs
            pairs = child
            child = after
        first = -1
        while pairs >= 0:
            after = self.moment[pairs + MO_NEXT]
            self.moment[pairs + MO_NEXT] = -1
            first = self.merged(first, pairs)
            pairs = after
        self.unit[u + U_MOMENT] = first

    def merged(self, one: int, other: int) -> int:
        """Make one heap of two, of which one may be empty (-1); returns its first moment."""
        if one < 0 or other < 0:
            return max(one, other)
        at, to = self.moment[one + MO_AT], self.moment[other + MO_AT]
        number = self.moment[one + MO_NUMBER]
        if to < at or (to == at and self.moment[other + MO_NUMBER] < number):
            one, other = other, one
        self.moment[other + MO_NEXT] = self.moment[one + MO_CHILD]
        self.moment[one + MO_CHILD] = other
        return one

    def wanted_moments(self) -> int:
        """How many rows of moments have to be free before a step."""
        return ROWS_OF_BLOCK * self.margin + ROWS_OF_SLOT * self.slot_count

    def grow_moments(self) -> None:
        """Make room for more moments, between two steps."""
        old = self.moments
        self.moments = 2 * (old + self.wanted_moments()) + FIRST_MOMENTS
        self.moment = grown(self.moment, MO_ROWS * self.moments)
        for number in range(old, self.moments):
            self.moment[number * MO_ROWS + MO_NEXT] = self.moment_free
            self.moment_free = number * MO_ROWS
        self.moments_left += self.moments - old

    def settle(self) -> int:
        """Let slots name times that are known; returns how many moments are left that are not."""
        for number in range(self.slot_count):
            self.keep(number * J_ROWS + J_READY, self.slot[number * J_ROWS + J_READY])
            self.keep(number * J_ROWS + J_CLEAN, self.slot[number * J_ROWS + J_CLEAN])
        for u in range(0, len(self.unit) - U_ROWS + 1, U_ROWS):
            safe = self.unit[u + U_SAFE]
            self.unit[u + U_SAFE] = self.refer(self.settled(safe))
            self.drop(safe)
        return self.moments - self.moments_left
