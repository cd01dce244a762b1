# cython: infer_types=True
"""The parts: when each server is free, what a request takes, and where actors' time went.

A part is one row of the plan with an instance on each member of a group. All instances of all
parts are numbered through; what differs between the instances of a part stands in ``state``, what
does not in ``spec``. A row of specifications is named by its offset.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.mixing import mix, pick
from simulator.native.calendars import Calendars
from simulator.native.clock import NEVER, Clock, grown, zeros
from simulator.native.codes import *
from simulator.native.wide import stretched

if TYPE_CHECKING:
    from simulator.native.tables import PartTables

DRAW_BITS = 11
"""A draw uses 53 bits of the 64."""


class Parts:
    """All instances of all parts, and the accounts of those who use them."""

    def __init__(
        self,
        clock: Clock,
        tables: PartTables,
        columns: int,
        slots: int,
        calendars: Calendars,
    ) -> None:
        self.clock = clock
        self.calendars = calendars
        calendars.clock = clock
        self.lost = 0
        """For how long the request that began last has to wait until its instance is back."""
        self.give_up = -1
        """For how long the request that is made now waits for an instance that has failed."""
        self.failed = 0
        """Whether one has given up since it was made,"""
        self.gave_up = 0
        """and when the last one that did comes back."""
        self.watched = int(calendars.count > 0)
        """Whether services may take longer than they should, or are written down."""
        self.spec = tables.spec
        self.rate = tables.rate
        self.state = tables.state
        self.busy = array("q", bytes(8 * (len(tables.state) // 4 + 1)))
        """For each instance, how often 2**62 ns of its service have been taken from ``state``."""
        self.own = tables.own
        """The numbers of specifications of kinds, and what instances of them remember:"""
        self.kept = tables.kept
        self.run_factor = tables.run_factor
        self.table = tables.table
        self.key = tables.key
        self.factors = tables.factors
        self.columns = columns
        self.spent = zeros(2 * columns * slots)
        """For each slot and column, waiting and service; ns."""
        self.started = 0
        # The request that a method of a kind serves.
        self.begin = 0
        self.size = 0
        self.file = 0
        self.address = 0
        self.span = 0
        self.spread = 0
        # The timeline: instance, start, service, bytes of each service, as they are booked.
        self.timing = 0
        self.spans = zeros(1)
        self.span_count = 0
        self.span_margin = 0

    def grow(self, slots: int) -> None:
        """Make room for the accounts of so many slots."""
        self.spent = grown(self.spent, 2 * self.columns * slots)

    def touched(self, first: int, end: int) -> int:
        """Return the first instance from ``first`` on that served anything; ``end`` if none did."""
        for one in range(first, end):
            if self.state[4 * one + REQUESTS] or self.state[4 * one + BUSY]:
                return one
        return end

    # -- accounts -------------------------------------------------------------------------------

    def charge(self, slot: int, column: int, wait: int, service: int) -> None:
        """Write down time that an actor spent; nothing for no column (-1)."""
        if column < 0:
            return
        place = 2 * (slot * self.columns + column)
        wait += self.spent[place]
        service += self.spent[place + 1]
        if (wait | service) >= NEVER:
            self.clock.exceed(OF_ACTOR, slot)
            return
        self.spent[place] = wait
        self.spent[place + 1] = service

    def clear_account(self, slot: int) -> None:
        """An actor begins."""
        place = 2 * slot * self.columns
        for i in range(2 * self.columns):
            self.spent[place + i] = 0

    def add_account(self, slot: int, other: int) -> None:
        """Add the time of another actor to that of one."""
        place = 2 * slot * self.columns
        of = 2 * other * self.columns
        for i in range(2 * self.columns):
            time = self.spent[place + i] + self.spent[of + i]
            self.spent[place + i] = self.clock.within(time, OF_ACTOR, slot)

    def note(self, instance: int, start: int, service: int, size: int) -> None:
        """Write down a service for the timeline."""
        at = 4 * self.span_count
        self.spans[at] = instance
        self.spans[at + 1] = start
        self.spans[at + 2] = service
        self.spans[at + 3] = size
        self.span_count += 1
        if at + 4 * self.span_margin > len(self.spans):
            self.clock.short = 1

    # -- service --------------------------------------------------------------------------------

    def book(self, part: int, instance: int, size: int, service: int) -> None:
        """Add to what an instance has moved, and how long it was busy."""
        at = 4 * instance
        size += self.state[at + BYTES]
        service += self.state[at + BUSY]
        if (size | service) >= NEVER:
            self.clock.within(size, OF_PART + OF_BYTES, part)
            self.busy[instance] += service >= NEVER
            size = min(size, NEVER - 1)
            service &= NEVER - 1
        self.state[at + BYTES] = size
        self.state[at + BUSY] = service

    def stretch(self, part: int, instance: int, service: int) -> int:
        """The service time of an instance's next request, its noise included; ns."""
        return self.stretch_nth(part, instance, service, self.state[4 * instance + REQUESTS] + 1)

    def stretch_nth(self, part: int, instance: int, service: int, number: int) -> int:
        """The service time of an instance's request of a number (from 1), its noise included."""
        row = self.spec[part + P_NOISE]
        if row < 0:
            return service
        row += instance - self.spec[part + P_FIRST]
        service = self.clock.within(stretched(service, self.run_factor[row]), OF_PART, part)
        start = self.table[row]
        if start >= 0:
            drawn = pick(self.key[row], number)
            service = stretched(service, self.factors[start + drawn])
        return self.clock.within(service, OF_PART, part)

    def plain_ns(self, part: int, size: int) -> int:
        """The service time of ``size`` bytes without what varies (``P_VARIES``); ns."""
        overhead, rate = self.spec[part + P_OVERHEAD], self.rate[part >> P_BITS]
        return self.clock.transfer(overhead, size, rate, OF_PART, part)

    # -- queueing -------------------------------------------------------------------------------

    def first_server(self, part: int, instance: int) -> int:
        """Where in ``state`` the server is that is free first; the lowest of several.

        Where nothing queues it is a server that is always free.
        """
        servers = self.spec[part + P_SERVERS]
        if servers <= 1:
            return 4 * instance + FREE
        best = self.spec[part + P_SERVER] + (instance - self.spec[part + P_FIRST]) * servers
        least = self.state[best]
        for server in range(best + 1, best + servers):
            free = self.state[server]
            # No branch: which one it is, nobody can foresee.
            best = server if free < least else best
            least = free if free < least else least
        return best

    def hold(
        self, part: int, instance: int, server: int, start: int, size: int, service: int
    ) -> int:
        """Begin a request at ``start``, at its ``first_server``; returns when it has ended."""
        if self.watched:
            return self.hold_watched(part, instance, server, start, size, service)
        return self.hold_plain(part, instance, server, start, size, service)

    def hold_plain(
        self, part: int, instance: int, server: int, start: int, size: int, service: int
    ) -> int:
        """Begin a request as ``hold``, where nobody watches."""
        at = 4 * instance
        end = start + service
        moved = self.state[at + BYTES] + size
        busy = self.state[at + BUSY] + service
        if (end | moved | busy) >= NEVER:
            end = self.clock.within(end, OF_PART, part)
            self.book(part, instance, size, service)
        else:
            self.state[at + BYTES] = moved
            self.state[at + BUSY] = busy
        if self.spec[part + P_SERVERS]:
            self.state[server] = end
        self.state[at + REQUESTS] += 1
        return end

    def hold_watched(
        self, part: int, instance: int, server: int, start: int, size: int, service: int
    ) -> int:
        """Let what happens to the instance put off the end of a request; write it down."""
        self.lost = 0
        self.calendars.began = start
        if self.calendars.has(instance):
            end = self.calendars.end_of(instance, start, service)
            if self.give_up >= 0:
                gone = self.calendars.gone_from(instance, self.clock.now, end, self.give_up)
                if gone >= 0:
                    return self.let_go(part, instance, server, start, gone)
            end = self.clock.within(end, OF_PART, part)
            self.lost = self.calendars.lost
            self.calendars.miss(instance, self.lost)
            self.state[4 * instance + REQUESTS] += 1
            self.book(part, instance, size, end - start - self.lost)
            if self.spec[part + P_SERVERS]:
                self.state[server] = end
        else:
            end = self.hold_plain(part, instance, server, start, size, service)
        if self.timing:
            self.note(instance, start, end - start, size)
        return end

    def let_go(self, part: int, instance: int, server: int, start: int, gone: int) -> int:
        """A request gives up that nobody serves from ``gone`` on; returns until when it is here."""
        self.failed = 1
        self.gave_up = self.clock.within(gone + self.give_up, OF_PART, part)
        begun = min(start, gone)
        served = gone - begun - self.calendars.down(instance, begun, gone)
        self.state[4 * instance + REQUESTS] += 1
        self.book(part, instance, 0, served)
        left = max(start, self.gave_up)
        self.lost = left - start - served
        self.calendars.given_up[instance] += 1
        if self.spec[part + P_SERVERS]:
            self.state[server] = left
        if self.timing:
            self.note(instance, begun, gone - begun, 0)
        return left

    def queue(self, part: int, instance: int, size: int, service: int) -> int:
        """Queue a request now; returns when it has ended. ``started`` is then when it begins."""
        server = self.first_server(part, instance)
        start = max(self.clock.now, self.state[server])
        self.started = start
        return self.hold(part, instance, server, start, size, service)

    def spend(self, slot: int, part: int, instance: int, service: int, size: int) -> int:
        """Spend time at a cpu, where nothing queues; returns how long it takes, in ns."""
        service = self.stretch(part, instance, service)
        self.state[4 * instance + REQUESTS] += 1
        self.book(part, instance, size, service)
        self.charge(slot, self.spec[part + P_COLUMN], 0, service)
        return service

    def commit(self, slot: int, part: int, instance: int) -> int:
        """Have a request committed by the next commit of a journal; returns when that ends."""
        row = self.kept_at(part, instance, 2)
        at = 4 * instance
        now = self.clock.now
        begin = self.kept[row + COMMIT_BEGIN]
        if now >= begin:  # It is under way, or has ended.
            begin = max(now, self.state[at + FREE])
            number = self.kept[row + COMMITS] + 1
            service = self.stretch_nth(part, instance, self.spec[part + P_OVERHEAD], number)
            self.kept[row + COMMIT_BEGIN] = begin
            self.kept[row + COMMITS] = number
            self.state[at + FREE] = self.clock.within(begin + service, OF_PART, part)
            self.state[at + BUSY] += service  # less than when it is free
            if self.timing:
                self.note(instance, begin, service, 0)
        self.state[at + REQUESTS] += 1
        end = self.state[at + FREE]
        self.charge(slot, self.spec[part + P_COLUMN], begin - now, end - begin)
        return end

    # -- for methods of kinds ---------------------------------------------------------------------

    def start(self, part: int, instance: int) -> int:
        """When an instance can begin with a request that comes now."""
        return max(self.clock.now, self.state[self.first_server(part, instance)])

    def kept_at(self, part: int, instance: int, width: int) -> int:
        """Where in ``kept`` the numbers of an instance are that remembers so many."""
        return self.spec[part + P_KEPT] + (instance - self.spec[part + P_FIRST]) * width

    def free_at(self, instance: int) -> int:
        """When the server of an instance that has one is free."""
        return self.state[4 * instance + FREE]

    def sum_of(self, part: int, one: int, other: int) -> int:
        """Two times of a request, added; the run ends with a LimitError if it is 2**62 ns."""
        return self.clock.within(one + other, OF_PART, part)

    def transfer(self, part: int, size: int, ns_per_byte: float) -> int:
        """The time of bytes, to the nearest ns; LimitError as in ``sum_of``."""
        return self.clock.transfer(0, size, ns_per_byte, OF_PART, part)

    def draw(self, part: int, instance: int) -> float:
        """A number from 0 to 1 of an instance's next request; see ``row.draws``."""
        key = self.key[0]
        noise = self.spec[part + P_NOISE]
        if noise >= 0:
            key = self.key[noise + instance - self.spec[part + P_FIRST]]
        bits = mix(key, -self.state[4 * instance + REQUESTS] - 1)
        return (bits >> DRAW_BITS) / 9007199254740992.0
