"""Events of instances of parts during a run: they fail and come back, or slow down.

Nothing of it depends on what the run does, so that each instance has a *calendar*: its speed at any
time. Both engines ask it when a service begins, and know then when that ends. No alarm is set.
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
USUAL = 1 << SPEED_BITS
"""The speed of an instance to which nothing happens."""
ALWAYS = 1 << 62
"""Later than any time of a run."""
MOST_GAP = 1 << 61
"""The longest time between two failures: two of them after the end of a run still are numbers."""
FRACTION_BITS = 32
MOST_TIMES = 1 << 20
"""How often one of them may happen to an instance in a run: each is looked at, one after the other,
and some of them again for each request."""
OFTEN = "an event that happens again and again"
"""Name of an event that happens more often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlan:
    """Something that happens to one instance of a part, once or again and again."""

    part: int
    """A row of the plan's parts."""
    member: int
    """Which instance: the member of its group; -1: one that is drawn for the run."""
    disk: int = -1
    """Which of its disks, of an array; -2: one that is drawn; -1: the instance itself."""
    at_ns: int = 0
    """When it happens, if it does so once."""
    mean_ns: int = 0
    """The mean time from the begin, or from the end of the last one, to the next; 0: once."""
    lasts_ns: int
    """How long it lasts."""
    speed: int = 0
    """At most so much of its usual speed is left meanwhile, in 2**-20; 0: it has failed."""
    stream: str = ""
    """Name of the random stream of what is drawn."""


@lru_cache(maxsize=1)
def edges() -> tuple[int, ...]:
    """Return the bounds of equally likely parts of an exponential time, in 2**-20 of its mean.

    The last part has no end; here it is twice as long as its mean, which keeps that.
    """
    size = 1 << TABLE_BITS
    found = [round(-log(1 - i / size) * USUAL) for i in range(size)]
    return (*found, found[-1] + 2 * USUAL)


def gap_ns(mean_ns: int, bits: int) -> int:
    """Return the time that 64 random bits draw from an exponential distribution; ns.

    The first bits choose one of its equally likely parts, the others a time within it.

    >>> gap_ns(1000, 0), gap_ns(1000, 1 << 63)
    (0, 693)
    """
    place = bits >> (64 - TABLE_BITS)
    low, high = ((mean_ns * edge) >> SPEED_BITS for edge in edges()[place : place + 2])
    fraction = bits >> (64 - TABLE_BITS - FRACTION_BITS) & ((1 << FRACTION_BITS) - 1)
    return min(MOST_GAP, low + ((high - low) * fraction >> FRACTION_BITS))


class Cause:
    """One thing that happens to an instance: when it does next, or did, as far as looked at."""

    __slots__ = ("_before", "_key", "_lasts", "_mean", "_number", "begin", "end", "speed")

    def __init__(self, plan: EventPlan, key: int) -> None:
        """``key`` is that of its random stream."""
        self.speed = plan.speed
        self._mean, self._lasts, self._key = plan.mean_ns, plan.lasts_ns, key
        self._number = 1
        self._before = 0
        """The end of the one before."""
        self.begin = self._gap() if self._mean else plan.at_ns
        self.end = self.begin + self._lasts

    def _gap(self) -> int:
        return gap_ns(self._mean, mix(self._key, self._number))

    def seek(self, time_ns: int) -> None:
        """Look at the first one that ends after a time, earlier or later than the last time.

        LimitError if that is beyond the ``MOST_TIMES``-th.
        """
        if not self._mean:
            return
        while self.end <= time_ns:
            self._number += 1
            if self._number > MOST_TIMES:
                raise LimitError(OFTEN, times=MOST_TIMES)
            self._before = self.end
            self.begin = self.end + self._gap()
            self.end = self.begin + self._lasts
        while time_ns < self._before:
            self._number -= 1
            self.end = self._before
            self.begin = self.end - self._lasts
            self._before = self.begin - self._gap()


