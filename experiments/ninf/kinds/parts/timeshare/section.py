"""Processors of several PEs that tasks of numerical servers share. No tier can name them."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import Part
from simulator.config.quantities import Count, Percent, show_percent
from simulator.config.rates import Names
from simulator.config.section import check, default
from simulator.config.sources import SINGLE

from .spec import CpuSpec

LEAST_GANG = 0.01


class TimeShare(Part):
    """A processor of several PEs that an operating system shares among its tasks by time."""

    uses = frozenset()
    synonyms = {"cores": "pes", "cpus": "pes"}
    what = "PEs shared by tasks"
    order = "own"
    usable = False
    single = True
    computing = "calls"
    directed = False
    spec = CpuSpec

    kind: Literal["timeshare"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    pes: Count = default(1, SINGLE)
    """Its PEs; tasks share them equally."""
    gang: Percent = default(1.0, "neutral: nothing is lost at barriers")
    """What a task of several threads keeps of its speed while threads outnumber PEs."""

    @check("gang")
    @staticmethod
    def _moves(gang: float) -> None:
        if gang < LEAST_GANG:
            raise ValueError(f"'{show_percent(gang)}' hardly moves; write 1 % to 100 %")

    def row(self) -> dict[str, Any]:
        """Return its specification."""
        return {"spec": CpuSpec(self.pes, self.gang)}
