# cython: infer_types=True
"""What happens to instances of parts: their speed at any time.

The rules are those of ``Calendar`` in ``simulator/plan/events.py``. What happens to an instance
stands together, a row each, which has moved to the time that was looked at last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mixing import mix
from simulator.native.clock import zeros
from simulator.native.codes import *
from simulator.native.wide import divided, rest_of, stretched

if TYPE_CHECKING:
    from array import array

    from simulator.native.clock import Clock

AS_USUAL = 1 << 20
"""The speed of an instance to which nothing happens."""
NO_END = 1 << 62
LONGEST_GAP = 1 << 61
FRACTION = 1 << 32
MOST_TIMES = 1 << 20
"""As there."""


class Calendars:
    """The calendars of all instances."""

    def __init__(self, first: array[int], rows: array[int], edges: array[int]) -> None:
        """``first``: where the rows of each instance begin, and at last where they end."""
        self.first = first
        self.rows = rows
        self.edges = edges
        """Of equally likely parts of an exponential time, in 2**-20 of its mean."""
        self.count = len(rows) // EV_ROWS
        self.clock: Clock
        """That of the run, which ends if one of them happens too often."""
        self.until = 0
        """Until when the speed is the same that was asked for last."""
        self.began = 0
        """When the last service really begins, and for how long the instance is not there."""
        self.lost = 0
        self.delayed = zeros(len(first))
        """Of each instance: requests that waited until it was back,"""
        self.missed = zeros(len(first))
        """and for how long, together;"""
        self.given_up = zeros(len(first))
        """and those that did not."""

    def has(self, instance: int) -> bool:
        """Whether anything happens to an instance."""
        return self.count > 0 and self.first[instance + 1] > self.first[instance]

    def speed(self, instance: int, time: int) -> int:
        """The speed at a time; ``until`` is then until when it is the same."""
        speed = AS_USUAL
        until = NO_END
        row = self.first[instance]
        end = self.first[instance + 1]
        while row < end:
            self.seek(row, time)
            if time < self.rows[row + EV_BEGIN]:
                until = min(until, self.rows[row + EV_BEGIN])
            elif time < self.rows[row + EV_END]:
                own = self.rows[row + EV_SPEED]
                speed = own if speed == AS_USUAL or own < speed else speed
                until = min(until, self.rows[row + EV_END])
            row += EV_ROWS
        self.until = until
        return speed

    def seek(self, row: int, time: int) -> None:
        """Look at the first one that ends after a time, earlier or later than the last time."""
        if not self.rows[row + EV_MEAN]:
            return
        lasts = self.rows[row + EV_LASTS]
        while self.rows[row + EV_END] <= time:
            if self.rows[row + EV_NUMBER] == MOST_TIMES:
                self.clock.exceed(OF_EVENT, 0)
                return
            before = self.rows[row + EV_END]
            self.rows[row + EV_NUMBER] += 1
            self.rows[row + EV_BEFORE] = before
            self.rows[row + EV_BEGIN] = before + self.gap(row)
            self.rows[row + EV_END] = self.rows[row + EV_BEGIN] + lasts
        while time < self.rows[row + EV_BEFORE]:
            end = self.rows[row + EV_BEFORE]
            self.rows[row + EV_NUMBER] -= 1
            self.rows[row + EV_END] = end
            self.rows[row + EV_BEGIN] = end - lasts
            self.rows[row + EV_BEFORE] = end - lasts - self.gap(row)

    def gap(self, row: int) -> int:
        """The time until the one of the row's number; as ``gap_ns``."""
        bits = mix(self.rows[row + EV_KEY], self.rows[row + EV_NUMBER])
        place = bits >> 52
        mean = self.rows[row + EV_MEAN]
        low = stretched(mean, self.edges[place])
        high = stretched(mean, self.edges[place + 1])
        fraction = (bits >> 20) & (FRACTION - 1)
        return min(LONGEST_GAP, low + divided(high - low, fraction, FRACTION))

    def next(self, instance: int, time: int, down: int) -> int:
        """The first time from one on at which an instance is not there (``down``), or is there."""
        while time < NO_END:
            gone = self.speed(instance, time) == 0
            if gone == down:
                return time
            time = self.until
        return NO_END

    def end_of(self, instance: int, start: int, work: int) -> int:
        """When a service has ended that takes ``work`` at the usual speed."""
        time = start
        began = NO_END
        lost = 0
        while time < NO_END:
            speed = self.speed(instance, time)
            until = self.until
            if speed == 0:
                lost += until - time
                time = until
                continue
            began = min(began, time)
            takes = divided(work, AS_USUAL, speed)
            if takes < NO_END and rest_of(work, AS_USUAL, speed, takes):
                takes += 1
            if takes <= until - time:
                time += takes
                break
            work -= stretched(until - time, speed)
            time = until
        self.began = began
        self.lost = lost
        return time

    def gone_from(self, instance: int, since: int, end: int, most: int) -> int:
        """From when on an instance is not there for more than ``most``, of a request; or -1.

        The request comes at ``since`` and would be served until ``end``.
        """
        while since < end:
            speed = self.speed(instance, since)
            until = self.until
            if speed == 0:
                until = self.next(instance, since, 0)
                if until - since > most:
                    return since
            since = until
        return -1

    def done(self, instance: int, since: int, now: int) -> int:
        """How much work an instance does from one time to another, in ns of the usual speed."""
        work = 0
        while since < now:
            speed = self.speed(instance, since)
            end = min(self.until, now)
            work += stretched(end - since, speed)
            since = end
        return work

    def down(self, instance: int, since: int, now: int) -> int:
        """For how long an instance is not there from one time to another."""
        time = 0
        while since < now:
            speed = self.speed(instance, since)
            end = min(self.until, now)
            if speed == 0:
                time += end - since
            since = end
        return time

    def miss(self, instance: int, lost: int) -> None:
        """Count how long a request waits until an instance is back."""
        if lost:
            self.delayed[instance] += 1
            self.missed[instance] += lost
