"""Advice for a job on a machine: patterns of the job, and machine changes, each of them run.

A long run is shortened as for what limits: the patterns are those of the shortened job, and of the
cures that help there the first are run whole; what is told is of whole runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.answers.advise import Advised, Ran
from simulator.answers.again import LONG, MOST_CONFIRMED, SHORT, work_of
from simulator.answers.measure import measure_of
from simulator.answers.patterns.of_jobs.facts import Facts
from simulator.answers.ranking import advise, first_of
from simulator.answers.upgrades import Upgrades, advice_of
from simulator.plan.codes import METADATA, OPERATIONS

if TYPE_CHECKING:
    from simulator.answers.advise import Advice, Change, Finding, Unknown
    from simulator.answers.again import InputsAgain
    from simulator.answers.limits import Limits
    from simulator.answers.shorter import Shortened
    from simulator.config.settings import Setting
    from simulator.result.result import Result

ONE_CURE = "A run takes long: of several cures of one pattern only the first was simulated."


class JobRun:
    """A job that is run with changes, none of which may give it less work."""

    def __init__(
        self,
        again: InputsAgain,
        base: Result,
        limits: Limits | None = None,
        command: Sequence[str] = (),
        job: str | None = None,
    ) -> None:
        """``limits`` has a shortened run, if the run is long; ``command`` makes the run.

        ``job``: the job whose time counts; that of ``limits``, if there are any.
        """
        self.measure = measure_of(base, job) if limits is None else limits.measure
        self._again = again
        self._command = tuple(command)
        self._whole = base
        self._become(None if limits is None else limits.shortened)

    def _become(self, short: Shortened | None) -> None:
        """Take the run as it is, or a shortened one."""
        self.shortened = short
        self._always = () if short is None else short.settings
        self._base = self._whole if short is None else short.result
        machine, workload = self._again.loaded(self._always)
        self.facts = Facts(machine, workload, self._base)
        self._moves = _moved(self._base)

    def confirmed(self, advised: Advised, ready: Sequence[Advice], most: int) -> Advised:
        """Return advice of whole runs: of the first cures of a shortened one, and what is ready."""
        short = self.shortened
        if short is None:
            return advised
        self._become(None)
        few = max(1, min(most, LONG // self.work))
        found = [replace(one.finding, cures=(one.cure,)) for one in advised.advice[:few]]
        made = advise(self, found, ready=ready, together=False)
        return replace(
            advised,
            elapsed_ns=made.elapsed_ns,
            advice=made.advice,
            tried=made.tried,
            both_ns=None,
            runs=advised.runs + made.runs,
            notes=(*advised.notes, short.sentence),
        )

    @property
    def work(self) -> int:
        """The work of one run, as it is counted for what limits."""
        return work_of(self._base)

    def findings(self) -> list[Finding]:
        """Return what all patterns find; a job is shortened first if all cures would take long."""
        found = self._found()
        work = self.work * sum(len(one.cures) for one in found)
        if self.shortened is None and work > SHORT:
            from simulator.answers.shorter import shortened

            by, least = -(-work // SHORT), -(-work // LONG)
            short = shortened(self._again, self._base, by, least, [self.measure])
            if short is not None:
                self._become(short)
                found = self._found()
        return found

    def _found(self) -> list[Finding]:
        from simulator.answers.patterns.of_jobs.sharing import more_processes
        from simulator.answers.patterns.of_jobs.stores import other_filesystem

        facts = self.facts
        return [*findings(facts), *more_processes(facts), *other_filesystem(facts)]

    def upgrades(
        self, limits: Limits | None, wanted: bool | None
    ) -> tuple[list[Advice], list[str]]:
        """Return changes of the machine that matter, and sentences about what was not tried."""
        if limits is None:
            return [], []
        upgrades = Upgrades(self._again, limits, self._whole, self.whole_command)
        return upgrades.advice(wanted=wanted)

    @property
    def base(self) -> Ran:
        """The time that counts of the job as it is."""
        return self._ran(self._base)

    def _ran(self, result: Result) -> Ran:
        return Ran.of(result, self.measure.of(result).time_ns)

    def run(self, change: Change) -> Ran | None:
        """Return the time with a change; None if it is refused, or makes the work less."""
        result = self._again.run((*self._always, *change.settings))
        if result is None:
            return None
        read, written = _moved(result)
        keeps = not self.facts.kept.isdisjoint(change.settings)
        if written < self._moves[1] or (read < self._moves[0] and not keeps):
            return None
        return self._ran(result)

    def command(self, change: Change) -> tuple[str, ...]:
        """Return the words of a command that makes the run with a change; empty without one."""
        return self._words((*self._always, *change.settings))

    def whole_command(self, change: Change) -> tuple[str, ...]:
        """Return the words of a command that makes the whole run with a change."""
        return self._words(change.settings)

    def _words(self, settings: Sequence[Setting]) -> tuple[str, ...]:
        if not self._command:
            return ()
        more = (word for path, to in settings for word in ("--set", f"{path}={to}"))
        return (*self._command, *more)


def findings(facts: Facts) -> list[Finding]:
    """Return what all patterns find in a job; nothing if it hardly waits for anything.

    Modules of patterns that cannot apply are not imported: a report of a run is to begin at once.
    """
    result = facts.result
    away = sum(one.elapsed_ns - one.compute_ns - one.idle_ns for one in result.masters())
    if away <= facts.least_ns:
        return []
    return [finding for pattern in _patterns(facts) for finding in pattern(facts)]


def _patterns(facts: Facts) -> Iterator[Callable[[Facts], Iterator[Finding]]]:
    """Yield the patterns that a job can have; those first that cost most where they are."""
    kinds = facts.kinds
    if facts.moves:
        from simulator.answers.patterns.of_jobs import records

        yield records.record_length_rewrite
    if "read" in kinds:
        from simulator.answers.patterns.of_jobs import stores

        yield stores.no_prestage
        yield stores.re_read
    if any(one.phase.order == "random" for one in facts.moves):
        yield records.seek_storm
    if facts.matters("sync", *(OPERATIONS[one] for one in METADATA)) or any(
        one.phase.synchronous for one in facts.moves
    ):
        from simulator.answers.patterns.of_jobs import metadata

        yield metadata.open_storm
        yield metadata.close_flush
        yield metadata.sync_write
    if kinds & {"mpi-read", "mpi-write"} or any(one.file.shared for one in facts.moves):
        from simulator.answers.patterns.of_jobs import sharing

        yield sharing.shared_hotspot
        yield sharing.mpi_pieces
    if any(one.counts.get("called_back") for one in facts.result.stores.values()):
        from simulator.answers.patterns.of_jobs import sharing

        yield sharing.locked_units
    if facts.moves:
        yield records.small_io
        yield records.unaligned


def advise_job(
    job: JobRun,
    limits: Limits | None,
    *,
    wanted: bool | None = None,
    unknown: Unknown | None = None,
    notes: Sequence[str] = (),
    progress: bool | None = False,
) -> Advised:
    """Run all cures of a job, and rank them with the levers of its machine.

    Of a job that is long, and cannot be shortened, only the first cure of each finding is run.
    ``wanted``: what limits was asked for, so that more changes of the machine are tried.
    """
    ready, more = job.upgrades(limits, wanted)
    found = job.findings()
    told = [*notes, *more]
    if job.work > LONG:
        found = [replace(one, cures=one.cures[:1]) for one in found]
        told.append(ONE_CURE)
    advised = advise(
        job,
        found,
        ready=ready if job.shortened is None else (),
        unknown=unknown,
        notes=told,
        progress=progress,
    )
    advised = job.confirmed(advised, ready, MOST_CONFIRMED)
    computing = limits.computing if limits is not None else 0.0
    return replace(advised, measure=job.measure, computing=computing)


def first_advice(job: JobRun, limits: Limits) -> Advised:
    """Return what a report of a run has room for: few cures, and no other number of processes."""
    ready = advice_of(limits, job.whole_command)
    advised = first_of(job, findings(job.facts), ready if job.shortened is None else ())
    return replace(job.confirmed(advised, ready, MOST_CONFIRMED), measure=job.measure)


def _moved(result: Result) -> tuple[int, int]:
    """Return the bytes that were read and written, from the programs' point of view."""
    masters = result.masters()
    return sum(one.read.bytes for one in masters), sum(one.write.bytes for one in masters)
