"""The claims of the Orion paper, each decided by simulated runs.

Every function takes the runs and returns whether the claim holds and the figures that decide it.
The rules stand in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from simulator.study.orion_laws import fit_laws
from simulator.study.orion_runs import (
    FORGETFUL,
    INTERVALS_MS,
    LARGE,
    NO_SERVERS,
    SIDES,
    SMALL,
    OrionRuns,
    interval,
)

Figures: TypeAlias = dict[str, float]
Verdict: TypeAlias = tuple[bool, Figures]

LAST = LARGE[-1]
"""Side of the largest mesh that does not page: 1,960,000 points."""
PAGED = 1449
"""Side of a mesh of 2,100,000 points."""
FULL = 1000
"""Side of the mesh of section 4: 500 x 500 points for each node."""


def _c1(runs: OrionRuns) -> Verdict:
    times = {side: runs.loop_ms(1, side) for side in SIDES}
    per_point = [times[side] / side**2 for side in LARGE]
    spread = max(per_point) / min(per_point) - 1
    slope = sum(times[side] * side**2 for side in SIDES) / sum(side**4 for side in SIDES)
    off = max(abs(times[side] - slope * side**2) for side in SIDES) / max(times.values())
    figures = {
        "us_a_point_at_200000": 1000 * per_point[0],
        "us_a_point_at_1960000": 1000 * per_point[-1],
        "spread_of_time_a_point": spread,
        "farthest_from_line_of_height": off,
    }
    return spread < 0.05 and off < 0.02, figures


def _c2(runs: OrionRuns) -> Verdict:
    before = runs.loop_ms(1, LAST) / LAST**2
    after = runs.paging_loop_ms(1, PAGED) / PAGED**2
    figures = {"s_a_loop_at_1960000": before * LAST**2 / 1000}
    figures["s_a_loop_at_2100000"] = after * PAGED**2 / 1000
    figures["times_slower_a_point"] = after / before
    return after > 5 * before, figures


def _c3(runs: OrionRuns) -> Verdict:
    figures = {f"times_as_fast_at_{side**2}": runs.speedup(side) for side in LARGE}
    return all(3.1 <= one <= 3.9 for one in figures.values()), figures


def _c4(runs: OrionRuns) -> Verdict:
    figures = {f"times_as_fast_at_{side**2}": runs.speedup(side) for side in SMALL}
    slower = all(one < 1 for one in figures.values())
    without = runs.speedup(SMALL[-1], NO_SERVERS)
    figures["without_servers_at_40000"] = without
    figures["break_even_points"] = runs.break_even()
    for one in fit_laws(runs.runs, runs.seed, runs.work):
        figures[f"break_even_points_by_law_{one.law.key}"] = one.break_even
    return slower and without > 1, figures


def _c5(runs: OrionRuns) -> Verdict:
    one = runs.paging_begins(1)
    figures = {f"nodes_{n}_over_1": runs.paging_begins(n) / one for n in (2, 4)}
    holds = all(0.9 <= figures[f"nodes_{n}_over_1"] / n <= 1 for n in (2, 4))
    return holds, figures


def _c6(runs: OrionRuns) -> Verdict:
    times = dict(zip(INTERVALS_MS, runs.intervals_ms(FULL), strict=True))
    shortest = min(times.values())
    often, seldom, usual = interval(0.5), interval(100), interval(10)
    taken = runs.taken_ms(4, FULL, often) / runs.taken_ms(4, FULL, usual)
    unfound = runs.unfound_ms(4, FULL, seldom) / runs.unfound_ms(4, FULL, usual)
    figures = {
        "ms_a_loop_polling_every_0.5_ms": runs.loop_ms(4, FULL, often),
        "ms_a_loop_polling_every_10_ms": times[10.0],
        "ms_a_loop_polling_every_100_ms": times[100.0],
        "ms_between_polls_of_the_shortest": min(times, key=times.__getitem__),
        "ms_between_polls_at_the_fitted_minimum": runs.best_interval_ms(FULL),
        "time_taken_0.5_over_10_ms": taken,
        "time_unfound_100_over_10_ms": unfound,
    }
    ends = min(runs.loop_ms(4, FULL, often), times[100.0]) >= 1.05 * shortest
    best = 5 <= figures["ms_between_polls_of_the_shortest"] <= 20
    return ends and best and min(taken, unfound) >= 5, figures


def _c7(runs: OrionRuns) -> Verdict:
    parts = [runs.parts_ms(4, side) for side in LARGE]
    computing = growth(LARGE, [one for one, _ in parts])
    talking = growth(LARGE, [two for _, two in parts])
    nodes = [node for side in LARGE for one in runs.meshes(4, side) for node in one.nodes]
    lost = sum(abs(node.counted_ns - node.accounted_ns()) for node in nodes)
    figures: Figures = {"computation_exponent": computing, "communication_exponent": talking}
    for side, (one, two) in ((LARGE[0], parts[0]), (LAST, parts[-1])):
        figures[f"ms_computation_at_{side**2}"] = one
        figures[f"ms_communication_at_{side**2}"] = two
    figures["ns_unaccounted_for"] = lost
    return 0.95 <= computing <= 1.2 and talking < 0.5 and lost == 0, figures


def growth(sides: Sequence[int], times: Sequence[float]) -> float:
    """The exponent with which times grow with the points, by least squares of logarithms.

    >>> round(growth((1, 2, 4), (3, 12, 48)), 6)
    1.0
    """
    points = 2 * np.log(np.array(sides, dtype=float))
    return float(np.polyfit(points, np.log(np.array(times, dtype=float)), 1)[0])


def _c8(runs: OrionRuns) -> Verdict:
    side = LARGE[0]
    usual = runs.loop_ms(4, side)
    bare = runs.loop_ms(4, side, NO_SERVERS)
    forgetful = runs.loop_ms(4, side, FORGETFUL)
    figures = {
        "ms_a_loop_at_200000": usual,
        "ms_without_servers": bare,
        "ms_if_servers_forget_ports": forgetful,
        "overhead": usual / bare - 1,
    }
    return usual >= 1.05 * bare and forgetful > usual, figures


CLAIMS: dict[str, Callable[[OrionRuns], Verdict]] = {
    "orion-c1": _c1,
    "orion-c2": _c2,
    "orion-c3": _c3,
    "orion-c4": _c4,
    "orion-c5": _c5,
    "orion-c6": _c6,
    "orion-c7": _c7,
    "orion-c8": _c8,
}
