# cython: infer_types=True
"""Shared parts: all transfers under way grow at the same pace, and a timer ends them.

The rule is that of ``kinds/parts/shared/reference.py``, with a speed that may depend on the number
of transfers; here for any number of instances. The transfers of an instance are a pairing heap of
slots, the next to end at its root, so that an instance costs nothing for those who are not there.
What the processes of a node do on its cores is shared alike: then the instance is that of the cpu.
"""

from __future__ import annotations

from array import array

from simulator.native.clock import grown, zeros
from simulator.native.codes import *
from simulator.native.frames import Frames
from simulator.native.parts import Parts
from simulator.native.wide import divided, rest_of, times

SCALE = 10
"""Bits of a nanosecond in the virtual time."""
SPEED_BITS = 20
"""Bits behind the point of a speed."""


class Sharing:
    """The transfers of all shared instances."""

    def __init__(
        self,
        frames: Frames,
        parts: Parts,
        shares: array[int],
        speeds: array[int],
        timer: int,
        count: int,
    ) -> None:
        """``count``: how many shared instances there are."""
        self.frames = frames
        self.clock = frames.clock
        self.parts = parts
        self.share = shares
        self.speeds = speeds
        self.first_timer = timer
        self.rings = 0
        self.count = count
        self.goal = zeros(1)
        """For each transfer the virtual time at which it ends: whole nanoseconds,"""
        self.behind = zeros(1)
        """and what is behind the point, with ``SCALE`` bits."""
        self.child = zeros(1)
        self.sibling = zeros(1)
        self.began = zeros(1)
        self.service = zeros(1)
        self.size = zeros(1)
        self.writes = zeros(1)
        self.grow(frames.slots)

    def grow(self, slots: int) -> None:
        """Make room for so many slots, if there is a shared part."""
        if not self.count:
            return
        self.goal = grown(self.goal, slots)
        self.behind = grown(self.behind, slots)
        self.child = grown(self.child, slots)
        self.sibling = grown(self.sibling, slots)
        self.began = grown(self.began, slots)
        self.service = grown(self.service, slots)
        self.size = grown(self.size, slots)
        self.writes = grown(self.writes, slots)

    def join(self, slot: int, part: int, instance: int, size: int, service: int) -> None:
        """Begin a transfer; its actor waits until the timer wakes it.

        ``service`` is its time alone, without noise.
        """
        service = self.parts.stretch(part, instance, service)
        self.parts.state[4 * instance + REQUESTS] += 1
        self.parts.book(part, instance, size, service)
        self.begin(slot, part, instance, size, service)

    def join_core(self, slot: int, part: int, instance: int, size: int, service: int) -> int:
        """Make a request at a ``core`` part, whose ``service`` has its noise; a time, or BLOCKED.

        The time alone is service; the cpu charges what it takes longer.
        """
        self.parts.queue(part, instance, size, service)
        self.parts.charge(slot, self.parts.spec[part + P_COLUMN], 0, service)
        if not service:
            return self.clock.now
        cpu = self.parts.spec[part + P_CPU]
        member = instance - self.parts.spec[part + P_FIRST]
        self.use_core(slot, cpu, self.parts.spec[cpu + P_FIRST] + member, service)
        return BLOCKED

    def use_core(self, slot: int, cpu: int, instance: int, work: int) -> None:
        """Begin a task that has not been spent at its cpu, and counts there now."""
        self.parts.book(cpu, instance, 0, work)
        self.begin(slot, cpu, instance, 0, work)

    def begin(self, slot: int, part: int, instance: int, size: int, service: int) -> None:
        """Begin a transfer, or a task of a cpu; its actor waits until the timer wakes it."""
        row = (
            self.parts.spec[part + P_SHARE] + instance - self.parts.spec[part + P_FIRST]
        ) * S_ROWS
        self.advance(row)
        goal = self.share[row + S_VIRTUAL] + service
        self.goal[slot] = self.clock.within(goal, OF_PART, part)
        self.behind[slot] = self.share[row + S_BEHIND]
        self.child[slot] = -1
        self.sibling[slot] = -1
        self.began[slot] = self.clock.now
        self.service[slot] = service
        self.size[slot] = size
        other = self.parts.spec[part + P_WRITES]
        self.writes[slot] = other < 0
        root = slot
        if self.share[row + S_COUNT]:
            root = self.merge(self.share[row + S_ROOT], slot)
        else:
            self.share[row + S_TIMER] = self.frames.take(TIMER, row, self.first_timer + instance)
            self.share[row + S_PART] = -1 - other if other < 0 else part
            self.share[row + S_INSTANCE] = instance
        self.share[row + S_ROOT] = root
        self.share[row + S_COUNT] += 1
        self.share[row + S_WRITING] += self.writes[slot]
        self.clock.play(self.share[row + S_TIMER], self.next_end(row))

    def ring(self, row: int) -> int:
        """End the transfers that are done; returns when the next ends, or BLOCKED."""
        self.rings += 1
        part = self.share[row + S_PART]
        now = self.clock.now
        self.advance(row)
        while self.share[row + S_COUNT]:
            slot = self.share[row + S_ROOT]
            if self.is_ahead(slot, row):
                break
            self.share[row + S_ROOT] = self.without(slot)
            self.share[row + S_COUNT] -= 1
            self.share[row + S_WRITING] -= self.writes[slot]
            passed = now - self.began[slot]
            service = min(self.service[slot], passed)
            instance = self.share[row + S_INSTANCE]
            if self.parts.calendars.has(instance):
                lost = self.parts.calendars.down(instance, self.began[slot], now)
                self.parts.calendars.miss(instance, lost)
            column = self.parts.spec[part + P_COLUMN]
            if self.parts.spec[part + P_KIND] == CPU:  # What it takes alone is charged already.
                self.parts.charge(slot, column, passed - service, 0)
            else:
                self.parts.charge(slot, column, passed - service, service)
                if self.parts.timing:
                    self.parts.note(instance, self.began[slot], passed, self.size[slot])
            self.clock.wake(slot)
        if not self.share[row + S_COUNT]:
            self.share[row + S_VIRTUAL] = 0
            self.share[row + S_BEHIND] = 0
            self.frames.give(self.share[row + S_TIMER])
            return BLOCKED
        self.clock.alarms -= 1  # it counts when it rings
        return self.next_end(row)

    def advance(self, row: int) -> None:
        """Let the virtual time grow to now."""
        count = self.share[row + S_COUNT]
        if count:
            passed = self.clock.now - self.share[row + S_SINCE]
            self.share[row + S_ACTIVE] += passed
            instance = self.share[row + S_INSTANCE]
            if self.parts.calendars.has(instance):
                since = self.share[row + S_SINCE]
                passed = self.parts.calendars.done(instance, since, self.clock.now)
            speed = self.speed(row, count)
            if speed < 0:
                whole = passed // count
                behind = ((passed - whole * count) << SCALE) // count
            else:
                by = count << SPEED_BITS
                whole = divided(passed, speed, by)
                behind = rest_of(passed, speed, by, whole) // (count << SCALE)
            behind += self.share[row + S_BEHIND]
            whole += self.share[row + S_VIRTUAL] + (behind >> SCALE)
            self.share[row + S_VIRTUAL] = whole
            self.share[row + S_BEHIND] = behind & ((1 << SCALE) - 1)
        self.share[row + S_SINCE] = self.clock.now

    def is_ahead(self, slot: int, row: int) -> bool:
        """Whether the goal of a transfer is not reached yet."""
        goal, virtual = self.goal[slot], self.share[row + S_VIRTUAL]
        if goal != virtual:
            return goal > virtual
        return self.behind[slot] > self.share[row + S_BEHIND]

    def next_end(self, row: int) -> int:
        """When the next transfer ends if none begins before."""
        count, since = self.share[row + S_COUNT], self.share[row + S_SINCE]
        root = self.share[row + S_ROOT]
        instance = self.share[row + S_INSTANCE]
        if not self.is_ahead(root, row):
            if self.parts.calendars.has(instance):  # While it has failed nobody leaves it.
                end = self.parts.calendars.end_of(instance, since, 0)
                return self.clock.within(end, OF_PART, self.share[row + S_PART])
            return since
        left = self.goal[root] - self.share[row + S_VIRTUAL]
        behind = self.behind[root] - self.share[row + S_BEHIND]
        if behind < 0:
            left -= 1
            behind += 1 << SCALE
        speed = self.speed(row, count)
        if speed < 0:
            more = (behind * count + (1 << SCALE) - 1) >> SCALE
            left = times(left, count)
        else:
            by = count << SPEED_BITS
            whole = divided(left, by, speed)
            more = rest_of(left, by, speed, whole) + behind * (count << SCALE)
            more = (more + speed - 1) // speed
            left = whole
        left = self.clock.within(left + more, OF_PART, self.share[row + S_PART])
        if self.parts.calendars.has(instance):
            end = self.parts.calendars.end_of(instance, since, left)
            return self.clock.within(end, OF_PART, self.share[row + S_PART])
        return self.clock.within(since + left, OF_PART, self.share[row + S_PART])

    def speed(self, row: int, count: int) -> int:
        """What ``count`` transfers get together, in 2**-20; -1 for all of the rate.

        Of transfers in both directions it is the mean of what each would get.
        """
        part = self.share[row + S_PART]
        reading = self.speed_of(part, count)
        writing = self.share[row + S_WRITING]
        if not writing:
            return reading
        other = self.speed_of(self.parts.spec[part + P_WRITES], count)
        if reading < 0 and other < 0:
            return -1
        if reading < 0:
            reading = 1 << SPEED_BITS
        if other < 0:
            other = 1 << SPEED_BITS
        return ((count - writing) * reading + writing * other) // count

    def speed_of(self, part: int, count: int) -> int:
        """What ``count`` transfers in one direction get together; -1 for all of the rate."""
        speeds = self.parts.spec[part + P_SPEEDS]
        if not speeds:
            return -1
        return self.speeds[self.parts.spec[part + P_SPEED] + min(count, speeds - 1)]

    # -- the heap -------------------------------------------------------------------------------

    def merge(self, one: int, other: int) -> int:
        """Make one heap of two that are not empty; returns its root."""
        if self.is_before(other, one):
            self.sibling[one] = self.child[other]
            self.child[other] = one
            return other
        self.sibling[other] = self.child[one]
        self.child[one] = other
        return one

    def is_before(self, other: int, one: int) -> bool:
        """Whether a transfer ends before another one."""
        if self.goal[other] != self.goal[one]:
            return self.goal[other] < self.goal[one]
        if self.behind[other] != self.behind[one]:
            return self.behind[other] < self.behind[one]
        first, second = other * ALARM + ALARM_NUMBER, one * ALARM + ALARM_NUMBER
        return self.clock.alarm[first] < self.clock.alarm[second]

    def without(self, root: int) -> int:
        """Take the root from a heap; returns the new root, or -1."""
        pairs = -1
        one = self.child[root]
        while one >= 0:
            other = self.sibling[one]
            after = -1
            if other >= 0:
                after = self.sibling[other]
                one = self.merge(one, other)
            self.sibling[one] = pairs
            pairs = one
            one = after
        heap = -1
        while pairs >= 0:
            after = self.sibling[pairs]
            self.sibling[pairs] = -1
            heap = pairs if heap < 0 else self.merge(pairs, heap)
            pairs = after
        return heap