class Calendar:
    """The speed of one instance at any time: the least that anything leaves it."""

    def __init__(self, causes: list[Cause]) -> None:
        self._causes = causes
        self.began_ns = 0
        """When the service that was asked for last really begins: once the instance is there."""
        self.lost_ns = 0
        """For how long the instance is not there, from its begin to its end."""

    def at(self, time_ns: int) -> tuple[int, int]:
        """Return the speed at a time, and until when it is the same."""
        speed, until = USUAL, ALWAYS
        for cause in self._causes:
            cause.seek(time_ns)
            if time_ns < cause.begin:
                until = min(until, cause.begin)
            elif time_ns < cause.end:
                speed = min(speed, cause.speed) if speed != USUAL else cause.speed
                until = min(until, cause.end)
        return speed, until

    def next(self, time_ns: int, *, down: bool) -> int:
        """Return the first time from one on at which the instance is not there, or is there."""
        while time_ns < ALWAYS:
            speed, until = self.at(time_ns)
            if (not speed) == down:
                return time_ns
            time_ns = until
        return ALWAYS

    def end_of(self, start_ns: int, work_ns: int) -> int:
        """Return when a service has ended that would take ``work_ns`` at the usual speed.

        It begins once the instance is there, and goes on where it was if that fails meanwhile. At
        speed s the time L does ``L * s >> 20``; it ends in the first ns when all is done.
        """
        time, lost, began = start_ns, 0, ALWAYS
        while time < ALWAYS:
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

    def gone_from(self, since_ns: int, end_ns: int, most_ns: int) -> int:
        """Return from when on an instance is not there for more than ``most_ns``; -1 if never.

        Of a request that comes at ``since_ns`` and would be served until ``end_ns``. What began
        before it came counts from then on.
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

    def there(self, start_ns: int, end_ns: int) -> list[tuple[int, int]]:
        """Return when a service of that time is served: begin and length of each stretch."""
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
        """Return how much work an instance does from one time to another, in ns of usual speed."""
        work = 0
        while since_ns < now_ns:
            speed, until = self.at(since_ns)
            end = min(until, now_ns)
            work += (end - since_ns) * speed >> SPEED_BITS
            since_ns = end
        return work

    def changes(self, since_ns: int, now_ns: int) -> Iterator[tuple[int, int, int]]:
        """Yield each time in which the speed is another one: its begin, length and speed."""
        before = (since_ns, 0, USUAL)
        while since_ns < now_ns:
            speed, until = self.at(since_ns)
            length = min(until, now_ns) - since_ns
            if speed == before[2]:
                before = (before[0], before[1] + length, speed)
            else:
                if before[2] != USUAL:
                    yield before
                before = (since_ns, length, speed)
            since_ns += length
        if before[2] != USUAL:
            yield before

    def times(self, since_ns: int, now_ns: int) -> tuple[int, int, int]:
        """Return how often it has failed, and for how long it was not there, and not as usual."""
        failures = down = slow = 0
        for _, length, speed in self.changes(since_ns, now_ns):
            failures += not speed
            down += 0 if speed else length
            slow += length if speed else 0
        return failures, down, slow


NO_DISK, ANY_DISK = -1, -2


def key_of(plan: Plan, event: EventPlan) -> int:
    """Return the key of an event's random stream, in the plan's run."""
    return stream_key(plan.seed, plan.run, f"event {event.stream}")


def events_of(plan: Plan) -> dict[int, list[EventPlan]]:
    """Return what happens to each instance of the plan, in the order of its rows."""
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
    """Return what happens to disks of arrays, by instance and disk."""
    found: dict[int, dict[int, list[EventPlan]]] = defaultdict(lambda: defaultdict(list))
    for event in plan.events:
        if event.disk != NO_DISK:
            disk = event.disk
            if disk == ANY_DISK:
                disk = mix(key_of(plan, event), -1) % plan.parts[event.part].spec.disks
            found[_instance(plan, event)][disk].append(event)
    return found


Pair = tuple[Calendar | None, Calendar | None]
"""Of a disk: when it is not there, and its speed if that ever is another one."""


def disk_calendars_of(plan: Plan) -> dict[int, dict[int, Pair]]:
    """Return the calendars of disks of arrays, by instance and disk."""

    def calendar(events: list[EventPlan]) -> Calendar | None:
        return Calendar([Cause(one, key_of(plan, one)) for one in events]) if events else None

    return {
        instance: {
            disk: (calendar(failures(events)), calendar([one for one in events if one.speed]))
            for disk, events in disks.items()
        }
        for instance, disks in disk_events_of(plan).items()
    }


def failures(events: list[EventPlan]) -> list[EventPlan]:
    """Return those of some events in which an instance fails."""
    return [one for one in events if not one.speed]


def calendars_of(plan: Plan) -> dict[int, Calendar]:
    """Return the calendar of each instance to which anything happens."""
    return {
        instance: Calendar([Cause(event, key_of(plan, event)) for event in events])
        for instance, events in events_of(plan).items()
    }
