"""Failures and speed changes of resource instances during a run.

They do not depend on the run, so each instance has a *calendar*: its speed as a function of time.
Both engines consult it when a service begins, and compute when the service ends; no simulation
event is needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from simulator.mixing import TABLE_BITS, mix
from simulator.plan.errors import LimitError
from simulator.plan.noise import stream_key

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

SPEED_BITS = 20
NOMINAL_SPEED = 1 << SPEED_BITS
"""Speed of an instance without events."""
FOREVER = 1 << 62
"""A time later than any of a run."""
MOST_GAP = 1 << 61
"""Maximum time between two failures: the sum of two after the end of a run does not overflow."""
FRACTION_BITS = 32
MOST_TIMES = 1 << 20
"""Maximum occurrences of one event at an instance in a run: each is examined in order, and some
again for each request."""
FREQUENT_EVENT = "a repeated event"
"""Name of an event that occurs more often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlan:
    """An event at one instance of a resource, once or repeated."""

    part: int
    """A row of the plan's resources."""
    member: int
    """The instance: a member of its group; -1: drawn for the run."""
    disk: int = -1
    """The disk, of an array; -2: drawn; -1: the instance itself."""
    at_ns: int = 0
    """Time of a single occurrence."""
    mean_ns: int = 0
    """Mean time from the begin of the run, or the end of the last occurrence, to the next; 0:
    once."""
    lasts_ns: int
    """Duration."""
    speed: int = 0
    """Maximum fraction of the usual speed during the event, in 2**-20; 0: failed."""
    stream: str = ""
    """Name of the random stream."""


@lru_cache(maxsize=1)
def edges() -> tuple[int, ...]:
    """Return the bounds of equally likely intervals of an exponential time, in 2**-20 of its mean.

    The last interval is unbounded; it is taken as twice its mean excess, which preserves the mean.
    """
    size = 1 << TABLE_BITS
    found = [round(-log(1 - i / size) * NOMINAL_SPEED) for i in range(size)]
    return (*found, found[-1] + 2 * NOMINAL_SPEED)


def gap_ns(mean_ns: int, bits: int) -> int:
    """Return a time in ns, drawn from an exponential distribution by 64 random bits.

    The first bits choose one of its equally likely intervals, the others a time within it.

    >>> gap_ns(1000, 0), gap_ns(1000, 1 << 63)
    (0, 693)
    """
    place = bits >> (64 - TABLE_BITS)
    low, high = ((mean_ns * edge) >> SPEED_BITS for edge in edges()[place : place + 2])
    fraction = bits >> (64 - TABLE_BITS - FRACTION_BITS) & ((1 << FRACTION_BITS) - 1)
    return min(MOST_GAP, low + ((high - low) * fraction >> FRACTION_BITS))


class EventTimes:
    """One event of an instance: its next or last occurrence, up to a time."""

    __slots__ = ("_before", "_key", "_lasts", "_mean", "_number", "begin", "end", "speed")

    def __init__(self, plan: EventPlan, key: int) -> None:
        """``key``: the key of its random stream."""
        self.speed = plan.speed
        self._mean, self._lasts, self._key = plan.mean_ns, plan.lasts_ns, key
        self._number = 1
        self._before = 0
        """End of the previous occurrence."""
        self.begin = self._gap() if self._mean else plan.at_ns
        self.end = self.begin + self._lasts

    def _gap(self) -> int:
        return gap_ns(self._mean, mix(self._key, self._number))

    def seek(self, time_ns: int) -> None:
        """Find the first occurrence that ends after a time, which may be before the last one.

        LimitError beyond the ``MOST_TIMES``-th.
        """
        if not self._mean:
            return
        while self.end <= time_ns:
            self._number += 1
            if self._number > MOST_TIMES:
                raise LimitError(FREQUENT_EVENT, times=MOST_TIMES)
            self._before = self.end
            self.begin = self.end + self._gap()
            self.end = self.begin + self._lasts
        while time_ns < self._before:
            self._number -= 1
            self.end = self._before
            self.begin = self.end - self._lasts
            self._before = self.begin - self._gap()


