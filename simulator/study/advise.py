"""Advice on a trace: it is replayed, and then replayed with what would cure what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.answers.advise import Ran
from simulator.answers.again import LONG, SHORT, LoweredAgain, NotAsked, ask_limits, work_of
from simulator.answers.explained import Explained
from simulator.answers.program import Program
from simulator.answers.ranking import MOST_RUNS, advise, first_of
from simulator.answers.trace import Replayed, TraceJob, findings_in
from simulator.answers.upgrades import MOST_OF_MACHINE, Upgrades, advice_of
from simulator.config.lowering.replayed import Placing
from simulator.errors import InputError
from simulator.plan.codes import METADATA, OPERATIONS
from simulator.result.jobs import computing_share
from simulator.study.replay import Wanted, costs_in, replay
from simulator.traces.spent import AWAKE, SLEPT, WAITED
from simulator.traces.tracer import MAKES
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Advice, Advised, Change
    from simulator.answers.limits import Limits
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.plan.plan import Plan
    from simulator.study.replay import Replay
    from simulator.traces.observed import Observed
    from simulator.traces.record import Record
    from simulator.workload.traced import Traced

LONG_RUN = LONG
"""Work of a replay from which on only the first cure of each finding is replayed."""
ONE_CURE = "A replay takes long: of several cures of one pattern only the first was simulated."


class AdvisedTrace:
    """A trace that was replayed on a machine, and the advice on it."""

    def __init__(
        self,
        paths: Sequence[Path],
        variants: Variants[Machine],
        wanted: Wanted,
        *,
        limits: bool | None = None,
        command: tuple[str, ...] = (),
        progress: bool | None = None,
        **reading: Any,
    ) -> None:
        """Read and replay; ``reading`` is what :func:`~simulator.study.replay.replay` takes.

        ``limits``: ask what limits, for changes of the machine (None: unless that takes long).
        """
        on, asked = variants.load(()), wanted
        self.replay: Replay = replay(paths, on, wanted, progress=progress, **reading)
        done = self.replay
        wanted = done.wanted

        def elsewhere(filesystem: str) -> Replay:
            before = asked.placing or Placing()
            placing = replace(before, filesystem=filesystem, path=None)
            placed = replace(asked, placing=placing, said=None)
            return replay(paths, on, placed, progress=progress, **reading)

        self.job = job_of(done, variants, wanted, command, elsewhere)
        self.program = program_of(done, on, wanted)
        timed = done.about.get("times") is not None
        machine, notes = self._machine(variants, wanted, limits, progress)
        findings = findings_in(self.program)
        if work_of(done.result) > LONG_RUN:
            findings = [replace(one, cures=one.cures[:1]) for one in findings]
            notes.append(ONE_CURE)
        notes += [*filter(None, (done.cached,)), *_free(self.program)]
        advised = advise(
            self.job,
            findings,
            ready=machine,
            observed_ns=done.observed_ns if timed else None,
            unknown=done.unknown,
            notes=notes,
            progress=progress,
        )
        waiting = done.plan.columns[done.plan.others_column]
        share = computing_share(done.result, waiting)
        self.advised: Advised = replace(
            _with_tracer(advised, done), computing=share, explained=explained_in(done)
        )

    def _machine(
        self,
        variants: Variants[Machine],
        wanted: Wanted,
        limits: bool | None,
        progress: bool | None,
    ) -> tuple[list[Advice], list[str]]:
        """Return changes of the machine that save most, and why they were not looked for."""
        done = self.replay
        assert done.plan_on is not None
        if limits is False:
            return [], []
        again = LoweredAgain(variants, (), done.plan_on, wanted.engine)
        asked = ask_limits(again, done.plan, done.result, wanted=limits, progress=progress)
        if isinstance(asked, NotAsked):
            return [], [asked.note]
        base = done.result
        found, notes = Upgrades(again, asked, base, self.job.command).advice(wanted=limits)
        found.sort(key=lambda one: -one.saves_ns)
        return found[:MOST_OF_MACHINE], notes

    def rewritten(self, change: Change) -> Traced:
        """Return the calls with a change."""
        return self.job.rewritten(change)


def _with_tracer(advised: Advised, done: Replay) -> Advised:
    """Add what is known of the tracer's own time."""
    lead, taken, record = done.lead, done.observed.tracer, done.record
    untraced = record is not None and record.untraced is not None
    return replace(
        advised,
        lead=lead,
        observed_by="The program took" if untraced else advised.observed_by,
        tracer=taken.to_record() if lead and taken is not None else None,
    )


