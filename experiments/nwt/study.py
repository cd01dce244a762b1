"""The NWT study: the cells of its tables, each run as often as in the paper, and its claims.

Every run of a cell has other draws of the service times; the mean of a cell must be within the
range of the paper's runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from simulator.config.formats import MACHINE
from simulator.run import load, load_plan, run_plan
from simulator.study.change import Change, Settings
from simulator.study.experiment import Experiment
from simulator.study.ledger import Ledger
from simulator.study.study_file import Cell, load_study
from simulator.study.work import Work

from .claims import CLAIMS
from .paths import PATHS
from .production import POOL, PRODUCTION

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.run import EngineName

NAME = "nwt"
EXACT = 99
"""Noise of runs without variation of service times."""


class NwtRuns:
    """The runs of every cell, and those of claims, each made once."""

    def __init__(
        self, runs: int | None, seed: int, engine: EngineName, work: Work, change: Change
    ) -> None:
        self.study = load_study(NAME)
        self.cells = {cell.id: cell for cell in self.study.cells}
        self.runs = runs
        self.seed = seed
        self.engine: EngineName = engine
        self.engine_used = ""
        self.work = work
        self.change = change
        self._made: dict[tuple[str, Settings, int], list[Result]] = {}
        self._exact: dict[tuple[str, Settings, bool, bool], Result] = {}

    @cached_property
    def machine(self) -> Machine:
        """The machine of all runs."""
        return load(MACHINE, self.study.machine, self.change.of_machine)

    def cell(self, name: str, *settings: tuple[str, str]) -> list[Result]:
        """Return the runs of a cell, as many as in the paper; or of a modified cell."""
        cell = self.cells[name]
        given = (*cell.settings, *settings)
        return self.made(cell.workload, given, self.runs or len(cell.runs))

    def made(self, workload: str, settings: Settings = (), times: int = 1) -> list[Result]:
        """Return a number of runs of a workload with settings."""
        key = (workload, settings, times)
        if key not in self._made:
            plan = self.plan(workload, settings)
            self._made[key] = [self._run(plan.with_run(run, times)) for run in range(times)]
        return self._made[key]

    def plan(self, workload: str, settings: Settings = (), *, noisy: bool = True) -> Plan:
        """Return the plan of a workload with settings, after those of the change."""
        name, seed = self.change.job(workload), self.seed if noisy else None
        return self.change.made(
            lambda given: load_plan(self.study.machine, name, settings=given, seed=seed),
            settings,
        )

    def exact(
        self,
        workload: str,
        settings: Settings = (),
        *,
        record: bool = False,
        timeline: bool = False,
    ) -> Result:
        """Return one run without variation of service times; with its calls, or its services."""
        key = (workload, settings, record, timeline)
        if key not in self._exact:
            plan = self.plan(workload, settings, noisy=False)
            result = run_plan(plan, engine=self.engine, record=record, timeline=timeline)
            self._exact[key] = result
            self.work.add()
        return self._exact[key]

    def _run(self, plan: Plan) -> Result:
        result = run_plan(plan, engine=self.engine)
        self.engine_used = result.engine
        self.work.add()
        return result

    def rates(self, name: str, *settings: tuple[str, str]) -> list[float]:
        """Return the MB/s of each run of a cell."""
        return rates(self.cells[name], self.cell(name, *settings))


def rates(cell: Cell, results: Sequence[Result]) -> list[float]:
    """Return the MB/s of each run of a cell."""
    return [result.rate(cell.work) / 1e6 for result in results]


def _rates_of(name: str, runs: NwtRuns) -> list[float]:
    return runs.rates(name)


def _size(runs: int | None) -> float:
    """Return the number of runs: of all cells, of the one without prestaging, and of claims."""
    cells = load_study(NAME).cells
    return sum(runs or len(cell.runs) for cell in (*cells, cells[0])) + 3 * POOL + EXACT


BESIDE_THE_UNIT = ("7.9 MB", "8 MB", "8.1 MB")
"""Buffers close to the one of the tables that is one unit of the SSU."""


def _heart(runs: NwtRuns, ledger: Ledger) -> tuple[str, ...]:
    """State the result of the paper's main claim, and contradictions, in words."""
    (figures,) = (one.figures for one in ledger.claims if one.claim.id == "nwt-c6")
    below, unit, above = (
        runs.exact("test-write", (("buffer", buffer),)).rate("write") / 1e6
        for buffer in BESIDE_THE_UNIT
    )
    least, most = (
        100 * figures[name]
        for name in ("least_waiting_share_rewritten", "most_waiting_share_predicted")
    )
    return (
        "Why writing was slow: the length in front of each Fortran record is written after its "
        f"data, and that write waits for the disk, {least:.0f} % of the time or more. With the "
        f"length predicted (the remedy of 1998): {most:.0f} %.",
        f"Odd: writing 512 MB with a buffer of exactly 8 MB, one unit of the cache, gives "
        f"{unit:.1f} MB/s; {BESIDE_THE_UNIT[0]} gives {below:.1f}, {BESIDE_THE_UNIT[2]} "
        f"{above:.1f}. The paper measured neither.",
    )


def _fitted(runs: NwtRuns, _ledger: Ledger) -> int:
    """Return the number of values fitted to the means; others are fitted to the spread of runs."""
    return len(runs.study.calibration["parameters"])


def _complete(runs: NwtRuns, ledger: Ledger) -> Ledger:
    """State the other fitted values, and figures that are not independent data."""
    spreads = len(ledger.calibrated) - _fitted(runs, ledger)
    return replace(
        ledger,
        details=f"The data are the {len(runs.cells)} means of the tables; their ratios, which "
        f"claims use, are no further data.\n{spreads} more values are fitted to the spread of "
        "the runs, which only nwt-c16 and nwt-c21 test.",
    )


STUDY = Experiment(
    name=NAME,
    start=NwtRuns,
    size=_size,
    figures={cell.id: partial(_rates_of, cell.id) for cell in load_study(NAME).cells},
    claims={**CLAIMS, **PATHS, **PRODUCTION},
    heart=_heart,
    fitted=_fitted,
    complete=_complete,
)
