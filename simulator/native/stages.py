# cython: infer_types=True
"""Stages: parts that a request holds at once, passes as packets, or deals its bytes out over.

See docs/composition.md.

A function that lets a request act gives the time at which its actor goes on, BLOCKED if another one
wakes it, or GO if its frame has moved on to another tier, was answered, or has begun one below.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.dealing import Dealing


class Stages(Dealing):
    """Stages and work on the way of requests."""

    def go_below(self, at: int) -> int:
        """Nothing is left to do here: the request itself goes on."""
        tier = self.tier[self.frame[at + TIER] + T_NEXT]
        self.frame[at + TIER] = tier
        self.frame[at + ENTRY] = tier
        self.frame[at + STATE] = FRESH
        return GO

    def reach(self, at: int, end: int) -> None:
        """A request is at the end of its path: what it writes there is on stable storage."""
        file = self.frame[at + FILE]
        size = self.frame[at + HIGH] - self.frame[at + LOW]
        if self.frame[at + OP] == R_WRITE and file >= 0 and size and self.tier[end + T_STABLE]:
            row = file * STABLE_ROWS + STABLE_BYTES
            size += self.stable[row]
            self.stable[row] = self.clock.within(size, OF_FILE + OF_BYTES, file)
            self.stable[file * STABLE_ROWS + STABLE_LAST] = self.clock.now

    # -- stages ---------------------------------------------------------------------------------

    def stage(self, slot: int, at: int) -> int:
        """Pass a stage: down with the data of a write, up with those of a read."""
        tier = self.frame[at + TIER]
        state = self.frame[at + STATE]
        if state == FRESH:
            if self.tier[tier + T_ENTRY] >= 0:  # a store takes its entry itself
                self.frame[at + ENTRY] = tier
                self.frame[at + TIER] = self.tier[tier + T_ENTRY]
                return GO
            self.frame[at + STATE] = DOWN
            size = self.load(at, tier, R_WRITE)
            if self.frame[at + FILE] <= FIRST_ASKED and self.tier[tier + T_HEADER]:
                size += self.message[FIRST_ASKED - self.frame[at + FILE]]
            time = self.way(slot, at, tier, 1, size, self.frame[at + LOW], self.frame[at + HIGH])
            if time != GO:
                return time
            state = DOWN
        if state == DOWN:
            if self.frame[at + OP] != R_READ and not self.tier[tier + T_HEADER]:
                return self.go_below(at)
            self.frame[at + STATE] = BELOW
            below = self.tier[tier + T_NEXT]
            if self.tier[below + T_KIND] != K_END:
                self.frames.part_of(slot, at, below, self.frame[at + LOW], self.frame[at + HIGH])
                return GO
            self.reach(at, below)
            state = BELOW
        if state == BELOW:
            self.frame[at + STATE] = UP
            size = self.load(at, tier, R_READ)
            time = self.way(slot, at, tier, 0, size, self.frame[at + LOW], self.frame[at + HIGH])
            if time != GO:
                return time
        self.frames.answer(slot)
        return GO

    def load(self, at: int, tier: int, op: int) -> int:
        """Bytes of the message one way, whose data are those of ``op``."""
        size = self.tier[tier + T_HEADER]
        if self.frame[at + OP] == op:
            size += self.frame[at + HIGH] - self.frame[at + LOW]
        return size

    def way(self, slot: int, at: int, tier: int, down: int, size: int, low: int, high: int) -> int:
        """Pass a stage one way with a message of ``size`` bytes; GO if nothing is passed.

        Its data are [low, high) of the file.
        """
        if size == 0:
            return GO
        size = self.clock.within(size, OF_ACTOR + OF_BYTES, slot)
        if down:
            first, count = self.tier[tier + T_DOWN], self.tier[tier + T_DOWNS]
            one, other = self.tier[tier + T_DOWN_A], self.tier[tier + T_DOWN_B]
        else:
            first, count = self.tier[tier + T_UP], self.tier[tier + T_UPS]
            one, other = self.tier[tier + T_UP_A], self.tier[tier + T_UP_B]
        if count == 0:
            return GO
        if one >= 0 and self.frame[at + PLACES + one] == self.frame[at + PLACES + other]:
            return GO
        if self.tier[tier + T_PACKETS]:
            if self.tier[tier + T_PACKETS] & IS_GUARDED:
                return self.guard(slot, at, tier, first, count, size, low, high)
            return self.depart(slot, at, first, count, size, low, high)
        if self.tier[tier + T_PIECES]:
            if count == 1:
                return self.deal_one(slot, at, tier, first, size, low, high)
            return self.deal(slot, at, tier, first, count, size, low, high)
        return self.route(slot, at, first, count, size, low, high)

    def route(
        self, slot: int, at: int, first: int, count: int, size: int, low: int, high: int
    ) -> int:
        """Hold several parts at once, from when all are free; returns when the slowest has ended.

        Waiting is charged to the part that was free last, service to the slowest; while that has
        failed, it is waiting for it.
        """
        part = self.hold_part[first]
        if self.parts.spec[part + P_KIND] >= SHARED:
            return self.alone(slot, at, first, size, low)
        now = self.clock.now
        if count == 1:
            instance = self.instance(at, first)
            service = self.parts.plain_ns(part, size)
            if self.parts.spec[part + P_VARIES]:
                service = self.varied(at, part, instance, -1, size, service, low, high, 1)
            if self.parts.spec[part + P_KIND] == CORE:
                return self.sharing.join_core(slot, part, instance, size, service)
            end = self.parts.queue(part, instance, size, service)
            start = self.parts.started + self.parts.lost
            self.parts.charge(slot, self.parts.spec[part + P_COLUMN], start - now, end - start)
            return end
        start = now
        held = part
        varies = self.parts.watched
        for i in range(count):
            part = self.hold_part[first + i]
            instance = self.instance(at, first + i)
            varies |= self.parts.spec[part + P_VARIES]
            server = self.parts.first_server(part, instance)
            self.chosen[2 * i] = instance
            self.chosen[2 * i + 1] = server
            free = self.parts.state[server]
            held = part if free > start else held
            start = max(free, start)
        if start > now:
            self.parts.charge(slot, self.parts.spec[held + P_COLUMN], start - now, 0)
        if varies:
            return self.hold_varied(slot, at, first, count, size, low, high, start)
        end = start
        slowest = self.hold_part[first]
        for i in range(count):
            part = self.hold_part[first + i]
            service = self.parts.plain_ns(part, size)
            done = self.parts.hold_plain(
                part, self.chosen[2 * i], self.chosen[2 * i + 1], start, size, service
            )
            slowest = part if done > end else slowest
            end = max(done, end)
        self.parts.charge(slot, self.parts.spec[slowest + P_COLUMN], 0, end - start)
        return end

    def hold_varied(
        self, slot: int, at: int, first: int, count: int, size: int, low: int, high: int, start: int
    ) -> int:
        """Hold the ``chosen`` parts from ``start`` on, as ``route``, some of which vary."""
        end = start
        lost = 0
        slowest = self.hold_part[first]
        for i in range(count):
            part = self.hold_part[first + i]
            instance = self.chosen[2 * i]
            service = self.parts.plain_ns(part, size)
            if self.parts.spec[part + P_VARIES]:
                service = self.varied(at, part, instance, start, size, service, low, high, 1)
            server = self.chosen[2 * i + 1]
            freed = self.parts.hold(part, instance, server, start, size, service)
            slowest = part if freed > end else slowest
            lost = self.parts.lost if freed > end else lost
            end = max(freed, end)
        self.parts.charge(slot, self.parts.spec[slowest + P_COLUMN], lost, end - start - lost)
        return end

    def alone(self, slot: int, at: int, hold: int, size: int, low: int) -> int:
        """Make a request at a part that stands alone: shared, or an array of disks."""
        part = self.hold_part[hold]
        instance = self.instance(at, hold)
        if self.parts.spec[part + P_KIND] == SHARED:
            self.sharing.join(slot, part, instance, size, self.parts.plain_ns(part, size))
            return BLOCKED
        if self.frame[at + FILE] >= 0:
            low += self.file[self.frame[at + FILE] * L_ROWS + L_BASE]
        end = self.arrays.request(slot, part, instance, size, low)
        if self.arrays.reader:  # A frame on top of the request's own is there until it writes.
            file, tier = self.frame[at + FILE], self.hop_tier + REWRITE_HERE
            top = self.frames.call(slot, tier, R_WRITE, file, low, low + size)
            self.frame[top + AT] = hold
            self.frame[top + RUN] = self.arrays.reader
        return end

    def rewrite(self, slot: int, at: int) -> int:
        """Queue what a request writes, now that an array has read what it needs."""
        hold, low = self.frame[at + AT], self.frame[at + LOW]
        instance, size = self.instance(at - self.frames.stride, hold), self.frame[at + HIGH] - low
        part, reader = self.hold_part[hold], self.frame[at + RUN]
        self.frames.answer(slot)
        return self.arrays.rewrite(slot, part, instance, size, low, reader)

    # -- packets --------------------------------------------------------------------------------

    def depart(
        self, slot: int, at: int, first: int, count: int, size: int, low: int, high: int
    ) -> int:
        """Let a message begin to pass parts one after the other; returns when its actor goes on.

        A frame on top of the request's own is on the way, until the last part is reserved.
        """
        hop = self.frames.call(
            slot, self.hop_tier, self.frame[at + OP], self.frame[at + FILE], low, high
        )
        self.frame[hop + AT] = first
        self.frame[hop + STOP] = first + count
        self.frame[hop + RUN] = size
        self.frame[hop + SINCE] = -1
        return self.hop(slot, hop)

    def hop(self, slot: int, hop: int) -> int:
        """Join the queue of a message's next part; returns when the first byte is at the one after.

        Of the last part: when the last byte has passed all. SINCE is when it has passed those so
        far, COLUMN that of the part which this comes from, WAITED for how long that had failed.
        """
        hold = self.frame[hop + AT]
        part = self.hold_part[hold]
        instance = self.instance(hop - self.frames.stride, hold)
        size = self.frame[hop + RUN]
        column = self.parts.spec[part + P_COLUMN]
        service = self.parts.plain_ns(part, size)
        if self.parts.spec[part + P_VARIES]:
            low, high = self.frame[hop + LOW], self.frame[hop + HIGH]
            service = self.varied(hop, part, instance, -1, size, service, low, high, 1)
        end = self.parts.queue(part, instance, size, service)
        start = self.parts.started
        lost = self.parts.lost
        if self.parts.failed:  # It does not come to those behind, but has passed those before.
            served = end - start - lost
            end = max(self.parts.gave_up, self.frame[hop + SINCE])
            self.parts.charge(slot, column, end - self.clock.now - served, served)
            return end
        if lost:  # It may begin later than it could have; what it misses then is waiting.
            began = self.parts.calendars.began
            lost -= began - start
            start = began
        latency = self.hold_leads[hold] * self.parts.spec[part + P_LATENCY]
        if end > self.frame[hop + SINCE]:
            self.frame[hop + SINCE] = end
            self.frame[hop + COLUMN] = column
            self.frame[hop + WAITED] = lost
        since = self.frame[hop + SINCE] + latency
        self.frame[hop + SINCE] = self.clock.within(since, OF_PART, part)
        self.frame[hop + AT] = hold + 1
        if hold + 1 < self.frame[hop + STOP]:
            self.parts.charge(slot, column, start - self.clock.now, latency)
            return start + latency
        last = self.frame[hop + SINCE]
        self.parts.charge(slot, column, start - self.clock.now, 0)
        lost = min(self.frame[hop + WAITED], last - start)
        self.parts.charge(slot, self.frame[hop + COLUMN], lost, last - start - lost)
        self.frames.answer(slot)
        return last

    # -- paths that give up -----------------------------------------------------------------------

    def guard(
        self,
        slot: int,
        at: int,
        tier: int,
        first: int,
        count: int,
        size: int,
        low: int,
        high: int,
    ) -> int:
        """Pass a stage one way, of a path whose calls give up; as ``way``."""
        self.be_patient(at, tier)
        if self.tier[tier + T_PACKETS] & IS_PACKETS:
            time = self.depart(slot, at, first, count, size, low, high)
            if self.actor[slot * ACTOR + TOP] != at:
                self.leave_hop(self.actor[slot * ACTOR + TOP], self.hop_tier + GUARDED_HERE)
            self.parts.give_up = -1
            return time
        pieces = self.tier[tier + T_PIECES]
        if not pieces:  # As ``way``, which does not call what this does.
            time = self.route(slot, at, first, count, size, low, high)
        elif count == 1:
            time = self.deal_one(slot, at, tier, first, size, low, high)
        else:
            time = self.deal(slot, at, tier, first, count, size, low, high)
        whole = count == 1
        if whole and pieces:
            whole = self.divide(size, pieces, min(pieces, self.tier[tier + T_WIDTH])) == 1
        return self.see_failure(slot, at, self.hold_part[first] if whole else -1, time)

    def guarded(self, slot: int, at: int) -> int:
        """Let a request act at a tier of a path whose calls give up that is no stage."""
        kind = self.tier[self.frame[at + TIER] + T_GUARDED]
        if kind == K_HOP:
            below = at - self.frames.stride
            self.be_patient(below, self.frame[below + TIER])
            time = self.hop(slot, at)
            self.leave_hop(at, self.hop_tier + GUARDED_HERE)
            self.parts.give_up = -1
            return time
        tier = self.frame[at + TIER]
        self.be_patient(at, tier)
        time = self.work(slot, at) if kind == K_WORK else self.commit(slot, at)
        return self.see_failure(slot, at, self.hold_part[self.tier[tier + T_DOWN]], time)

    def be_patient(self, at: int, tier: int) -> None:
        """Let what follows wait for parts that have failed as long as the request does."""
        self.parts.failed = 0
        self.parts.give_up = -1
        if not self.frame[at + SEQUENTIAL] & WAITS:
            self.parts.give_up = self.path[self.tier[tier + T_PATH] + A_GIVE_UP]

    def leave_hop(self, hop: int, tier: int) -> None:
        """A message is on its way to a part of a stage, or has failed."""
        self.frame[hop + TIER] = self.hop_tier + FAILED_HERE if self.parts.failed else tier
        self.parts.failed = 0

    def see_failure(self, slot: int, at: int, part: int, time: int) -> int:
        """Return when a request goes on that has passed parts until a time: if one failed, back.

        One that needs one ``part`` only does not wait until it would have begun there.
        """
        self.parts.give_up = -1
        if not self.parts.failed:
            return time
        self.parts.failed = 0
        if part >= 0:
            more = self.parts.gave_up - time
            self.parts.charge(slot, self.parts.spec[part + P_COLUMN], more, 0)
            time += more
        back = self.hop_tier + FAILED_HERE
        self.frames.call(slot, back, self.frame[at + OP], self.frame[at + FILE], 0, 0)
        return time

    # -- work and pools -------------------------------------------------------------------------

    def work(self, slot: int, at: int) -> int:
        """Make a request at a part, on the way down."""
        if self.frame[at + STATE] == DOWN:
            return self.go_below(at)
        self.frame[at + STATE] = DOWN
        low, high = self.frame[at + LOW], self.frame[at + HIGH]
        tier = self.frame[at + TIER]
        first = self.tier[tier + T_DOWN]
        costs = self.tier[tier + T_COSTS]
        if costs >= 0 and self.frame[at + OP] >= R_META:
            cost = self.cost[costs + self.frame[at + OP] - R_META]
            if cost >= 0:
                return self.fixed(slot, at, first, cost)
        return self.route(slot, at, first, 1, high - low, low, high)

    def commit(self, slot: int, at: int) -> int:
        """Make the request of a sync, or a change, at a part; others pass it by."""
        if self.frame[at + STATE] == DOWN or not self.is_durable(at):
            return self.go_below(at)
        self.frame[at + STATE] = DOWN
        first = self.tier[self.frame[at + TIER] + T_DOWN]
        part = self.hold_part[first]
        if self.parts.spec[part + P_KIND] == JOURNAL:
            return self.parts.commit(slot, part, self.instance(at, first))
        return self.route(slot, at, first, 1, 0, self.frame[at + LOW], self.frame[at + HIGH])

    def is_durable(self, at: int) -> bool:
        """Whether a request is a sync, or changes metadata."""
        op = self.frame[at + OP]
        return op == R_SYNC or (op > R_META and (CHANGING >> ((op - R_META) % KINDS)) & 1 != 0)

    def fixed(self, slot: int, at: int, hold: int, service: int) -> int:
        """Make a request of 0 bytes at a part that takes a given time; returns when it ends."""
        part = self.hold_part[hold]
        instance = self.instance(at, hold)
        if self.parts.spec[part + P_KIND] == SHARED:
            self.sharing.join(slot, part, instance, 0, service)
            return BLOCKED
        now = self.clock.now
        hook = self.parts.spec[part + P_HOOK]
        if hook >= 0:
            self.parts.begin = self.parts.start(part, instance)
            service = self.stations.spend(hook, self.parts, part, instance, service)
        service = self.parts.stretch(part, instance, service)
        if self.parts.spec[part + P_KIND] == CORE:
            return self.sharing.join_core(slot, part, instance, 0, service)
        end = self.parts.queue(part, instance, 0, service)
        start = self.parts.started + self.parts.lost
        self.parts.charge(slot, self.parts.spec[part + P_COLUMN], start - now, end - start)
        return end
