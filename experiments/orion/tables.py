"""Tables of the Orion study: times of a loop, polling intervals, laws of overhead, the solver."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simulator.report.lined import ruled
from simulator.run import run_plan
from simulator.workload.follower import REST, WHOLE, Part
from simulator.workload.split import BLACK

from .divided import DividedMesh
from .laws import PRINTED, TARGET, LawResult, fit_laws
from .poisson import Mesh, solution, undivided
from .runs import INTERVALS_MS, LOOPS, SIDES, OrionRuns, interval

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.plan.services import MeshPlan

BEYOND = ((1449, (1,)), (2025, (1, 2)), (2864, (1, 2, 4)))
"""Sides of meshes that page, and their numbers of nodes."""
NODES = (1, 2, 4)
SOLVED = 16
"""Side of the mesh that is computed."""
MANY = 180
"""Loops after which it is close to the solution."""
CLOSE = 0.001
MOST = 3.85
"""Upper end of the band of speedups."""
LATE = 1.05
"""Minimum ratio of a loop with polls every 100 ms for a law with the paper's U shape."""


def _table(title: str, head: list[str], rows: list[list[str]]) -> str:
    return f"{title}\n{ruled(head, rows)}"


# -- measurements -------------------------------------------------------------------------------


def loop_table(runs: OrionRuns) -> str:
    """Return the time of a loop on 1, 2 and 4 nodes, and its components on 4: figures 1 to 3."""
    rows = []
    for side in SIDES:
        computing, talking = runs.parts_ms(4, side)
        cells = [f"{runs.loop_ms(n, side):.1f}" for n in NODES]
        parts = [f"{runs.speedup(side):.2f}", f"{computing:.1f}", f"{talking:.1f}"]
        rows.append([f"{side * side:,}", *cells, *parts])
    for side, paging in BEYOND:
        cells = [_beyond(runs, n, side, n in paging) for n in NODES]
        rows.append([f"{side * side:,}", *cells, "", "", ""])
    head = ["points", "1 node", "2 nodes", "4 nodes", "speedup", "computing", "communicating"]
    return _table("Time of a loop in ms (*: with paging), and its parts on 4 nodes", head, rows)


def _beyond(runs: OrionRuns, nodes: int, side: int, pages: bool) -> str:
    if pages:
        return f"{runs.paging_loop_ms(nodes, side):.0f} *"
    return f"{runs.loop_ms(nodes, side):.1f}"


def poll_table(runs: OrionRuns) -> str:
    """Return the effect of the polling interval: figure 4."""
    rows = []
    for ms in (0.5, *INTERVALS_MS):
        setting = interval(ms)
        share = runs.plan(4, 1000, setting).services.messages[0].spec.share
        rows.append(
            [
                f"{ms:g}",
                f"{runs.loop_ms(4, 1000, setting):.1f}",
                f"{100 * share:.1f} %",
                f"{runs.taken_ms(4, 1000, setting):.1f}",
                f"{runs.unfound_ms(4, 1000, setting):.1f}",
            ]
        )
    head = ["interval, ms", "loop, ms", "share of CPU", "polling, ms", "undetected, ms"]
    return _table("4 nodes of 500 x 500 points: the interval between polls", head, rows)


# -- which law of overhead ----------------------------------------------------------------------


def constant_break_even(times: float, points: int = 200_000) -> float:
    """Return the break-even points of 4 nodes for a constant overhead with speedup ``times``.

    >>> round(constant_break_even(3.5)), round(constant_break_even(3.1))
    (9524, 19355)
    """
    return (points / times - points / 4) * 4 / 3


def law_table(runs: OrionRuns) -> str:
    """Return each law with its free value fitted at 200,000 points, and its other results."""
    fitted = fit_laws(runs.runs, runs.seed, runs.work)
    rows = [
        [
            one.law.name,
            one.law.about,
            f"{one.value:.3g} ({one.law.what})",
            f"{one.fitted:.2f}",
            f"{one.large:.2f}",
            f"{one.break_even:,.0f}",
            f"{100 * (one.late - 1):+.0f} %",
        ]
        for one in fitted
    ]
    head = ["law", "overhead", "free value", "200,000", "1,960,000", "break even", "late polls"]
    title = (
        f"Laws of overhead, each fitted to a speedup of {TARGET:g} on 4 nodes at 200,000 points: "
        "the speedup there and at 1,960,000 points, the points at which 4 nodes break even with "
        "one (paper: 40,000), and what polls every 100 ms add to a loop of 1,000,000 points "
        "(paper: visibly)"
    )
    return f"{_table(title, head, rows)}\n{_law_sentence(fitted)}"


