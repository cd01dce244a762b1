"""The runs of the Orion study: square meshes on 1, 2 and 4 nodes, each setting simulated once.

Times are means over several runs that differ in the servers' polling times and in the small
variation of the processors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from simulator.config.formats import load_machine
from simulator.prepared import Prepared
from simulator.run import run_plan
from simulator.study.change import NOTHING, Change
from simulator.study.work import Work

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.result.services import MeshNodeResult, MeshResult


MACHINE, MESH = "orion", "orion-mesh"
PROCESSOR, PAGING = "processor", "processor.paging"
"""Account categories: waiting for the node's own servers while computing, and for pages."""

Setting = tuple[str, str]
Settings = tuple[Setting, ...]

SIDES = (100, 141, 200, 245, 316, 447, 548, 707, 1000, 1200, 1400)
"""Points along one side of the meshes, from 10,000 to 1,960,000 points."""
LARGE = (447, 548, 707, 1000, 1200, 1400)
"""Sides of meshes with 200,000 points or more."""
SMALL = (100, 141, 200)
"""Sides of meshes with 40,000 points or less."""

INTERVALS_MS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0, 50.0, 100.0)


def server(**values: str) -> Settings:
    """Return settings of the message servers: ``server(poll="0 s")``."""
    return tuple((f"machine.services.messages.{key}", value) for key, value in values.items())


def interval(ms: float) -> Settings:
    """Poll every ``ms`` milliseconds."""
    return server(interval=f"{ms:g} ms")


NO_SERVERS = server(interval="0.5 ms", poll="0 s", send="0 s", deliver="0 s", lookup="0 s")
"""Settings with which messages cost the network's time only (and half a poll's interval of 0.5
ms)."""
NO_LOCATION_CACHE = server(location_cache="false")
LOOPS = "workload.jobs.*.phases.*.loops"
LATE_POLLS, REPETITIONS = (interval(30), interval(50), interval(100)), 3
"""Settings run more often than others: with late polls loops vary more, and the curve over all
intervals, whose minimum is the best interval, depends on them."""


