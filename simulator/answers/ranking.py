"""Cures are run, and what saves most is advised first; for other commands only the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.answers.advise import (
    ALIKE,
    LEAST_POSSIBLE,
    LEAST_SHARE,
    LEVELS,
    Advice,
    Advised,
    Tried,
)
from simulator.progress import progress_bar

if TYPE_CHECKING:
    from simulator.answers.advise import Advisable, Cure, Finding, Unknown


def advise(
    job: Advisable,
    findings: Sequence[Finding],
    *,
    observed_ns: int | None = None,
    unknown: Unknown | None = None,
    notes: Sequence[str] = (),
    ready: Sequence[Advice] = (),
    together: bool = True,
    progress: bool | None = False,
) -> Advised:
    """Run all cures; keep of each finding the one that saves most, and rank by what they save.

    Of cures that save equally much, within 1 % of the run, the first counts. ``ready`` has advice
    that was run already. ``together``: the first two advices are also run as one. ``progress``
    shows a bar on standard error (None: if that is a terminal).
    """
    base = job.base.elapsed_ns
    good = [one for one in ready if worth(one.saves_ns, base)]
    tried: list[Tried] = []
    runs = 0
    with progress_bar(sum(len(one.cures) for one in findings), unit="cure", wanted=progress) as on:
        for finding in findings:
            best: dict[Any, Advice] = {}
            for cure in finding.cures:
                one = _run(job, finding, cure)
                on(1)
                if one is None:
                    continue
                runs += 1
                before = best.get(cure.family)
                if before is None or _better(one.elapsed_ns, before.elapsed_ns, base):
                    best[cure.family] = one
            first = _first(list(best.values()), base)
            if first is not None and worth(first.saves_ns, base):
                others = [one for one in best.values() if one is not first]
                kept = sorted(others, key=lambda one: -one.saves_ns)
                kept = [one for one in kept if worth(one.saves_ns, base)]
                good.append(replace(first, others=tuple(kept)))
            else:
                tried.append(Tried(finding, None if first is None else first.saves_ns))
    good = ranked(good, base)
    both = _together(job, good) if together else None
    return Advised(
        elapsed_ns=base,
        advice=tuple(good),
        tried=tuple(tried),
        both_ns=both,
        observed_ns=observed_ns,
        runs=runs + (both is not None),
        unknown=unknown or {},
        notes=tuple(notes),
    )


def _run(job: Advisable, finding: Finding, cure: Cure) -> Advice | None:
    """Run a cure; None if the job cannot be run with it."""
    ran = job.run(cure.change)
    if ran is None:
        return None
    return Advice.of(finding, cure, ran, job.base, job.command(cure.change))


def ranked(good: Sequence[Advice], base_ns: int) -> list[Advice]:
    """Return advice by what it saves; what saves alike by its level, and by who has to change.

    Alike is nine tenths of the most, or within 1 % of the run.
    """
    left = sorted(good, key=lambda one: -one.saves_ns)
    found: list[Advice] = []
    while left:
        most = left[0].saves_ns
        alike = [
            one
            for one in left
            if one.saves_ns >= ALIKE * most or not worth(most - one.saves_ns, base_ns)
        ]
        left = left[len(alike) :]
        found += sorted(alike, key=lambda one: (LEVELS.index(one.cure.level), one.cure.wider))
    return found


def worth(saves_ns: int, elapsed_ns: int) -> bool:
    """Return whether a saving is worth advising.

    >>> worth(1, 100), worth(1, 101), worth(0, 0)
    (True, False, False)
    """
    return saves_ns > 0 and saves_ns >= LEAST_SHARE * elapsed_ns


def _first(found: Sequence[Advice], base_ns: int) -> Advice | None:
    """Return the first that no other is better than; None without any.

    What is told ``beside`` others is first only if it saves so much more, or none of them is worth
    it.
    """
    saves = max((one.saves_ns for one in found if not one.cure.beside), default=0)
    if worth(saves, base_ns):
        found = [one for one in found if one.saves_ns >= one.cure.beside * saves]
    first: Advice | None = None
    for one in found:
        if first is None or _better(one.elapsed_ns, first.elapsed_ns, base_ns):
            first = one
    return first


def _better(elapsed_ns: int, best_ns: int, base_ns: int) -> bool:
    """Return whether a run is so much faster that it counts."""
    return elapsed_ns < best_ns and (best_ns > base_ns or worth(best_ns - elapsed_ns, base_ns))


def _together(job: Advisable, good: Sequence[Advice]) -> int | None:
    """Run the first two advices as one; None if there are not two, or they contradict."""
    if len(good) < 2 or good[0].cure.change.contradicts(good[1].cure.change):
        return None
    both = job.run(good[0].cure.change + good[1].cure.change)
    return None if both is None else both.elapsed_ns


MOST_RUNS = 8
"""Runs of cures, all findings together."""


def first_of(
    job: Advisable, findings: Sequence[Finding], ready: Sequence[Advice], most: int = MOST_RUNS
) -> Advised:
    """Run the first cure of each finding, and the last unless that saves half of the time, or none.

    ``most`` runs are made at most. ``ready`` has advice that was run already.
    """
    now = job.base.elapsed_ns
    good = [one for one in ready if worth(one.saves_ns, now)]
    runs = 0
    for finding in findings:
        best: Advice | None = None
        few = finding.cures if len(finding.cures) < 3 else (finding.cures[0], finding.cures[-1])
        for cure in few:
            if runs == most or (best is not None and not _worth_more(best, now)):
                break
            one = _run(job, finding, cure)
            runs += 1
            if one is not None and (best is None or _comes_before(one, best)):
                best = one
        if best is not None and worth(best.saves_ns, now):
            good.append(best)
    return Advised(now, tuple(ranked(good, now)), runs=runs)


def _comes_before(one: Advice, best: Advice) -> bool:
    """Return whether a cure is told instead of one that may be safer."""
    return one.elapsed_ns < best.elapsed_ns and one.saves_ns >= one.cure.beside * best.saves_ns


def _worth_more(best: Advice, base_ns: int) -> bool:
    """Return whether another cure is worth a run: the best saves some, but less than half."""
    return LEAST_POSSIBLE * base_ns < best.saves_ns < base_ns / 2
