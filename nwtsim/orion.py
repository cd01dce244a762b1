"""The runs of the Orion study, and meshes that are computed.

``nwtsim.orion.OrionRuns(runs=4, seed=1998).loop_ms(4, 1000)`` is the mean time of a loop of 1000 x
1000 points on 4 nodes. A :class:`Follower` observes each step of a run (``nwtsim.run(...,
follow=...)``); a :class:`DividedMesh` computes the mesh from the messages, a :class:`WatchedMesh`
also the distance of each loop from the solution.
"""

from __future__ import annotations

from simulator.experiments.orion.divided import DividedMesh
from simulator.experiments.orion.laws import LAWS, fit_law
from simulator.experiments.orion.runs import OrionRuns, interval
from simulator.experiments.orion.tables import WatchedMesh
from simulator.workload.follower import Follower

__all__ = [
    "LAWS",
    "DividedMesh",
    "Follower",
    "OrionRuns",
    "WatchedMesh",
    "fit_law",
    "interval",
]
