"""The first advices, by few runs: for reports of what was asked about something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.answers.advise import Advice, Advised, worth

if TYPE_CHECKING:
    from simulator.answers.advise import Advisable, Finding

MOST_RUNS = 8
"""Runs of cures, all findings together."""
LEAST_POSSIBLE = 0.002
"""A cure that saves less of the elapsed time lets no other of its finding be run."""


def first_of(
    job: Advisable, findings: Sequence[Finding], ready: Sequence[Advice], most: int = MOST_RUNS
) -> Advised:
    """Run the first cure of each finding, and the last unless that saves half of the time, or none.

    ``most`` runs are made at most. ``ready`` has advice that was run already.
    """
    good = [one for one in ready if worth(one.saves_ns, job.elapsed_ns)]
    runs = 0
    for finding in findings:
        best: Advice | None = None
        few = finding.cures if len(finding.cures) < 3 else (finding.cures[0], finding.cures[-1])
        for cure in few:
            if runs == most or (best is not None and not _worth_more(best, job)):
                break
            elapsed = job.run(cure.change)
            runs += 1
            if elapsed is not None and (best is None or elapsed < best.elapsed_ns):
                saves, command = job.elapsed_ns - elapsed, job.command(cure.change)
                best = Advice(finding, cure, elapsed, saves, command)
        if best is not None and worth(best.saves_ns, job.elapsed_ns):
            good.append(best)
    good.sort(key=lambda one: -one.saves_ns)
    return Advised(job.elapsed_ns, tuple(good), runs=runs)


def _worth_more(best: Advice, job: Advisable) -> bool:
    """Return whether another cure of a finding is worth a run."""
    return LEAST_POSSIBLE * job.elapsed_ns < best.saves_ns < job.elapsed_ns / 2
