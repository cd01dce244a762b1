"""How a metaserver chooses the server of a call: by load alone, or by bandwidth and problem.

A rule without a clock: it sees load averages, and what earlier calls between the same client and
server have measured. It never sees the state of a link or of a run queue.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.engine.callplan import CallerPlan, Choice, ServerPlan, Target

SMOOTHING = 0.5
"""Weight of the newest measurement of a bandwidth."""


class Metaserver:
    """The rule, with what it has learnt."""

    def __init__(self, choice: Choice, servers: Sequence[ServerPlan]) -> None:
        self.choice = choice
        self.servers = servers
        self._bandwidth: dict[tuple[tuple[int, ...], int], float] = {}

    def choose(self, caller: CallerPlan, loads: Sequence[float]) -> Target:
        """The server for the next call, by the servers' load averages; the first of equals.

        By load it is that with the least load for each of its PEs.
        """
        if self.choice == "fixed":
            return caller.targets[0]
        if self.choice == "load":
            return min(caller.targets, key=lambda one: loads[one.server] / self._pes(one))
        return min(caller.targets, key=lambda one: self.estimate_s(caller, one, loads[one.server]))

    def estimate_s(self, caller: CallerPlan, target: Target, load: float) -> float:
        """Estimated seconds of a call: computing among ``load`` others, and bytes over bandwidth.

        ``compute`` leaves the bytes out, ``bandwidth`` the computing.
        """
        computing = 0.0 if self.choice == "bandwidth" else self._compute_s(caller, target, load)
        return computing + (0.0 if self.choice == "compute" else self._move_s(caller, target))

    def _compute_s(self, caller: CallerPlan, target: Target, load: float) -> float:
        """Stretched by (load + threads) / PEs where that is above 1."""
        problem, library = caller.problem, target.library
        computing = library.compute_ns(problem.operations, problem.length) / 1e9
        return computing * max(1.0, (load + library.threads) / self._pes(target))

    def _move_s(self, caller: CallerPlan, target: Target) -> float:
        """A bandwidth nobody has measured yet counts as endless: each server is tried once."""
        known = self._bandwidth.get((target.route, target.server))
        return (caller.problem.bytes_in + caller.problem.bytes_out) / known if known else 0.0

    def _pes(self, target: Target) -> int:
        return self.servers[target.server].cpu.pes

    def learn(self, target: Target, size: int, took_ns: int) -> None:
        """Remember how fast a call's data came to its server."""
        if not took_ns:
            return
        key = (target.route, target.server)
        measured = size * 1e9 / took_ns
        known = self._bandwidth.get(key, measured)
        self._bandwidth[key] = known + SMOOTHING * (measured - known)
