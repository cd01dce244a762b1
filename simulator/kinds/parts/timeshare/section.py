"""Processors of several PEs that tasks of numerical servers share. No tier can name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.part import BOTH, Part, Row
from simulator.config.quantities import Count, Percent, show_percent
from simulator.config.rates import Names
from simulator.config.section import Earlier, check
from simulator.config.sources import SINGLE
from simulator.kinds.parts.timeshare.spec import CpuSpec

LEAST_GANG = 0.01


class TimeShare(Part):
    """A processor of several PEs that an operating system shares among its tasks by time."""

    uses = frozenset()
    synonyms = {"cores": "pes", "cpus": "pes"}
    what = "PEs shared by tasks"
    order = "own"
    usable = False
    directed = False
    spec = CpuSpec
    reasons = {
        "pes": SINGLE,
        "gang": "neutral: nothing is lost at barriers",
    }

    kind: Literal["timeshare"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    pes: Count = 1
    """Its PEs; tasks share them equally."""
    gang: Percent = 1.0
    """What a task of several threads keeps of its speed while threads outnumber PEs."""

    @check("gang")
    @classmethod
    def _moves(cls, gang: float, _: Earlier) -> float:
        if gang < LEAST_GANG:
            raise ValueError(f"'{show_percent(gang)}' hardly moves; write 1 % to 100 %")
        return gang

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        yield Row(BOTH, "timeshare", {"spec": CpuSpec(self.pes, self.gang)})
