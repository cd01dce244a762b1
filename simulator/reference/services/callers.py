"""A phase of numerical calls: one after the other, or started by trials at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mixing import mix
from simulator.plan.noise import stream_key
from simulator.reference.actor import Actor, Steps

if TYPE_CHECKING:
    from simulator.plan.services import CallerPlan
    from simulator.reference.process import Process

_DRAWS = 2**64


def trial_ns(caller: CallerPlan, key: int, since_ns: int) -> int:
    """Return the time of the first trial from ``since_ns`` on that starts a call; -1 for none.

    Times are those since the phase began. Trials are numbered by their time, so that a caller
    draws the same whatever became of its earlier calls.
    """
    number = max(0, -(-(since_ns - caller.first_ns) // caller.every_ns))
    while (time := caller.first_ns + number * caller.every_ns) <= caller.duration_ns:
        if mix(key, number) < caller.chance * _DRAWS:
            return time
        number += 1
    return -1


class Calling:
    """One phase of a process."""

    def __init__(self, process: Process, row: int) -> None:
        self.process = process
        self.actor = process.actor
        self.plan = process.world.plan.services.callers[row]
        self.numerical = process.world.services.numerical
        self._out = 0
        """Calls under way beside the process."""
        self._ending = False

    def run(self) -> Steps:
        """Make all calls, and wait for those that are under way."""
        if self.plan.count:
            for _ in range(self.plan.count):
                yield from self.numerical.call(self.actor, self.process.plan.name, self.plan)
            return
        yield from self._tries()
        if self._out:
            began = self.actor.now
            self._ending = True
            yield self.actor.blocked(lambda: "its calls to end")
            self.process.idle_ns += self.actor.now - began

    def _tries(self) -> Steps:
        plan, actor, process = self.plan, self.actor, self.process
        begin = actor.now
        key = self._key()
        since = 0
        while (time := trial_ns(plan, key, since)) >= 0:
            process.idle_ns += begin + time - actor.now
            yield actor.until(begin + time)
            if plan.continues:
                self._call_beside()
            else:
                yield from self.numerical.call(actor, process.plan.name, plan)
            # The trial at which a call ends counts again; the one that started it does not.
            since = max(time + 1, actor.now - begin)

    def _key(self) -> int:
        """Return the key of the trials; each time through the phase has its own."""
        plan = self.process.world.plan
        number = self.process.times_called.get(self.plan.stream, 0)
        self.process.times_called[self.plan.stream] = number + 1
        stream = f"{self.plan.stream}#{number}" if number else self.plan.stream
        return stream_key(plan.seed, plan.run, stream)

    def _call_beside(self) -> None:
        """Start a call that goes on while the process makes the next trials."""
        services = self.process.world.services
        self._out += 1
        other = Actor(self.actor.clock, services.new_number(), self.process.plan.name)
        services.beside.append(other)
        self.actor.clock.process(self._beside(other))

    def _beside(self, other: Actor) -> Steps:
        yield from self.numerical.call(other, self.process.plan.name, self.plan)
        self._out -= 1
        if self._ending and not self._out:
            self.actor.wake()
