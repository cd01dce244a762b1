"""What limits each point of a sweep: more runs of the point, whole ones, in the same process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.answers.again import LoweredAgain
from simulator.answers.limits import limits_of
from simulator.prepared import Plans

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.study.grid import Grid
    from simulator.study.point import Point, Row


def limits_row(grid: Grid, point: Point, stopped: Callable[[], bool] | None = None) -> Row:
    """Return what limits a point, as columns; ``stopped`` may end it (KeyboardInterrupt)."""
    plans = Plans()

    def make(machine: Machine) -> Plan:
        return plans.fitted(machine, point.workload, point.seed)

    settings = [one for one in grid.sweep.varied(point.number) if one[0].startswith("machine.")]
    again = LoweredAgain(grid.machines, settings, make, point.engine, stopped)
    plan = make(point.machine)
    result = plans.run(plan, engine=point.engine, stopped=stopped)
    return limits_of(again, plan, result, each=False).to_row()
