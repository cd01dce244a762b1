"""Advice on a log that has counters, but not the single calls: run on several samples of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.answers.advise import Ran, Tried
from simulator.progress import progress_bar
from simulator.replay.advice import advise_trace, findings_in, program_of
from simulator.replay.family import interval_of, noise_of, one_by_one
from simulator.replay.replay import placed_log
from simulator.replay.tracejob import TraceJob

if TYPE_CHECKING:
    from simulator.answers.advise import Advice, Advised, Finding
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.advice import AdvisedTrace
    from simulator.replay.family import Spread
    from simulator.replay.replay import Log, Placed, Replay, ReplayOptions

HELPS = 0.9
"""A change is advised if it saves time in at least this part of the samples."""
MOST_CHECKED = 3
"""Advice that is run on all samples, the most saving first."""
READING = ("cwd", "lenient", "warn")
"""What a replay takes to read a log."""


def advise_samples(
    paths: Sequence[Path],
    variants: Variants[Machine],
    wanted: ReplayOptions,
    *,
    drawn: Sequence[Variants[Machine]] = (),
    progress: bool | None = None,
    spread: Spread = one_by_one,
    **how: Any,
) -> AdvisedTrace:
    """Advise on a trace; of a log with counters only its first changes are run on all samples.

    What saves time in fewer than nine of ten samples is not advised, and further advice is left
    out, since it was run on one sample only. ``spread`` carries out work on samples. ``drawn``: the
    machine with values drawn from their ranges, for each sample one, which it is run on. ``how`` is
    what :func:`~simulator.replay.advice.advise_trace` takes beside.
    """
    kept: dict[int, Replay] = {}
    family = {"spread": spread, "kept": kept, "drawn": drawn}
    found = advise_trace(paths, variants, wanted, progress=progress, family=family, **how)
    reading = {name: value for name, value in how.items() if name in READING}
    machines = drawn or [variants]

    def sample(number: int) -> tuple[Log, Placed]:
        assert found.replay.family is not None
        if number in kept and not drawn:
            return kept[number], kept[number].placed
        one = replace(wanted, sample=found.replay.family.first + number, said=None)
        if len(machines) > 1:
            one = replace(one, seed=noise_of(one))
        on = machines[number % len(machines)].load(())
        log, placed, _ = placed_log(paths, on, one, **reading)
        return log, placed

    each = one_by_one if kept and not drawn else spread
    return found._replace(advised=_confirmed(found, machines, sample, each, progress))


def _confirmed(
    found: AdvisedTrace,
    machines: Sequence[Variants[Machine]],
    sample: Callable[[int], tuple[Log, Placed]],
    spread: Spread,
    progress: bool | None,
) -> Advised:
    """Return the advice that helps in nearly all samples, with the times of all."""
    advised, family = found.advised, found.replay.family
    if family is None or len(family.elapsed_ns) == 1:
        return advised
    checked = advised.advice[:MOST_CHECKED]
    times: dict[int, list[int]] = {number: [one.elapsed_ns] for number, one in enumerate(checked)}
    helped = [1] * len(checked)

    events, engine = found.replay.result.events, found.replay.wanted.engine

    def changed_times(number: int) -> tuple[int, list[int | None]]:
        log, placed = sample(number)
        variants = machines[number % len(machines)]
        there = findings_in(program_of(log, placed, variants.load(())))
        base = (family.on_drawn_ns or family.elapsed_ns)[number]
        job = TraceJob(variants, lambda _: placed, Ran(base), engine=engine, events=events)
        return base, [same_change(job, there, one) for one in checked]

    others = [one for one in range(len(family.elapsed_ns)) if one != family.shown]
    with progress_bar(len(others), unit="changed sample", wanted=progress) as on:
        for _, (base, made) in spread(changed_times, others if checked else []):
            for which, ran in enumerate(made):
                times[which].append(base if ran is None else ran)
                helped[which] += ran is not None and ran < base
            on(1)
    good, tried = [], list(advised.tried)
    for which, one in enumerate(checked):
        if helped[which] < HELPS * len(family.elapsed_ns):
            tried.append(Tried(one.finding, one.saves_ns))
        else:
            seen = (helped[which], len(family.elapsed_ns), *interval_of(times[which], family.error))
            good.append(replace(one, spread=seen, others=()))
    changed = len(good) < len(checked)
    both = None if changed else advised.both_ns
    return replace(advised, advice=tuple(good), tried=tuple(tried), both_ns=both)


def same_change(job: TraceJob, findings: Sequence[Finding], advice: Advice) -> int | None:
    """Run the same change on another sample; None if its calls do not have what it mends."""
    if not advice.cure.change.rewrites:
        ran = job.run(advice.cure.change)
        return None if ran is None else ran.elapsed_ns
    names = {file.name for file in advice.finding.files[:1]}
    best: int | None = None
    for finding in findings:
        if finding.pattern != advice.finding.pattern:
            continue
        if names and not names & {file.name for file in finding.files}:
            continue
        alike = [cure for cure in finding.cures if cure.family == advice.cure.family]
        for cure in [one for one in alike if one.how == advice.cure.how] or alike:
            ran = job.run(cure.change)
            if ran is not None and (best is None or ran.elapsed_ns < best):
                best = ran.elapsed_ns
    return best
