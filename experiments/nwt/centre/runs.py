"""The runs of the NWT in production, each made once; and what changes would bring."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .months import Measured, Months, machine, stored
from .years import Waits, Year

if TYPE_CHECKING:
    from simulator.run import EngineName

SHARE = {False: 0.25, True: 0.1}
"""Part of a year that is run: of its time, or of its jobs at once (a backlog)."""
CHANGED_SHARE = 0.1
"""Part of the two months that changes are run with."""
NEAR, REPEATED = "H9", 3
"""The year whose load is near to what its queue can bear, so that waits vary; and its seeds."""
SEEDS = (1, 2, 3)
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}
"""Student's t at 97.5 %, by the number of values; Fisher and Yates, table III."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the machine or of what jobs do."""

    name: str
    machine: Mapping[str, Any] = field(default_factory=dict)
    staged: bool = True
    policy: str = "nwt"


CHANGES = (
    Change("predicted record lengths", policy="nwt-predicted"),
    Change("array of 72 MB/s", {"parts.array.rate": "72 MB/s", "parts.paths.rate": "82.2 MB/s"}),
    Change("SSU of 4 GB", {"stores.ssu.capacity": "4096 MB"}),
    Change("no prestaging", staged=False),
    Change("no backfill", {"nodes.pe.queue": {"backfill": "none"}}),
    Change("140 PEs", {"nodes.pe.count": 140}),
)
SHOWN = ("mean_MBps", "wait_h", "pe_hours", "utilisation", "hits")
"""Figures of changes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a change makes of a figure: with the same seeds, and their 95 % interval."""

    as_it_is: float
    mean: float
    """Of the differences."""
    half: float
    """Half of the interval."""


class CentreRuns:
    """Runs by need, each once; ``tell`` hears what is being run, and the share that is done."""

    def __init__(
        self,
        engine: EngineName = "auto",
        seed: int = 1,
        *,
        full: bool = False,
        share: float = 1.0,
        tell: Callable[[float], None] = lambda _: None,
    ) -> None:
        """``full``: run the two months and the changes too; ``share`` of all runs, for tests."""
        self.engine = engine
        self.seed = seed
        self.full = full
        self.share = share
        self._tell = tell
        self._steps = 12 + (1 + (1 + len(CHANGES)) * len(SEEDS) if full else 0)
        self._done = 0
        self._waits: dict[tuple[str, str, bool], Waits] = {}
        self._months: Mapping[str, Any] = {}
        self._changed: dict[tuple[str, int], Measured] = {}

    def _step(self) -> None:
        self._done += 1
        self._tell(min(1.0, self._done / self._steps))

    def waits(self, year: str, backfill: str, *, backlog: bool = False) -> Waits:
        """Return the waits of a year: means over seeds where they vary."""
        key = (year, backfill, backlog)
        if key not in self._waits:
            one = Year(year, backfill, share=SHARE[backlog] * self.share, backlog=backlog)
            made = []
            for seed in range(REPEATED if year == NEAR and not backlog else 1):
                made.append(one.run(self.seed + seed, self.engine))
                self._step()
            self._waits[key] = Waits.mean(made)
        return self._waits[key]

    def months(self) -> Mapping[str, Any]:
        """Return the figures of the two months: of this run, or of the stored one."""
        if not self._months:
            if self.full:
                made = Months(share=self.share).run(seed=self.seed)
                self._months = {name: getattr(made, name) for name in Measured.__slots__}
                self._step()
            else:
                self._months = stored()["run"]
        return self._months

    def alone(self) -> Mapping[str, float]:
        """Return the least rate of a file in the SSU by SCFS, and the greatest by NFS; MB/s."""
        from simulator.run import load_plan, run_plan

        def rate(workload: str, *settings: tuple[str, str]) -> float:
            plan = load_plan("nwt", workload, settings=settings)
            return run_plan(plan, engine=self.engine).rate("read") / 1e6

        small = ("workload.files.input.size", "60 MB")
        nfs = ("workload.jobs.0.path", "nfs"), ("workload.files.input.prestage", "false")
        return {
            "scfs_least_MBps": rate("test-read", small, ("workload.jobs.0.buffer", "64 kB")),
            "nfs_most_MBps": rate("test-read", small, *nfs),
        }

    def changed(self, change: Change | None, seed: int) -> Measured:
        """Return a part of the two months with a change, or as they are."""
        name = change.name if change is not None else ""
        if (name, seed) not in self._changed:
            one = change or Change("")
            months = Months(CHANGED_SHARE * self.share, one.staged, one.policy)
            self._changed[name, seed] = months.run(one.machine, seed)
            self._step()
        return self._changed[name, seed]

    def difference(self, change: Change, figure: str) -> Difference:
        """Return what a change makes of a figure, with the same seeds as without it."""
        before = [getattr(self.changed(None, seed), figure) for seed in SEEDS]
        after = [getattr(self.changed(change, seed), figure) for seed in SEEDS]
        off = [one - other for one, other in zip(after, before, strict=True)]
        mean = math.fsum(off) / len(off)
        spread = math.sqrt(math.fsum((one - mean) ** 2 for one in off) / (len(off) - 1))
        half = T_95[len(off)] * spread / math.sqrt(len(off))
        return Difference(math.fsum(before) / len(before), mean, half)

    def saved_percent(self) -> float | None:
        """Return the PE-hours that predicted record lengths save; None if changes are not run."""
        if not self.full:
            found = stored().get("saved_percent")
            return None if found is None else float(found)
        made = self.difference(CHANGES[0], "pe_hours")
        return -100 * made.mean / made.as_it_is


__all__ = ["CHANGES", "SHOWN", "CentreRuns", "Change", "Difference", "machine"]
