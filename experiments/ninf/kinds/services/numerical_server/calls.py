"""Calls of a process: when trials start them, which server each is for, and who waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.mixing import mix
from simulator.plan.noise import stream_key
from simulator.reference.actor import Actor, Steps

if TYPE_CHECKING:
    from simulator.plan.services import CallerPlan, Target
    from simulator.reference.process import Process

    from .reference import Numerical


SMOOTHING = 0.5
"""Weight of the newest measurement of a bandwidth."""


class Metaserver:
    """Choice of a server for each call, with the bandwidths measured so far."""

    def __init__(self, pes: Sequence[int]) -> None:
        """``pes``: the number of PEs of each numerical server."""
        self.pes = pes
        self._bandwidth: dict[object, float] = {}

    def choose(self, caller: CallerPlan, loads: Sequence[float]) -> Target:
        """Return the server for the next call, by the servers' load averages; the first of equals.

        By load it is that with the least load per PE.
        """
        if caller.choice == "fixed":
            return caller.targets[0]
        if caller.choice == "load":
            return min(caller.targets, key=lambda one: loads[one.server] / self.pes[one.server])
        return min(caller.targets, key=lambda one: self.estimate_s(caller, one, loads[one.server]))

    def estimate_s(self, caller: CallerPlan, target: Target, load: float) -> float:
        """Estimate the seconds of a call: computing among ``load`` others, and moving its bytes.

        ``compute`` leaves the bytes out, ``bandwidth`` the computing.
        """
        computing = 0.0 if caller.choice == "bandwidth" else self._compute_s(caller, target, load)
        return computing + (0.0 if caller.choice == "compute" else self._move_s(caller, target))

    def _compute_s(self, caller: CallerPlan, target: Target, load: float) -> float:
        """Return the computing time, stretched by (load + threads) / PEs where that is above 1."""
        library = target.library
        computing = library.compute_ns(caller.operations, caller.length) / 1e9
        return computing * max(1.0, (load + library.threads) / self.pes[target.server])

    def _move_s(self, caller: CallerPlan, target: Target) -> float:
        """Return the transfer time; an unmeasured bandwidth is infinite: each server is tried."""
        known = self._bandwidth.get((target.route, target.server))
        return (caller.bytes_in + caller.bytes_out) / known if known else 0.0

    def learn(self, target: Target, size: int, took_ns: int) -> None:
        """Record the measured bandwidth of a call's data to its server."""
        if not took_ns:
            return
        key = (target.route, target.server)
        measured = size * 1e9 / took_ns
        known = self._bandwidth.get(key, measured)
        self._bandwidth[key] = known + SMOOTHING * (measured - known)


_DRAWS = 2**64


def trial_ns(caller: CallerPlan, key: int, since_ns: int) -> int:
    """Return the time of the first trial from ``since_ns`` on that starts a call; -1 for none.

    Times are relative to the begin of the phase. Trials are numbered by their time, so that the
    draws of a caller do not depend on its earlier calls.
    """
    number = max(0, -(-(since_ns - caller.first_ns) // caller.every_ns))
    while (time := caller.first_ns + number * caller.every_ns) <= caller.duration_ns:
        if mix(key, number) < caller.chance * _DRAWS:
            return time
        number += 1
    return -1


class CallPhase:
    """One phase of calls of a process."""

    def __init__(self, numerical: Numerical, process: Process, row: int) -> None:
        self.process = process
        self.actor = process.actor
        self.plan = numerical.plan.callers[row]
        self.numerical = numerical
        self._out = 0
        """Number of calls under way concurrently with the process."""
        self._ending = False

    def run(self) -> Steps:
        """Make all calls, and wait for those under way."""
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
        """Return the key of the trials; each pass through the phase has its own."""
        plan = self.process.world.plan
        number = self.numerical.passes[self.process.number, self.plan.stream]
        self.numerical.passes[self.process.number, self.plan.stream] += 1
        stream = f"{self.plan.stream}#{number}" if number else self.plan.stream
        return stream_key(plan.seed, plan.run, stream)

    def _call_beside(self) -> None:
        """Start a call that runs concurrently with the next trials."""
        self._out += 1
        other = self.numerical.new_actor(self.process.plan.name)
        other.begin(self._beside(other))

    def _beside(self, other: Actor) -> Steps:
        yield from self.numerical.call(other, self.process.plan.name, self.plan)
        self._out -= 1
        if self._ending and not self._out:
            self.actor.wake()