class Calendar:
    """The speed of one instance at any time: the minimum over its events."""

    def __init__(self, causes: list[EventTimes]) -> None:
        self._causes = causes
        self.began_ns = 0
        """Begin of the last service sought: when the instance is available."""
        self.lost_ns = 0
        """Time of that service during which the instance is unavailable."""

    def at(self, time_ns: int) -> tuple[int, int]:
        """Return the speed at a time, and the end of that speed."""
        speed, until = NOMINAL_SPEED, FOREVER
        for cause in self._causes:
            cause.seek(time_ns)
            if time_ns < cause.begin:
                until = min(until, cause.begin)
            elif time_ns < cause.end:
                speed = min(speed, cause.speed) if speed != NOMINAL_SPEED else cause.speed
                until = min(until, cause.end)
        return speed, until

    def next(self, time_ns: int, *, down: bool) -> int:
        """Return the first time from one on at which the instance fails, or is available."""
        while time_ns < FOREVER:
            speed, until = self.at(time_ns)
            if (not speed) == down:
                return time_ns
            time_ns = until
        return FOREVER

    def end_of(self, start_ns: int, work_ns: int) -> int:
        """Return the end of a service that takes ``work_ns`` at the usual speed.

        It begins when the instance is available, and is resumed after a failure. Speed s completes
        ``L * s >> 20`` in time L; the service ends in the first ns when all work is done.
        """
        time, lost, began = start_ns, 0, FOREVER
        while time < FOREVER:
            speed, until = self.at(time)
            if not speed:
                lost += until - time
                time = until
                continue
            began = min(began, time)
            takes = -(-(work_ns << SPEED_BITS) // speed)
            if takes <= until - time:
                time += takes
                break
            work_ns -= (until - time) * speed >> SPEED_BITS
            time = until
        self.began_ns, self.lost_ns = began, lost
        return time

    def outage_begin(self, since_ns: int, end_ns: int, most_ns: int) -> int:
        """Return the begin of the first outage longer than ``most_ns`` for a request; -1 if none.

        The request arrives at ``since_ns`` and would be served until ``end_ns``. An outage that
        began earlier counts from the arrival on.
        """
        time = since_ns
        while time < end_ns:
            speed, until = self.at(time)
            if not speed:
                until = self.next(time, down=False)
                if until - time > most_ns:
                    return time
            time = until
        return -1

    def served_intervals(self, start_ns: int, end_ns: int) -> list[tuple[int, int]]:
        """Return the intervals in which a service proceeds: begin and length of each."""
        found: list[tuple[int, int]] = []
        time = start_ns
        while time < end_ns:
            speed, until = self.at(time)
            until = min(until, end_ns)
            if speed and found and sum(found[-1]) == time:
                found[-1] = (found[-1][0], until - found[-1][0])
            elif speed:
                found.append((time, until - time))
            time = until
        return found or [(end_ns, 0)]

    def done(self, since_ns: int, now_ns: int) -> int:
        """Return the work that an instance does between two times, in ns of usual speed."""
        work = 0
        while since_ns < now_ns:
            speed, until = self.at(since_ns)
            end = min(until, now_ns)
            work += (end - since_ns) * speed >> SPEED_BITS
            since_ns = end
        return work

    def changes(self, since_ns: int, now_ns: int) -> Iterator[tuple[int, int, int]]:
        """Yield each interval with another speed than the usual: its begin, length and speed."""
        before = (since_ns, 0, NOMINAL_SPEED)
        while since_ns < now_ns:
            speed, until = self.at(since_ns)
            length = min(until, now_ns) - since_ns
            if speed == before[2]:
                before = (before[0], before[1] + length, speed)
            else:
                if before[2] != NOMINAL_SPEED:
                    yield before
                before = (since_ns, length, speed)
            since_ns += length
        if before[2] != NOMINAL_SPEED:
            yield before

    def times(self, since_ns: int, now_ns: int) -> tuple[int, int, int]:
        """Return the number of failures, the time failed, and the time at another speed."""
        failures = down = slow = 0
        for _, length, speed in self.changes(since_ns, now_ns):
            failures += not speed
            down += 0 if speed else length
            slow += length if speed else 0
        return failures, down, slow


NO_DISK, ANY_DISK = -1, -2


def key_of(plan: Plan, event: EventPlan) -> int:
    """Return the key of an event's random stream in the plan's run."""
    return stream_key(plan.seed, plan.run, f"event {event.stream}")


def events_of(plan: Plan) -> dict[int, list[EventPlan]]:
    """Return the events of each instance of the plan, in the order of its rows."""
    found: dict[int, list[EventPlan]] = defaultdict(list)
    for event in plan.events:
        if event.disk == NO_DISK:
            found[_instance(plan, event)].append(event)
    return found


def _instance(plan: Plan, event: EventPlan) -> int:
    part = plan.parts[event.part]
    member = event.member
    if member < 0:
        member = mix(key_of(plan, event), 0) % part.count
    return part.first + member


def disk_events_of(plan: Plan) -> dict[int, dict[int, list[EventPlan]]]:
    """Return the events of disks of arrays, by instance and disk."""
    found: dict[int, dict[int, list[EventPlan]]] = defaultdict(lambda: defaultdict(list))
    for event in plan.events:
        if event.disk != NO_DISK:
            disk = event.disk
            if disk == ANY_DISK:
                disk = mix(key_of(plan, event), -1) % plan.parts[event.part].spec.disks
            found[_instance(plan, event)][disk].append(event)
    return found


Pair = tuple[Calendar | None, Calendar | None]
"""Calendars of a disk: its failures, and its speed if that ever changes."""


def disk_calendars_of(plan: Plan) -> dict[int, dict[int, Pair]]:
    """Return the calendars of disks of arrays, by instance and disk."""

    def calendar(events: list[EventPlan]) -> Calendar | None:
        return Calendar([EventTimes(one, key_of(plan, one)) for one in events]) if events else None

    return {
        instance: {
            disk: (calendar(failures(events)), calendar([one for one in events if one.speed]))
            for disk, events in disks.items()
        }
        for instance, disks in disk_events_of(plan).items()
    }


def failures(events: list[EventPlan]) -> list[EventPlan]:
    """Return the events in which an instance fails."""
    return [one for one in events if not one.speed]


def calendars_of(plan: Plan) -> dict[int, Calendar]:
    """Return the calendar of each instance that has any events."""
    return {
        instance: Calendar([EventTimes(event, key_of(plan, event)) for event in events])
        for instance, events in events_of(plan).items()
    }