class OrionRuns:
    """Simulated runs, each made once."""

    engine_used = "reference"

    def __init__(
        self, runs: int, seed: int, work: Work | None = None, change: Change = NOTHING
    ) -> None:
        self.runs = runs
        self.seed = seed
        self.work = work or Work(1)
        self.change = change
        self._files = Prepared(MACHINE, MESH, change.of_machine)
        self.machine = load_machine(MACHINE, change.of_machine)
        self._plans: dict[tuple[int, int, Settings], Plan] = {}
        self._results: dict[tuple[int, int, Settings], list[Result]] = {}
        self._shorts: dict[tuple[int, int], MeshResult] = {}

    def plan(self, nodes: int, side: int, settings: Settings = ()) -> Plan:
        """Return the plan of ``side`` x ``side`` points on some nodes."""
        key = (nodes, side, settings)
        if key not in self._plans:
            size = [("processes", nodes), ("phases.*.rows", side), ("phases.*.columns", side)]
            given = [(f"workload.jobs.*.{name}", str(value)) for name, value in size]
            others = (one for one in self.change.settings if one not in self.change.of_machine)
            self._plans[key] = self._files.plan([*others, *given, *settings], seed=self.seed)
        return self._plans[key]

    def results(self, nodes: int, side: int, settings: Settings = ()) -> list[Result]:
        """Return all runs of a setting."""
        key = (nodes, side, settings)
        if key not in self._results:
            plan = self.plan(nodes, side, settings)
            runs = 1 if nodes == 1 else self.runs * (REPETITIONS if settings in LATE_POLLS else 1)
            self._results[key] = [self.run(replace(plan, run=run)) for run in range(runs)]
        return self._results[key]

    def meshes(self, nodes: int, side: int, settings: Settings = ()) -> list[MeshResult]:
        """Return the mesh of each run of a setting."""
        return [mesh for one in self.results(nodes, side, settings) for mesh in one.meshes]

    def run(self, plan: Plan) -> Result:
        """Run a plan, and count it."""
        result = run_plan(plan, engine="reference")
        self.work.add()
        return result

    def loop_ms(self, nodes: int, side: int, settings: Settings = ()) -> float:
        """Return the mean time of a loop."""
        return fmean(one.loop_ns for one in self.meshes(nodes, side, settings)) / 1e6

    def speedup(self, side: int, settings: Settings = (), alone: Settings | None = None) -> float:
        """Return the time on one node over that on four; the one node may have other settings."""
        one = self.loop_ms(1, side, settings if alone is None else alone)
        return one / self.loop_ms(4, side, settings)

    def parts_ms(self, nodes: int, side: int, settings: Settings = ()) -> tuple[float, float]:
        """Return computation and communication in one loop, mean of nodes and runs."""
        blocks, loops = self._nodes(nodes, side, settings)
        computing = fmean(one.computation_ns for one in blocks) / loops / 1e6
        return computing, fmean(one.communication_ns for one in blocks) / loops / 1e6

    def taken_ms(self, nodes: int, side: int, settings: Settings = ()) -> float:
        """Return the time in one loop for which servers stop the application, as a mean."""
        blocks, loops = self._nodes(nodes, side, settings)
        return fmean(one.spent.get(PROCESSOR, (0, 0))[0] for one in blocks) / loops / 1e6

    def _nodes(self, nodes: int, side: int, settings: Settings) -> tuple[list[MeshNodeResult], int]:
        """Return the blocks of all runs of a setting, and the number of counted loops."""
        meshes = self.meshes(nodes, side, settings)
        return [one for mesh in meshes for one in mesh.nodes], len(meshes[0].loop_ends_ns) - 1

    def unfound_ms(self, nodes: int, side: int, settings: Settings = ()) -> float:
        """Return the mean time until an arrived message was found."""
        return fmean(map(detection_ns, self.results(nodes, side, settings))) / 1e6

    def paging_loop_ms(self, nodes: int, side: int) -> float:
        """Return the time of one loop that may page: one run of two loops with few polls."""
        return self._short(nodes, side).loop_ns / 1e6

    def pages(self, nodes: int, side: int) -> bool:
        """Return whether any node has to page in each loop."""
        return any(PAGING in node.spent for node in self._short(nodes, side).nodes)

    def _short(self, nodes: int, side: int) -> MeshResult:
        key = (nodes, side)
        if key not in self._shorts:
            result = self.run(self.plan(nodes, side, ((LOOPS, "2"), *interval(100))))
            (self._shorts[key],) = result.meshes
        return self._shorts[key]

    def paging_begins(self, nodes: int) -> int:
        """Return the fewest points of a square mesh that pages on some nodes.

        The search begins where a mesh without its ring fills the nodes' memory.
        """
        plan = self.plan(nodes, SIDES[0])
        (mesh,) = plan.services.meshes
        (memory,) = {one.spec.memory.resident for one in plan.parts if one.kind == "processor"}
        most = max(nodes, math.isqrt(nodes * memory // mesh.point_bytes))
        side = first_true(lambda one: self.pages(nodes, one), nodes, most)
        return side * side

    def break_even(self, settings: Settings = (), alone: Settings | None = None) -> float:
        """Return the points at which four nodes become as fast as one, between two sides."""
        starts = [20, 200, 447, 1000]
        while len(starts) > 2 and self.speedup(starts[1], settings, alone) < 1:
            del starts[0]
        low, high = starts[:2]
        if self.speedup(low, settings, alone) >= 1:
            return float(low * low)

        def gain_ms(side: int) -> float:
            one = self.loop_ms(1, side, settings if alone is None else alone)
            return one - self.loop_ms(4, side, settings)

        low, high = bracket(
            gain_ms, low, high, near=lambda side: max(1, side // 40), scale=lambda side: side * side
        )
        return _crossing(
            (low * low, self.speedup(low, settings, alone)),
            (high * high, self.speedup(high, settings, alone)),
        )

    def intervals_ms(self, side: int = 1000) -> list[float]:
        """Return the mean time of a loop on 4 nodes for each of ``INTERVALS_MS``."""
        return [self.loop_ms(4, side, interval(ms)) for ms in INTERVALS_MS]

    def best_interval_ms(self, side: int = 1000) -> float:
        """Return the interval of the shortest loop, on the curve A + B / interval + C interval.

        The curve is fitted to all intervals by least squares, since the minimum is flat, and
        sensitive to the variation of runs.
        """
        tau = np.array(INTERVALS_MS)
        shape = np.stack([np.ones_like(tau), 1 / tau, tau], axis=1)
        _, steep, late = np.linalg.lstsq(shape, np.array(self.intervals_ms(side)))[0]
        return float(np.sqrt(steep / late)) if steep > 0 and late > 0 else math.nan


def detection_ns(result: Result) -> float:
    """Return the mean time until a poll found an arrived message; 0 if there was none."""
    counts = [one.counts for one in result.services.values() if "found" in one.counts]
    found = sum(one["found"] for one in counts)
    return sum(one["unfound_ns"] for one in counts) / found if found else 0.0


def _crossing(below: tuple[int, float], above: tuple[int, float]) -> float:
    """Return the crossing of 1 by a line between two (points, speedup).

    >>> _crossing((100, 0.5), (200, 1.5))
    150.0
    """
    (n, s), (m, t) = below, above
    return n + (m - n) * (1 - s) / (t - s) if t != s else float(m)


# -- searches with few evaluations: each is a set of simulated runs --------------------------------


def first_true(test: Callable[[int], bool], least: int, guess: int) -> int:
    """Return the first number, not before ``least``, from which a predicate holds.

    The search begins at ``guess``, moves away in doubling steps, and then bisects.

    >>> first_true(lambda number: number >= 1413, 1, 1414)
    1413
    """
    step, below, above = 1, guess, guess
    if test(guess):
        while above > least and test(below := max(least, guess - step)):
            above, step = below, 2 * step
        if above <= least:
            return least
    else:
        while not test(above := guess + step):
            below, step = above, 2 * step
    while above - below > 1:
        middle = (below + above) // 2
        if test(middle):
            above = middle
        else:
            below = middle
    return above


def bracket(
    value: Callable[[int], float],
    low: int,
    high: int,
    *,
    near: Callable[[int], int] = lambda _: 1,
    scale: Callable[[int], float] = float,
) -> tuple[int, int]:
    """Return numbers at most ``near(low)`` apart: value(low) < 0 <= value(high).

    The two given ones must satisfy this. A line between the ends, with numbers transformed by
    ``scale``, predicts the crossing; the next trial is just beyond it as seen from the nearer end,
    so that the next range is short. After two steps that leave more than half of the range, it is
    bisected.

    >>> bracket(lambda number: number - 700, 0, 1000)
    (699, 700)
    """
    below, above = value(low), value(high)
    slow, width = 0, high - low
    while high - low > near(low):
        tried = (low + high) // 2
        if slow < 2:
            part = below / (below - above)
            place = scale(low) + part * (scale(high) - scale(low))
            crossing = _number_at(place, low, high, scale)
            room = max(1, near(low) // 2)
            tried = crossing + room if crossing - low < high - crossing else crossing - room
            tried = min(max(tried, low + 1), high - 1)
        found = value(tried)
        if found < 0:
            low, below = tried, found
        else:
            high, above = tried, found
        slow = slow + 1 if 2 * (high - low) > width and slow < 2 else 0
        width = high - low
    return low, high


def _number_at(place: float, low: int, high: int, scale: Callable[[int], float]) -> int:
    """Return the first number whose transformed value is not before the given one."""
    while high - low > 1:
        middle = (low + high) // 2
        if scale(middle) < place:
            low = middle
        else:
            high = middle
    return high
