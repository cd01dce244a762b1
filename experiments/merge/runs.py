"""The runs of the study of merges: an image of 82 GB from 125 chunks, or into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.config.formats import MACHINE
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.config.variants import Variants
from simulator.run import EngineName, run_plan
from simulator.shipped import shipped_root
from simulator.study.change import NOTHING, Change
from simulator.study.studies import read_own
from simulator.study.work import Work

from .merges import CELLS, CODES, held, loads, merged, split

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.result.result import Result

FOLDER = shipped_root("experiments") / "merge"
HDD, SSD = "hdd", "ssd"
MERGE, SPLIT = "merge", "split"
SERIES = ((MERGE, HDD), (MERGE, SSD), (SPLIT, HDD))
"""Operation and disk. For splits on the SSD the location of the image is unknown."""
Cell = tuple[str, str, str, int]
"""Operation, disk, method, and memory (GB)."""
ALL: tuple[Cell, ...] = tuple((*series, *cell) for series in SERIES for cell in CELLS)


def name_of(cell: Cell) -> str:
    """Return the id of the figure of a cell.

    >>> name_of(("merge", "hdd", "naive", 0)), name_of(("split", "hdd", "multiple", 3))
    ('merge-hdd-naive', 'split-hdd-multiple-3')
    """
    what, disk, way, memory = cell
    return "-".join((what, disk, way, *((str(memory),) if memory else ())))


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of a merge or split, and of its reads and writes."""

    whole: float
    read: float
    write: float

    @property
    def program(self) -> float:
        """Time of the program itself."""
        return self.whole - self.read - self.write


class MergeRuns:
    """Simulated runs, each made once."""

    def __init__(
        self, engine: EngineName, work: Work | None = None, change: Change = NOTHING
    ) -> None:
        self.engine: EngineName = engine
        self.engine_used = ""
        """The engine of the last run."""
        self.work = work or Work(1)
        self.change = change
        self._machines: Variants[Machine] = Variants(MACHINE, FOLDER / "machine.yaml", ())
        self._times: dict[Cell, Times] = {}

    @property
    def machine(self) -> Machine:
        """The machine of all runs."""
        return self._machines.load(self.change.of_machine)

    def times(self, cell: Cell) -> Times:
        """Return the times of a merge or split."""
        if cell not in self._times:
            what, disk, way, memory = cell
            calls = (merged if what == MERGE else split)(way, memory)
            plan = replayed_plan(self.machine, calls, Placing(disk))
            takes = held(way, loads(way, memory))
            processes = tuple(replace(one, memory=takes) for one in plan.processes)
            made = run_plan(replace(plan, processes=processes), engine=self.engine, record=True)
            self.engine_used = made.engine
            self._times[cell] = _times_of(made)
            self.work.add()
        return self._times[cell]

    def seconds(self, cell: Cell) -> float:
        """Return the whole time; s."""
        return self.times(cell).whole

    def error(self, cell: Cell) -> float:
        """Return the relative error of the whole time: simulated / measured - 1."""
        return self.seconds(cell) / measured(cell).whole - 1


def _times_of(result: Result) -> Times:
    log = result.calls
    assert log is not None
    kind = np.frombuffer(log.kind, np.int8)
    took = np.frombuffer(log.end, np.int64) - np.frombuffer(log.begin, np.int64)
    spent = {do: int(took[kind == CODES[do]].sum()) / 1e9 for do in ("read", "write")}
    return Times(result.elapsed_ns / 1e9, **spent)


@cache
def own(name: str) -> Any:
    """Return the contents of a file of the study's folder, cached."""
    return read_own((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def listed(what: str, disk: str, way: str, memory: int) -> Mapping[str, Any]:
    """Return the entry of a cell in measured.yaml."""
    name = f"{way}-{memory}" if memory else way
    found: Mapping[str, Any] = own("measured")[f"{what}-{disk}"][name]
    return found


def measured(cell: Cell) -> Times:
    """Return the measured time, mean of the repetitions; writes during seeks included."""
    found = listed(*cell)
    return Times(fmean(found["whole"]), found["read"], found["write"] + found["seek"])
