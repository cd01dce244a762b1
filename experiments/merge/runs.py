"""The runs of the study of merges: an image of 82 GB from 125 chunks, or into them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.config.formats import MACHINE
from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.config.variants import Variants
from simulator.run import EngineName, run_plan
from simulator.shipped import shipped_root
from simulator.study.change import NOTHING, Change
from simulator.study.studies import read_own
from simulator.study.work import Work

from .merges import CELLS, held, loads, merged, split

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

FOLDER = shipped_root("experiments") / "merge"
HDD, SSD = "hdd", "ssd"
MERGE, SPLIT = "merge", "split"
SERIES = ((MERGE, HDD), (MERGE, SSD), (SPLIT, HDD))
"""What is done, on which disk. Of splits on the SSD it is not determined where the image was."""
Cell = tuple[str, str, str, int]
"""What is done, on which disk, which way, with how much memory (GB)."""
ALL: tuple[Cell, ...] = tuple((*series, *cell) for series in SERIES for cell in CELLS)


def name_of(cell: Cell) -> str:
    """Return the id of the figure of a cell.

    >>> name_of(("merge", "hdd", "naive", 0)), name_of(("split", "hdd", "multiple", 3))
    ('merge-hdd-naive', 'split-hdd-multiple-3')
    """
    what, disk, way, memory = cell
    return "-".join((what, disk, way, *((str(memory),) if memory else ())))


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
        self._times: dict[Cell, float] = {}

    @property
    def machine(self) -> Machine:
        """The machine of all of them."""
        return self._machines.load(self.change.of_machine)

    def seconds(self, cell: Cell) -> float:
        """Return how long a merge or split takes; s."""
        if cell not in self._times:
            what, disk, way, memory = cell
            calls = (merged if what == MERGE else split)(way, memory)
            plan = replayed_plan(self.machine, calls, Placing(disk))
            takes = held(way, loads(way, memory))
            processes = tuple(replace(one, memory=takes) for one in plan.processes)
            result = run_plan(replace(plan, processes=processes), engine=self.engine)
            self.engine_used = result.engine
            self._times[cell] = result.elapsed_ns / 1e9
            self.work.add()
        return self._times[cell]


def own(name: str) -> Any:
    """Return what a file of the study's folder says."""
    return read_own((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