def job_of(
    done: Replay,
    variants: Variants[Machine],
    wanted: Wanted,
    command: tuple[str, ...],
    elsewhere: Callable[[str], Replay] | None = None,
) -> TraceJob:
    """Return a replayed program, to be replayed with changes; ``command`` is that of the replay.

    ``elsewhere`` replays it on another file system, on its first path. Its costs may be others:
    what has none there stays as time between calls.
    """
    known = {"": _replayed(done, wanted)}

    def replayed(filesystem: str) -> Replayed:
        if filesystem not in known:
            if elsewhere is None:
                raise InputError(f"--filesystem {filesystem}: the trace is not read again")
            there = elsewhere(filesystem)
            known[filesystem] = _replayed(there, there.wanted)
        return known[filesystem]

    base = Ran.of(done.result, done.result.elapsed_ns)
    return TraceJob(variants, replayed, base, engine=wanted.engine, command=command)


def _replayed(done: Replay, wanted: Wanted) -> Replayed:
    def make(machine: Machine, traced: Traced, prestage: bool) -> Plan:
        placed = wanted
        if prestage:
            placed = replace(wanted, placing=replace(wanted.placing or Placing(), prestage=True))
        assert done.plan_on is not None
        return done.plan_on(machine, traced=traced, wanted=placed)

    assert done.traced is not None
    prestaged = wanted.placing is not None and wanted.placing.prestage
    return Replayed(done.traced, make, prestaged)


def program_of(done: Replay, on: Machine, wanted: Wanted) -> Program:
    """Return the calls of a replayed program, as patterns look at them."""
    placing = wanted.placing
    filesystem = (placing and placing.filesystem) or next(iter(on.filesystems))
    path = (placing and placing.path) or next(iter(on.filesystems[filesystem].ways()))
    timed = done.about.get("times") is not None
    assert done.traced is not None
    program = Program(
        done.traced,
        on,
        filesystem=filesystem,
        path=path,
        languages=done.observed.languages,
        prestaged=placing is not None and placing.prestage,
        costs=frozenset(costs_in(on, placing.filesystem if placing else None, done.about)),
        began=done.observed.begin if timed else None,
    )
    program.placed = done.simulated and placing is None
    return program


_LEAST_CALLS = 100
_MAPPINGS = ("msync",)
_NOT_CALLS = {*MAKES, *_MAPPINGS, "execve", "execveat", "mmap", "mmap2", "munmap", "exit_group"}


def explained_in(done: Replay) -> Explained | None:
    """Return what explains the time of a replayed log; None of one without times, or of a run."""
    timed = done.about.get("times") is not None
    return explained_of(done.observed, done.record) if timed and not done.simulated else None


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
        sleeping=spent.asleep_ns,
        sleeps=spent.sleeps,
        waiting=spent.waiting_ns,
        longest=spent.longest,
        syncing=syncing,
        syncs=syncs,
        starting=starting,
        starts=spent.starts,
        started=spent.started_ns,
        mapped=spent.mapped,
        maps=spent.maps,
        dropped=spent.dropped,
        looks=spent.looks.count,
        busy=spent.looks.busy,
        busy_ns=spent.looks.busy_ns,
        looked=spent.looks.told,
    )


def first_of_trace(
    done: Replay,
    variants: Variants[Machine],
    wanted: Wanted,
    limits: Limits,
    command: tuple[str, ...],
) -> Advised:
    """Return what a report of a replay has room for: levers, and few cures if they take no time.

    How many are run follows from the work of the replay: none of a long one.
    """
    job = job_of(done, variants, wanted, command)
    machine = advice_of(limits, job.command)
    runs = min(MOST_RUNS, SHORT // (2 * work_of(done.result)))
    if wanted.buffer or limits.shortened is not None or runs == 0:
        return first_of(job, (), machine)
    found = findings_in(program_of(done, variants.load(()), wanted))
    # Those whose files are elsewhere would have to be read again.
    here = [one for one in found if not any(cure.change.filesystem for cure in one.cures)]
    return first_of(job, here, machine, runs)


def _free(program: Program) -> list[str]:
    """Say which calls take no time on the machine, so that no cure of them can save any."""
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
