"""How a metaserver chooses the server of a call: by load alone, or by bandwidth and problem.

A rule without a clock: it sees load averages, and what earlier calls between the same caller and
server have measured. It never sees the state of a link or of a run queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.services import CallerPlan, Target

SMOOTHING = 0.5
"""Weight of the newest measurement of a bandwidth."""


class Metaserver:
    """The rule, with what it has learnt."""

    def __init__(self, pes: Sequence[int]) -> None:
        """``pes`` are those of each numerical server."""
        self.pes = pes
        self._bandwidth: dict[object, float] = {}

    def choose(self, caller: CallerPlan, loads: Sequence[float]) -> Target:
        """Return the server for the next call, by the servers' load averages; the first of equals.

        By load it is that with the least load for each of its PEs.
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
        """Stretched by (load + threads) / PEs where that is above 1."""
        library = target.library
        computing = library.compute_ns(caller.operations, caller.length) / 1e9
        return computing * max(1.0, (load + library.threads) / self.pes[target.server])

    def _move_s(self, caller: CallerPlan, target: Target) -> float:
        """A bandwidth that no call has measured yet counts as endless: each server is tried."""
        known = self._bandwidth.get((target.route, target.server))
        return (caller.bytes_in + caller.bytes_out) / known if known else 0.0

    def learn(self, target: Target, size: int, took_ns: int) -> None:
        """Remember how fast a call's data came to its server."""
        if not took_ns:
            return
        key = (target.route, target.server)
        measured = size * 1e9 / took_ns
        known = self._bandwidth.get(key, measured)
        self._bandwidth[key] = known + SMOOTHING * (measured - known)
