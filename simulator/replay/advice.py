"""Advice on a traced program: it is replayed, and replayed with what would cure what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.answers.again import LONG, SHORT, LoweredAgain, NotAsked, ask_limits, work_of
from simulator.answers.explained import AWAKE, SLEPT, WAITED, Explained
from simulator.answers.patterns.of_counters.every import counted_findings
from simulator.answers.patterns.of_traces import (
    buffers,
    files,
    metadata,
    places,
    reopened,
    rounds,
    scans,
    sleeps,
    starts,
    strides,
    transfers,
    underway,
)
from simulator.answers.program import Program
from simulator.answers.ranking import MOST_RUNS, advise, first_of
from simulator.answers.upgrades import MOST_OF_MACHINE, Upgrades, advice_of
from simulator.config.lowering.replayed import Placing
from simulator.plan.codes import METADATA, OPERATIONS
from simulator.replay.computing import with_surplus
from simulator.replay.family import SAMPLES, replay_samples
from simulator.replay.replay import Log, Placed, ReplayOptions, place_of, replay
from simulator.replay.states import costs_in
from simulator.replay.tracejob import MOST_TIMES, TraceJob, job_of
from simulator.replay.tracer import MAKES
from simulator.result.jobs import computing_share
from simulator.traces.columns import EXECS, MAPS
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Advice, Advised, Change, Finding
    from simulator.answers.limits import Limits
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.observed import Observed
    from simulator.replay.replay import Replay
    from simulator.traces.record import Record

NO_MORE: Mapping[str, Any] = {}
LONG_RUN = LONG
"""Work of a replay from which on only the first cure of each finding is replayed."""
ONE_CURE = "A replay takes long: of several cures of one pattern only the first was simulated."

PATTERNS = (
    transfers.record_length_rewrite,
    files.transaction_per_row,
    files.sync_per_file,
    metadata.sync_write,
    files.many_files,
    files.many_small,
    metadata.close_flush,
    rounds.poll,
    reopened.reopened,
    sleeps.sleeping_poll,
    starts.started,
    scans.table_scan,
    rounds.rewritten,
    rounds.re_list,
    metadata.open_storm,
    metadata.failed_lookup,
    metadata.stat_storm,
    buffers.oversized_read,
    reopened.re_read,
    transfers.seek_storm,
    underway.one_at_a_time,
    transfers.scattered_write,
    strides.strided_write,
    strides.strided_read,
    buffers.direct_io,
    transfers.small_io,
    transfers.unaligned,
    places.shared_hotspot,
    places.no_prestage,
    places.other_filesystem,
)
"""Of findings that save equally much the first pattern counts."""


class AdvisedTrace(NamedTuple):
    """A trace that was replayed on a machine, and the advice on it."""

    replay: Replay
    job: TraceJob
    advised: Advised


def advise_trace(
    paths: Sequence[Path],
    variants: Variants[Machine],
    wanted: ReplayOptions,
    *,
    limits: bool | None = None,
    command: tuple[str, ...] = (),
    progress: bool | None = None,
    samples: int = SAMPLES,
    family: Mapping[str, Any] = NO_MORE,
    **reading: Any,
) -> AdvisedTrace:
    """Replay a trace, and replay it with the cures of what the patterns find in its calls.

    ``samples``: how many are drawn of the calls of a log that has counters only.
    ``limits``: ask what limits, for changes of the machine (None: unless that takes long).
    ``family``: what :func:`~simulator.replay.family.replay_samples` takes beside, ``reading`` what
    :func:`~simulator.replay.replay.replay` does.
    """
    machine = variants.load(())

    def elsewhere(filesystem: str) -> Replay:
        placing = replace(wanted.placing or Placing(), filesystem=filesystem, path=None)
        there = replace(wanted, placing=placing, said=None, striped=False)
        return replay(paths, machine, there, progress=progress, **reading)

    done = replay_samples(paths, machine, wanted, samples, progress=progress, **family, **reading)
    done = replace(done, placed=replace(done.placed, traced=with_surplus(done)))
    job = job_of(done, variants, command, elsewhere)
    program = program_of(done, done.placed, machine)
    ready, notes = _upgrades(done, variants, job, limits, progress)
    findings = findings_in(program)
    if work_of(done.result) > LONG_RUN:
        findings = [replace(one, cures=one.cures[:1]) for one in findings]
        notes.append(ONE_CURE)
    notes += [*filter(None, (done.stripes, done.cached)), *_free(program)]
    advised = advise(
        job,
        findings,
        ready=ready,
        observed_ns=done.observed_ns if done.timed else None,
        unknown=done.unknown,
        notes=notes,
        progress=progress,
    )
    if job.given_up:
        advised = replace(advised, notes=(*advised.notes, _given_up(findings, job.given_up)))
    lacking_calls = [] if done.family is None else [done.family.to_text()]
    taken, untraced = done.observed.tracer, done.record is not None and done.record.untraced
    advised = replace(
        advised,
        lead=" ".join([*([done.lead] if done.lead else []), *lacking_calls]),
        observed_by="The program took" if untraced else advised.observed_by,
        after=" ".join(filter(None, (done.tracing, done.contradicted))),
        tracer=taken.to_record() if done.tracing and taken is not None else None,
        computing=computing_share(done.result, done.plan.columns[done.plan.others_column]),
        explained=explained_in(done),
        counted=counted_in(done, advised),
    )
    return AdvisedTrace(done, job, advised)


def first_of_trace(
    done: Replay, variants: Variants[Machine], limits: Limits, command: tuple[str, ...]
) -> Advised:
    """Return what a report of a replay has room for: levers, and few cures if they take no time.

    How many are run follows from the work of the replay: none of a long one.
    """
    job = job_of(done, variants, command)
    machine = advice_of(limits, job.command)
    runs = min(MOST_RUNS, SHORT // (2 * work_of(done.result)))
    if done.wanted.buffer or limits.shortened is not None or runs == 0:
        return first_of(job, (), machine)
    found = findings_in(program_of(done, done.placed, variants.load(())))
    # Those whose files are elsewhere would have to be read again.
    here = [one for one in found if not any(cure.change.filesystem for cure in one.cures)]
    return first_of(job, here, machine, runs)


def _upgrades(
    done: Replay,
    variants: Variants[Machine],
    job: TraceJob,
    limits: bool | None,
    progress: bool | None,
) -> tuple[list[Advice], list[str]]:
    """Return changes of the machine that save most, and why they were not looked for."""
    if limits is False:
        return [], []
    again = again_of(done, variants)
    asked = ask_limits(again, done.plan, done.result, wanted=limits, progress=progress)
    if isinstance(asked, NotAsked):
        return [], [asked.note]
    found, notes = Upgrades(again, asked, done.result, job.command).advice(wanted=limits)
    found.sort(key=lambda one: -one.saves_ns)
    return found[:MOST_OF_MACHINE], notes


def again_of(done: Replay, variants: Variants[Machine]) -> LoweredAgain:
    """Return the replay as it can be made again with other settings of the machine."""
    return LoweredAgain(variants, (), done.placed.plan, done.wanted.engine)


def program_of(log: Log, placed: Placed, machine: Machine) -> Program:
    """Return the calls of a replayed program, as patterns look at them."""
    wanted = placed.wanted
    filesystem, path = place_of(machine, wanted.placing)
    program = Program(
        placed.traced,
        machine,
        filesystem=filesystem,
        path=path,
        languages=log.observed.languages,
        prestaged=wanted.prestaged,
        costs=frozenset(costs_in(machine, wanted.filesystem, log.about)),
        began=log.observed.begin if log.timed else None,
    )
    program.placed = bool(log.simulated) and wanted.placing is None
    program.programs = log.observed.programs
    return program


def findings_in(program: Program) -> list[Finding]:
    """Return what the patterns find in the calls of a program, if anything can be done about it."""
    return [one for pattern in PATTERNS for one in pattern(program) if one.cures]


# -- what is said beside --------------------------------------------------------------------------


def _given_up(findings: Sequence[Finding], changes: Sequence[Change]) -> str:
    """Return in words which cures were not run to the end of their runs."""
    cures = (cure for one in findings for cure in one.cures if cure.change in changes)
    each = " ".join(cure.how for cure in cures)
    return f"Given up, since it has over {MOST_TIMES} times the events of the run as it is: {each}"


def counted_in(done: Replay, advised: Advised) -> tuple[Finding, ...]:
    """Return what the counters of a Darshan log show, without what was simulated in vain."""
    found = done.about.get("darshan")
    if found is None:
        return ()
    vain = {one.finding.pattern for one in advised.tried}
    every = (one.finding for one in counted_findings(found))
    return tuple(one for one in every if one.pattern not in vain)


_LEAST_CALLS = 100
_MAPPINGS = ("msync",)
_NOT_CALLS = {*MAKES, *_MAPPINGS, *EXECS, *MAPS, "munmap", "exit_group"}


def explained_in(done: Replay) -> Explained | None:
    """Return what explains the time of a replayed log; None of one without times, or of a run."""
    timed = done.timed and not done.simulated
    return explained_of(done.observed, done.record) if timed else None


def explained_of(observed: Observed, record: Record | None) -> Explained:
    """Return what explains the time of a log, with what was measured when it was recorded."""
    spent, tracer = observed.spent, observed.tracer
    times = dict.fromkeys((AWAKE, WAITED, SLEPT), 0)
    syncs = syncing = 0
    for (name, state), (count, ns) in spent.by_call.items():
        if name in _MAPPINGS:
            syncs, syncing = syncs + count, syncing + ns
        elif state != AWAKE or name not in _NOT_CALLS:
            times[state] += ns
    untraced = record.untraced if record is not None else None
    user, system, starting = None, 0, 0
    if untraced is not None and record is not None:
        used = untraced.user_ns + round(untraced.faults * record.fault_ns)
        user = min(used, untraced.user_ns + untraced.system_ns)
        system = max(untraced.user_ns + untraced.system_ns - user - times[AWAKE], 0)
        alone = max(untraced.elapsed_ns - untraced.waiting_ns, user)
        whole = max(alone, min(untraced.elapsed_ns, syncing))
        starting = round(spent.starts * record.start_ns)
    else:  # How much of the tracer's time there is cannot be guessed by few calls.
        own = tracer.own_ns if tracer is not None and tracer.calls >= _LEAST_CALLS else 0
        idle = max(times[WAITED] - spent.waiting_ns, 0) + max(times[SLEPT] - spent.asleep_ns, 0)
        whole = max(spent.lived_ns - idle - own, 0)
    return Explained(
        whole=whole,
        calls=times[AWAKE],
        user=user,
        system=system,
        syncing=syncing,
        syncs=syncs,
        starting=starting,
        spent=spent,
    )


def _free(program: Program) -> list[str]:
    """Return in words which calls take no time on the machine, so that no cure can save any."""
    counts = [
        counted(number, OPERATIONS[kind])
        for kind in METADATA
        if kind not in program.costs and (number := int((program.columns.kind == kind).sum()))
    ]
    if not counts:
        return []
    return [
        f"Free on this machine: {', '.join(counts)}; its file system says no 'metadata'. What they"
        " took in the log is kept as time between calls, and no cure of them is known to save any."
    ]
