"""The SS-ken study: programs of five sites from their printed counts, call by call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tabulate import tabulate

from simulator.study.ledger import Ledger, decided, load_study_file, stated
from simulator.study.ssken_claims import RULES
from simulator.study.ssken_figures import functions, raw_study
from simulator.study.ssken_runs import SskenRuns
from simulator.study.work import Tell, Work, tell_nobody

if TYPE_CHECKING:
    from simulator.run import EngineName

NAME = "ssken"
RUNS = 46
"""Simulated jobs of the whole study."""
SITES = {
    "ior": "chapter 2, IOR",
    "jss": "4.1 JAXA",
    "kyoto": "4.2 Kyoto",
    "naoj": "4.3 NAOJ",
    "superk": "4.4 Super-Kamiokande",
    "riken": "4.5 RIKEN",
}
"""Machines, and whose they are."""
ALIKE = (
    "At JAXA, Kyoto and Super-Kamiokande one cost for a call and one for a byte would predict as\n"
    "much; it takes the model for IOR, for SWarp's closes on NFS, and for what caches do (claims)."
)


def reproduce_ssken(
    runs: int | None, seed: int, engine: EngineName, tell: Tell = tell_nobody
) -> Ledger:
    """Repeat the study; its jobs draw nothing, so each is run once, whatever ``runs`` is."""
    del runs
    made = SskenRuns(engine, Work(RUNS, tell))
    ledger = decided(
        load_study_file(NAME), made, functions(), RULES, seed=seed, engine="", blocks=()
    )
    machines = [made.machine_of(name) for name in SITES]
    ledger = replace(
        ledger,
        engine=made.engine_used,
        assumed=tuple(one for machine in machines for one in stated(machine, "assumed")),
        calibrated=tuple(one for machine in machines for one in stated(machine, "calibrated")),
    )
    blocks = (_contradicted(ledger), _untestable(ledger))
    return replace(ledger, freedom=_freedom(made, ledger), blocks=blocks)


# -- tables for people --------------------------------------------------------------------------


def fitted_values(calibrated: Sequence[dict[str, str]]) -> int:
    """Return how many values were fitted: a source names one printed number for each.

    >>> fitted_values([{"detail": "before-read before-write"}, {"detail": "before-lseek"}])
    3
    """
    return sum(len(one["detail"].split()) for one in calibrated)


def _freedom(made: SskenRuns, ledger: Ledger) -> str:
    """Count for each site printed numbers, fitted values and what is left, and what comes out."""
    of_job = {one["id"]: made.jobs[one["of"]["job"]].machine for one in raw_study()["figures"]}
    rows = []
    for name, site in SITES.items():
        figures = [one for one in ledger.figures if of_job[one.figure.id] == name]
        roles = Counter(one.figure.role for one in figures)
        predicted = [one for one in figures if one.figure.role == "predicted"]
        jobs = [job for job in made.jobs.values() if job.machine == name]
        fitted = fitted_values(stated(made.machine_of(name), "calibrated"))
        fitted += len({one for job in jobs for one in job.fitted})
        tested = len(figures) - roles["by construction"]
        inside = sum(one.inside for one in predicted)
        rows.append([site, tested, fitted, tested - fitted, f"{inside} of {len(predicted)}"])
    sums = [sum(row[column] for row in rows) for column in (1, 2, 3)]  # type: ignore[misc]
    every = [one for one in ledger.figures if one.figure.role == "predicted"]
    rows.append(["together", *sums, f"{sum(one.inside for one in every)} of {len(every)}"])
    head = ["site", "numbers", "fitted", "left", "predicted inside"]
    tuned = "\n".join(f"  {one}" for one in raw_study()["tuned"])
    title = "Printed numbers, values fitted to them, and what is left"
    table = tabulate(rows, headers=head, tablefmt="simple")
    return f"{title}\n{table}\nChoices that are no values:\n{tuned}\n{ALIKE}"


def _contradicted(ledger: Ledger) -> str:
    """List the numbers and claims that the runs do not bear out, and why."""
    rows = [
        (
            one.figure.id,
            f"{one.simulated / one.figure.value - 1:+.0%}" if one.figure.value else "",
            one.figure.contradicted,
        )
        for one in ledger.figures
        if one.figure.contradicted
    ]
    rows += [
        (one.claim.id, "", one.claim.contradicted)
        for one in ledger.claims
        if one.claim.contradicted
    ]
    return "Contradicted\n" + tabulate(rows, tablefmt="plain")


def _untestable(ledger: Ledger) -> str:
    """List what cannot be tested, and what is missing."""
    rows = [
        (one.claim.id, one.claim.ref, one.claim.untestable)
        for one in ledger.claims
        if one.holds is None
    ]
    return "Not testable, and what is missing\n" + tabulate(rows, tablefmt="plain")