def _law_sentence(fitted: Sequence[LawResult]) -> str:
    enough = [one for one in fitted if one.break_even >= PRINTED]
    best = [one.law.name for one in enough if one.late >= LATE and one.large <= MOST]
    rest = [one.law.name for one in enough if one.law.name not in best]
    best_names, rest_names = (", ".join(one) or "no law" for one in (best, rest))
    return (
        f"Breaks even late enough, with a speedup of at most {MOST:g} and a best "
        f"polling interval: {best_names}. Breaks even late enough only: {rest_names}. "
        "With a constant overhead and a speedup of 3.5 at 200,000 points, 4 nodes break even at "
        f"{constant_break_even(3.5):,.0f} points; with 3.1, at {constant_break_even(3.1):,.0f}."
    )


# -- the solver ---------------------------------------------------------------------------------


def solver_table(runs: OrionRuns) -> str:
    """Return the mesh computed along simulated runs, compared with the undivided one."""
    rows = []
    for order in ("blocks", "edges-first", "colours"):
        settings = (("workload.jobs.*.phases.*.order", order),)
        plan = runs.plan(4, SOLVED, settings)
        mesh = solve(plan)
        twin = undivided(SOLVED, SOLVED, mesh_of(plan).blocks, order, loops_of(plan))
        longer = (*settings, (LOOPS, str(MANY)))
        loops = [loops_until(runs.plan(n, SOLVED, longer), CLOSE) for n in NODES]
        rows.append([order, f"{np.abs(mesh - twin).max():g}", *map(str, loops)])
    head = ["order", "difference", "1 node", "2 nodes", "4 nodes"]
    title = (
        f"{SOLVED} x {SOLVED} points really computed along simulated runs: difference of 4 nodes "
        "from the undivided mesh in the same order, and the loops until no point is farther than "
        f"{CLOSE:g} from the solution"
    )
    return _table(title, head, rows)


def mesh_of(plan: Plan) -> MeshPlan:
    """Return the one mesh of a plan."""
    (mesh,) = plan.services.meshes
    return mesh


def loops_of(plan: Plan) -> int:
    """Return the number of loops of each process."""
    return sum(phase.loops for phase in plan.processes[0].phases)


def solve(plan: Plan) -> Mesh:
    """Run a plan, and compute its mesh along the run."""
    mesh = DividedMesh(mesh_of(plan))
    run_plan(plan, engine="reference", followers={0: mesh})
    return mesh.whole()


def loops_until(plan: Plan, close: float) -> int:
    """Return the loops until the mesh is that close to the solution; ValueError if never."""
    loops = loops_of(plan)
    watched = WatchedMesh(mesh_of(plan), loops)
    run_plan(plan, engine="reference", followers={0: watched})
    for loop, distance in enumerate(watched.distances):
        if distance <= close:
            return loop + 1
    raise ValueError(f"{loops} loops are too few to come as close as {close:g}")


@functools.cache
def _solution(rows: int, columns: int) -> Mesh:
    """Return the solution, cached for all meshes of that size (read-only)."""
    found = solution(rows, columns)
    found.flags.writeable = False
    return found


class WatchedMesh(DividedMesh):
    """A mesh that records its distance from the solution after each loop."""

    def __init__(self, plan: MeshPlan, loops: int) -> None:
        super().__init__(plan)
        self.distances = [0.0] * loops
        self._solution = _solution(plan.rows, plan.columns)
        self._loops = [0] * plan.nodes

    def compute(self, rank: int, part: Part) -> None:
        """Compute, and record the distance if the block is complete."""
        super().compute(rank, part)
        if part in {WHOLE, REST, BLACK}:
            loop = self._loops[rank]
            self._loops[rank] += 1
            far = np.abs(self.block_of(rank) - self.block_in(self._solution, rank)).max()
            self.distances[loop] = max(self.distances[loop], float(far))
