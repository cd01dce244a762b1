"""Formulas for Orion: points over nodes, and a constant overhead of messages.

In units of the time of one point a loop of ``N`` points takes ``N`` on one node, and ``N / 4 + b``
on four. Paging begins where a node's points fill its memory. A loop takes ``A + B / t + C t`` with
polls every ``t``; only the optimum ``sqrt(B / C)`` is printed.

Not modelled: caches, disks, servers, seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from ..validation.null_model import Constant, NullModel
from .claims import LONGEST_MS, SHORTEST_MS, growth
from .runs import LARGE, SIDES, SMALL

Figures: TypeAlias = Mapping[str, float]

NODES = 4
USUAL_MS = 10.0


class Loop(NamedTuple):
    """The fitted constants."""

    paging: float
    """Points that fill the memory of a node."""
    overhead: float
    """Overhead of a loop on four nodes, in times of a point."""
    interval_ms: float
    """Optimal interval between polls."""

    def time(self, points: float) -> float:
        """Return the time of a loop on four nodes, in times of a point."""
        return points / NODES + self.overhead

    def speedup(self, points: float) -> float:
        """Return the time on one node over that on four.

        >>> Loop(1, 5000, 1).speedup(20_000)
        2.0
        """
        return points / self.time(points)

    @property
    def break_even(self) -> float:
        """Return the points at which four nodes take as long as one."""
        return self.overhead * NODES / (NODES - 1)


def _proportional(sides: tuple[int, ...]) -> Figures:
    return {f"of_that_at_1960000_at_{side**2}": 1.0 for side in sides}


def _c3(loop: Loop) -> Figures:
    return {f"speedup_at_{side**2}": loop.speedup(side**2) for side in LARGE}


def _c4(loop: Loop) -> Figures:
    figures = {f"speedup_at_{side**2}": loop.speedup(side**2) for side in SMALL}
    return figures | {"without_servers_at_40000": float(NODES)}


def _c6(loop: Loop) -> Figures:
    """The time of polls is ``B / t``."""
    return {
        "taken_at_0.5_ms_over_10_ms": USUAL_MS / SHORTEST_MS,
        "ms_between_polls_at_the_minimum": loop.interval_ms,
    }


def _c6_late(_loop: Loop) -> Figures:
    """A message is found after ``t / 2``."""
    return {"undetected_at_100_ms_over_10_ms": LONGEST_MS / USUAL_MS}


def _c7(loop: Loop) -> Figures:
    computing = [side**2 / NODES for side in LARGE]
    talking = [loop.overhead for _ in LARGE]
    whole = [loop.time(side**2) for side in LARGE]
    parts = zip(whole, computing, talking, strict=True)
    return {
        "computation_exponent": growth(LARGE, computing),
        "communication_exponent": growth(LARGE, talking),
        "ns_unaccounted_for": sum(all_ - (one + two) for all_, one, two in parts),
    }


def model() -> NullModel[Loop]:
    """Return the formulas of Orion."""
    return NullModel(
        study="orion",
        about="points that fill a node's memory, a constant overhead of a loop on four nodes, and "
        "the interval between polls at which a loop is shortest. (A curve of speedups with a "
        "knee, 1 at 40,000 points and 3.5 from 140,000 on, would have the two numbers that these "
        "formulas miss, and orion-c3, since it says the same)",
        given="",
        constants=(
            Constant("points of a node", 1e6),
            Constant("overhead of a loop, points", 1e4),
            Constant("best interval, ms", 5.0),
        ),
        kind=Loop,
        figures={
            "paging-1-node": lambda loop: loop.paging,
            "speedup-200000": lambda loop: loop.speedup(LARGE[0] ** 2),
            "break-even": lambda loop: loop.break_even,
            "best-interval": lambda loop: loop.interval_ms,
        },
        claims={
            "orion-c1": lambda _loop: _proportional(SIDES),
            "orion-c1-large": lambda _loop: _proportional(LARGE),
            "orion-c3": _c3,
            "orion-c4": _c4,
            "orion-c6": _c6,
            "orion-c6-late": _c6_late,
            "orion-c7": _c7,
        },
    )
