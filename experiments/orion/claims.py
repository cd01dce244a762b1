"""The figures that decide the claims of the Orion paper, from simulated runs.

Every function takes the runs and returns the figures of one claim by their names; their conditions
are in the study's file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from .runs import (
    INTERVALS_MS,
    LARGE,
    LOOPS,
    NO_LOCATION_CACHE,
    NO_SERVERS,
    SIDES,
    SMALL,
    OrionRuns,
    Settings,
    interval,
)

Figures: TypeAlias = dict[str, float]

LAST = LARGE[-1]
"""Side of the largest mesh of figure 1 without paging: 1,960,000 points."""
FULL = 1000
"""Side of the mesh of section 4 and of the footnote: 500 x 500 points for each node."""
SHORTEST_MS, LONGEST_MS = 0.5, 100.0
"""The ends of figure 4, whose axis is lost."""


def _proportional(runs: OrionRuns, sides: Sequence[int]) -> Figures:
    per_point = {side: 1000 * runs.loop_ms(1, side) / side**2 for side in (*sides, LAST)}
    figures = {f"us_a_point_at_{side**2}": per_point[side] for side in (sides[0], LAST)}
    for side in sides:
        figures[f"of_that_at_1960000_at_{side**2}"] = per_point[side] / per_point[LAST]
    return figures


def _c1(runs: OrionRuns) -> Figures:
    return _proportional(runs, SIDES)


def _c1_large(runs: OrionRuns) -> Figures:
    return _proportional(runs, LARGE)


def _c2(runs: OrionRuns) -> Figures:
    side = math.isqrt(runs.paging_begins(1))
    before, after = runs.loop_ms(1, side - 1), runs.paging_loop_ms(1, side)
    return {
        "s_a_loop_before": before / 1000,
        "s_a_loop_after": after / 1000,
        "times_slower": after / before,
    }


def _c3(runs: OrionRuns) -> Figures:
    return {f"speedup_at_{side**2}": runs.speedup(side) for side in LARGE}


def _c4(runs: OrionRuns) -> Figures:
    figures = {f"speedup_at_{side**2}": runs.speedup(side) for side in SMALL}
    figures["without_servers_at_40000"] = runs.speedup(SMALL[-1], NO_SERVERS)
    return figures


def _c5(runs: OrionRuns) -> Figures:
    one = runs.paging_begins(1)
    return {f"nodes_{n}_over_1": runs.paging_begins(n) / one for n in (2, 4)}


def _c6(runs: OrionRuns) -> Figures:
    shortest = min(runs.intervals_ms(FULL))
    often, usual = interval(SHORTEST_MS), interval(10)
    return {
        "loop_at_0.5_ms_over_shortest": runs.loop_ms(4, FULL, often) / shortest,
        "taken_at_0.5_ms_over_10_ms": runs.taken_ms(4, FULL, often) / runs.taken_ms(4, FULL, usual),
        "ms_between_polls_at_the_minimum": runs.best_interval_ms(FULL),
    }


def _c6_late(runs: OrionRuns) -> Figures:
    times = dict(zip(INTERVALS_MS, runs.intervals_ms(FULL), strict=True))
    late, usual = interval(LONGEST_MS), interval(10)
    return {
        "loop_at_100_ms_over_shortest": times[LONGEST_MS] / min(times.values()),
        "undetected_at_100_ms_over_10_ms": runs.unfound_ms(4, FULL, late)
        / runs.unfound_ms(4, FULL, usual),
    }


def _c7(runs: OrionRuns) -> Figures:
    parts = [runs.parts_ms(4, side) for side in LARGE]
    nodes = [node for side in LARGE for one in runs.meshes(4, side) for node in one.nodes]
    figures = {
        "computation_exponent": growth(LARGE, [one for one, _ in parts]),
        "communication_exponent": growth(LARGE, [two for _, two in parts]),
    }
    for side, (one, two) in ((LARGE[0], parts[0]), (LAST, parts[-1])):
        figures[f"ms_computation_at_{side**2}"] = one
        figures[f"ms_communication_at_{side**2}"] = two
    figures["ns_unaccounted_for"] = sum(
        abs(node.counted_ns - node.accounted_ns()) for node in nodes
    )
    return figures


def growth(sides: Sequence[int], times: Sequence[float]) -> float:
    """Return the exponent of growth of times with points, by least squares of logarithms.

    >>> round(growth((1, 2, 4), (3, 12, 48)), 6)
    1.0
    """
    points = 2 * np.log(np.array(sides, dtype=float))
    return float(np.polyfit(points, np.log(np.array(times, dtype=float)), 1)[0])


def _c8(runs: OrionRuns) -> Figures:
    side = LARGE[0]
    return {
        "ms_a_loop_at_200000": runs.loop_ms(4, side),
        "ms_without_servers": runs.loop_ms(4, side, NO_SERVERS),
        "ms_if_servers_forget_ports": runs.loop_ms(4, side, NO_LOCATION_CACHE),
    }


def _c9(runs: OrionRuns) -> Figures:
    (mesh,) = runs.plan(4, FULL).services.meshes
    held = [block.points * mesh.point_bytes for block in mesh.blocks]
    more, few = sent_bytes(runs, 2), sent_bytes(runs, 1)
    sent = [one - two for one, two in zip(more, few, strict=True)]
    return {
        "bytes_held_least": min(held),
        "bytes_held_most": max(held),
        "bytes_sent_least": min(sent),
        "bytes_sent_most": max(sent),
    }


def sent_bytes(runs: OrionRuns, loops: int, settings: Settings = ()) -> list[int]:
    """Return the bytes that each message server sent to the network, without headers."""
    settings = (*settings, (LOOPS, str(loops)))
    header = runs.plan(4, FULL, settings).services.messages[0].spec.header
    counts = (one.counts for one in runs.results(4, FULL, settings)[0].services.values())
    servers = (one for one in counts if "network_bytes" in one)
    return [one["network_bytes"] - header * one["over_the_network"] for one in servers]


CLAIMS: Mapping[str, Callable[[OrionRuns], Figures]] = {
    "orion-c1": _c1,
    "orion-c1-large": _c1_large,
    "orion-c2": _c2,
    "orion-c3": _c3,
    "orion-c4": _c4,
    "orion-c5": _c5,
    "orion-c6": _c6,
    "orion-c6-late": _c6_late,
    "orion-c7": _c7,
    "orion-c8": _c8,
    "orion-c9": _c9,
}
