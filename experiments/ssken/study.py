"""The SS-ken study: programs of five sites from their printed counts, call by call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.report.lined import ruled
from simulator.study.experiment import Experiment
from simulator.study.ledger import Ledger, stated
from simulator.study.study_file import BY_CONSTRUCTION, DEPENDENT, PREDICTED
from simulator.study.work import Work

from .claims import CLAIMS
from .figures import functions, raw_study
from .runs import SskenRuns

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.change import Change

NAME = "ssken"
RUNS = 46
"""Number of simulated jobs of the study."""
SITES = {
    "ior": "chapter 2, IOR",
    "jss": "4.1 JAXA",
    "kyoto": "4.2 Kyoto",
    "naoj": "4.3 NAOJ",
    "superk": "4.4 Super-Kamiokande",
    "riken": "4.5 RIKEN",
}
"""Machines, and their owners."""
ALIKE = (
    "One cost for a call and one for a byte predict nearly as many of these numbers (formulas\n"
    "without a machine)."
)


def start(runs: int | None, seed: int, engine: EngineName, work: Work, change: Change) -> SskenRuns:
    """Return the runs; jobs are deterministic, so each is run once, for any ``runs``."""
    del runs, seed
    return SskenRuns(engine, work, change)


def _complete(made: SskenRuns, ledger: Ledger) -> Ledger:
    """Return the ledger with the values of the machines of all sites."""
    machines = [made.machine_of(name) for name in SITES]
    return replace(
        ledger,
        assumed=tuple(one for machine in machines for one in stated(machine, "assumed")),
        calibrated=tuple(one for machine in machines for one in stated(machine, "calibrated")),
        details=_by_site(made, ledger),
    )


def _fitted(made: SskenRuns, _ledger: Ledger) -> int:
    return sum(_fitted_at(made, name) for name in SITES)


def _fitted_at(made: SskenRuns, site: str) -> int:
    """Return the number of fitted values of a site's machine and jobs."""
    jobs = [job for job in made.jobs.values() if job.machine == site]
    values = fitted_values(stated(made.machine_of(site), "calibrated"))
    return values + len({one for job in jobs for one in job.fitted})


# -- tables for people --------------------------------------------------------------------------


def fitted_values(calibrated: Sequence[dict[str, str]]) -> int:
    """Return the number of fitted values: a source names one printed number for each.

    >>> fitted_values([{"detail": "before-read before-write"}, {"detail": "before-lseek"}])
    3
    """
    return sum(len(one["detail"].split()) for one in calibrated)


def _by_site(made: SskenRuns, ledger: Ledger) -> str:
    """Count for each site printed numbers, fitted values and predicted ones, and the results."""
    of_job = {one["id"]: made.jobs[one["of"]["job"]].machine for one in raw_study()["figures"]}
    rows = []
    for name, site in SITES.items():
        figures = [one for one in ledger.figures if of_job[one.figure.id] == name]
        roles = Counter(one.figure.role for one in figures)
        predicted = [one for one in figures if one.figure.role == PREDICTED]
        fitted = _fitted_at(made, name)
        tested = len(figures) - roles[BY_CONSTRUCTION] - roles[DEPENDENT]
        inside = sum(one.inside for one in predicted)
        rows.append([site, tested, fitted, tested - fitted, f"{inside} of {len(predicted)}"])
    head = ["site", "data", "fitted", "left", "predicted inside"]
    return f"By site\n{ruled(head, rows, align='lrrrl')}\n{ALIKE}"


STUDY = Experiment(
    name=NAME,
    start=start,
    size=lambda _runs: RUNS,
    figures=functions(),
    claims=CLAIMS,
    fitted=_fitted,
    complete=_complete,
)
