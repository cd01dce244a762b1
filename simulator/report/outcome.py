"""The report of a run on any machine: for people, as JSON for programs, and as CSV.

The answer stands first (how long, at what rate), then the jobs, where the time went, and what each
part of the machine did. With ten thousand processes it is as long as with ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.report import sentences, tables
from simulator.report.accounts import Account, accounts
from simulator.report.causes import causes_text
from simulator.report.forms import tables_record
from simulator.report.interference import interference_section
from simulator.report.limits import found, limits_answer, limits_told
from simulator.report.lined import wrapped
from simulator.report.page import (
    Block,
    Browser,
    Drawn,
    Lines,
    Markup,
    Page,
    Section,
    Table,
    in_browser,
)
from simulator.report.queues import queue_reports
from simulator.report.replications import run_to_run
from simulator.report.servicetables import services_tables
from simulator.report.sources import sources, sources_of
from simulator.report.versions import versions
from simulator.result.instances import busiest_instance
from simulator.result.jobs import by_job, still_dirty
from simulator.result.record import record_of
from simulator.run import Inputs
from simulator.shipped import shipped_root
from simulator.units import format_time
from simulator.wording import about_size, command_line, counted, percent
from simulator.workload.traced import owner_of

if TYPE_CHECKING:
    from simulator.answers.advise import Advised
    from simulator.answers.again import NotAsked
    from simulator.answers.interference import Interference
    from simulator.answers.limits import Limits
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.study.repeated import Repeated


WHERE = "Where the time went"
BOXES, WAYS = "Block diagram", "What requests go through"
MOST_ADVICE = 3
"""Advices on the page of a run for a browser; that of 'nwtsim advise' has more."""
CSV_COLUMNS = (
    *("process", "job", "started_ns", "elapsed_ns", "compute_ns", "idle_ns"),
    *("read_bytes", "read_ns", "read_MBps", "write_bytes", "write_ns", "write_MBps"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run, and what a report says about it beside its numbers."""

    plan: Plan
    result: Result
    title: str = ""
    """Title of the machine."""
    sources: Mapping[str, int] = field(default_factory=dict)
    """Source of values -> how many values of machine and workload have it."""
    file: str = ""
    """The machine's file, for 'nwtsim show'; its name if left out."""
    lead: Sequence[str] = ()
    """Sentences before the answer;"""
    after: Sequence[str] = ()
    """and behind it, before its details."""
    limits: Limits | NotAsked | None = None
    """Limits of the run; None if nobody asked."""
    interference: Interference | None = None
    """Who slows whom; None if nobody asked."""
    command: tuple[str, ...] = ()
    """The words of the command that makes this run, to which settings can be added."""
    advised: Advised | None = None
    """Advice that makes it faster, few cures of each finding; None if nobody asked."""
    question: tuple[str, ...] = ()
    """The words of the command that asks for all advice."""
    repeated: Repeated | None = None
    """Replications of the run; None if nobody asked."""
    short: bool = False
    """True if its text is one screen."""
    machine: Machine | None = None
    """The machine as it was read, for a browser;"""
    workload: Workload | None = None
    """and the workload, if there is one."""
    warned: Sequence[str] = ()
    """Warnings that the command has printed."""
    again: Sequence[str] = ()
    """The words of the command that makes the page again."""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs; the same run gives the same record."""
        record = {**record_of(self.result), "sources": dict(self.sources), "versions": versions()}
        record["computing"] = sentences.computing_record(self.result)
        record["tables"] = tables_record(self.tables())
        if free := sentences.free_operations(self.plan, self.result):
            record["free_operations"] = free.counts
        if cuts := sentences.needless_cuts(self.plan, self.result):
            record["needless_cuts"] = [one.to_record() for one in cuts]
        if queues := queue_reports(self.plan, self.result):
            record["queues"] = {one.queue.name: one.record() for one in queues}
        if self.repeated is not None:
            record["replications"] = self.repeated.to_record(self.plan.seed)
        if self.interference is not None:
            record["interference"] = self.interference.to_record()
        limits = found(self.limits)
        return record if limits is None else {**record, "limits": limits.to_record()}

    def to_rows(self) -> list[list[Any]]:
        """Return a row for each process, with waiting and service in each column of its account."""
        columns = sorted({column for one in self.result.processes for column in one.spent})
        spent = [f"{column}_{what}_ns" for column in columns for what in ("wait", "service")]
        limits = found(self.limits)
        limit = [] if limits is None else list(limits.to_row().items())
        if self.repeated is not None:
            limit += self.repeated.to_ends().items()
        rows: list[list[Any]] = [[*CSV_COLUMNS, *spent, *(name for name, _ in limit)]]
        for one in self.result.processes:
            row: list[Any] = [one.name, one.job, one.started_ns, one.elapsed_ns]
            row += [one.compute_ns, one.idle_ns]
            for work in (one.read, one.write):
                row += [work.bytes, work.elapsed_ns, round(work.rate / 1e6, 6)]
            row += [time for column in columns for time in one.spent.get(column, (0, 0))]
            row += [value for _, value in limit]
            rows.append(row)
        return rows

    def page(self) -> Page:
        """Return the run as a page: the answer, then what shows it."""
        result, plan = self.result, self.plan
        title, about = self.header()
        limits, shown = "", list[Section]()
        if self.limits is not None:
            limits, shown = limits_told(self.limits, self.command, self._advice())
        first, *more = [*map(wrapped, self.lead), *answer(result, plan).splitlines()]
        told = [*bottleneck(result).splitlines(), sentences.computing_text(result)]
        causes = causes_text(result, plan)
        jobs, shown_parts = tables.jobs_table(result), self.shown()
        at = next(number for number, one in enumerate(shown_parts) if one.title == WHERE)
        queues, went, others = shown_parts[:at], shown_parts[at], shown_parts[at + 1 :]
        return Page(
            title,
            [about],
            [first, *map(wrapped, filter(None, [limits, *self.after])), *more],
            [
                *shown,
                interference_section(self.interference),
                *self._in_browser(advised=True),
                *queues,
                Section("", [jobs], leads=len(jobs.rows) > 1),
                self.replicated(),
                Section("", [Lines(list(filter(None, told))), *causes], heading=WHERE),
                went,
                *self._in_browser(advised=False),
                *others,
                Section("", [Lines(self.cautions())], leads=True),
                Section("", [Lines(self.notes())]),
                Section("", [Drawn(self._sources)]),
            ],
            self.to_record,
            self.to_rows,
            partial(self._browser, [] if self.limits is not None else causes[:1]),
        )

    def _browser(self, causes: Sequence[str]) -> Browser:
        from simulator.report.advise import first_told

        result = self.result
        helps = first_told(self.advised, self.question)
        told = answer(result, self.plan).splitlines()
        lines = [*limits_answer(self.limits), *causes, *self.lead, *told]
        made = {
            "machine": result.machine,
            "workload": result.workload,
            "seed": str(result.seed) if result.noisy else "none",
            "engine": result.engine,
            "digest of the input": result.digest,
            "events": f"{result.events:,}",
        }
        title = f"{result.workload} on {result.machine}: {format_time(result.elapsed_ns)}"
        lines += [*helps, *self.after]
        return Browser(title, self.header(), lines, self.again, made, self.warned, (WHERE,))

    def _in_browser(self, *, advised: bool) -> Iterator[Section]:
        """Yield sections that a terminal has not: advice; or the machine, and what is over time."""
        if advised and self.advised is not None:
            from simulator.report.advise import advice_sections

            yield from map(in_browser, advice_sections(self.advised, MOST_ADVICE))
        elif not advised:
            from simulator.report.html.diagram import Uses, diagram, ways
            from simulator.report.html.run import curves, over_time

            result, plan, machine = self.result, self.plan, self.machine
            if machine is not None:
                uses = partial(Uses, result, plan)
                yield Section("", [Drawn(lambda: diagram(machine, uses()))], heading=BOXES)
                yield Section("", [Drawn(lambda: ways(machine, uses(), plan))], heading=WAYS)
            drawn = [Drawn(lambda: over_time(result, plan)), Drawn(lambda: curves(result))]
            yield Section("", drawn, heading="Over time")
            for one in queue_reports(plan, result):
                yield Section("", [Drawn(one.pictures)], heading=f"Queue of {one.queue.name}")

    def _sources(self) -> list[Table]:
        files = [one for one in (self.machine, self.workload) if one is not None]
        return sources(self.sources, files)

    def tables(self) -> Iterator[Table]:
        """Yield the tables of what the run did, for programs too."""
        for section in (Section("Jobs", [tables.jobs_table(self.result)]), *self.shown()):
            yield from section.tables()

    def shown(self) -> list[Section]:
        """Return what the run did, part by part: where the time went, and a section each."""
        result, plan = self.result, self.plan
        went: list[Block] = []
        for number, one in enumerate(accounts(result, plan)):
            went += [Drawn(partial(_bar, one)), one.table(number)]
        phases = tables.phases_table(result)
        shown = [
            tables.latencies_table(result),
            tables.job_latencies_table(result),
            tables.resources_table(result, plan),
            *tables.states_tables(result),
            *tables.restarts_tables(result),
            *tables.failed_tables(result, plan),
            *tables.arrays_tables(result),
            tables.stores_table(result, plan),
            *services_tables(result),
        ]
        queues = [table for one in queue_reports(plan, result) for table in one.tables()]
        return [
            *(Section(one.title, [one], leads=True) for one in queues),
            Section(WHERE, went, leads=True),
            Section(phases.title, [phases]),
            *(Section(one.title, [one]) for one in shown),
        ]

    def replicated(self) -> Section:
        """Return what replications say; empty without any."""
        return run_to_run(self.repeated, self.plan.seed)

    def _advice(self) -> str:
        """Write the first advices; nothing if there are none."""
        if self.advised is None or not self.advised.advice:
            return ""
        from simulator.report.advise import MOST_FIRST, first_lines

        most = 1 if self.short and self.advised.advice[0].command else MOST_FIRST
        return first_lines(self.advised, self.question, most)

    def header(self) -> tuple[str, str]:
        """Return what was run, and what decides the result: seed, engine, input."""
        result = self.result
        title = f" ({self.title})" if self.title else ""
        first = f"{result.workload} on {result.machine}{title}{sentences.without_cores(self.plan)}"
        seed = f"seed {result.seed}" if result.noisy else sentences.without_seed(self.plan, result)
        return first, f"{seed}; {result.engine} engine; input {result.digest[:12]}"

    def cautions(self) -> list[str]:
        """Return what a reader should know before believing the numbers."""
        result = self.result
        notes = [
            f"At the end {about_size(size)} of written data were still dirty in {store}: they are"
            " not on a device, and their write-back is not part of the run."
            for store, size in still_dirty(result).items()
        ]
        notes += [
            f"{name} lost data, {counted(one.losses, 'time')}: more of its disks had failed than it"
            f" bears, at {format_time(one.first_loss_ns)} for the first time. The run went on as if"
            " they had been there."
            for name, one in result.arrays.items()
            if one.losses
        ]
        if any(one.failed.count for one in result.processes):
            notes.append(
                "Calls failed: another machine may do more or less of the work, so that its time is"
                " not that of the same work (what limits, what helps most)."
            )
        return [*notes, *(one.sentence() for one in sentences.needless_cuts(self.plan, result))]

    def notes(self) -> list[str]:
        """Return what a reader should know before quoting the numbers."""
        result = self.result
        notes = [f"Engine: {result.engine} ({result.why})."] if result.why else []
        if repeated := result.repeats.sentence(result.events):
            notes.append(repeated)
        if result.prestage_ns:
            time = format_time(result.prestage_ns)
            notes.append(f"Prestaging happened before the start and is not included: {time}.")
        if free := sentences.free_operations(self.plan, result):
            notes.append(free.sentence())
        counts = {name: count for name, count in self.sources.items() if count}
        if counts:
            shown = self.file or result.machine
            told = ", ".join(
                f"{count:,} {'unsourced' if name == 'unstated' else name}"
                for name, count in counts.items()
            )
            how = command_line("nwtsim", "show", shown)
            notes.append(f"Sources of the values: {told} ({how}).")
        return notes


def _bar(account: Account) -> list[Markup]:
    from simulator.report.html.run import bar

    return [bar(account)]


def answer(result: Result, plan: Plan | None = None) -> str:
    """State how long the run took, and what was read and written in which time.

    With the plan: what became of the jobs of queues, too.
    """
    first = f"elapsed {format_time(result.elapsed_ns)}{_afterwards(result)}"
    queues = [wrapped(one.sentence()) for one in queue_reports(plan, result)] if plan else []
    rates = [*sentences.rates_lines(result), *sentences.arrivals_lines(result)]
    return "\n".join([first, *queues, *rates, *_failed(result)])


def _failed(result: Result) -> Iterator[str]:
    """State that calls failed, so that less was done in that time than was asked for."""
    failed = [one for one in result.processes if one.failed.count]
    if not failed:
        return
    calls = sum(one.failed.count for one in failed)
    size = sum(one.read.failed_bytes + one.write.failed_bytes for one in failed)
    processes = {owner_of(one.name) for one in failed}
    several = len({owner_of(one.name) for one in result.processes}) > 1
    of = f" of {counted(len(processes), 'process')}" if several else ""
    lost = f"; {about_size(size)} were not moved" if size else ""
    yield f"{counted(calls, 'call')}{of} failed{lost} (Calls that failed)"


def _afterwards(result: Result) -> str:
    after = result.end_ns - result.elapsed_ns
    return f"; write-back continued for another {format_time(after)}" if after else ""


def bottleneck(result: Result) -> str:
    """Name the busiest instance, and the column in which processes wait most."""
    lines = []
    busiest = busiest_instance(result)
    if busiest:
        share = percent(result.parts[busiest].utilisation(result.end_ns), 1)
        lines.append(f"busiest resource: {busiest}, {share} of the time")
    waits: dict[str, int] = {}
    for job in by_job(result):
        for column, (wait, _) in job.spent().items():
            waits[column] = waits.get(column, 0) + wait
        if job.arrived is not None:
            waits[f"a free process of {job.name}"] = job.arrived.waited_ns
    longest = max(waits, key=lambda column: waits[column], default="")
    if longest and waits[longest]:
        lines.append(f"longest wait: {longest}, {_share_of_time(result, waits[longest])}")
    else:
        lines.append("longest wait: none; no request had to queue")
    return "\n".join(lines)


def _share_of_time(result: Result, time_ns: int) -> str:
    """State the share of the processes' time: with what waits for them, without idle time."""
    jobs = by_job(result)
    whole = sum(job.busy_ns for job in jobs)
    whole += sum(job.arrived.waited_ns for job in jobs if job.arrived is not None)
    arrive = all(job.arrived is not None for job in jobs)
    return f"{percent(time_ns, whole)} of {'response' if arrive else 'process'} time"


def outcome_of(inputs: Inputs, plan: Plan, result: Result) -> Outcome:
    """Return a finished run with the title of its machine and the sources of all values."""
    sources = sources_of(inputs.machine, inputs.workload)
    machine, workload = inputs.machine, inputs.workload
    named = machine.title, sources, shown_name(machine)
    return Outcome(plan, result, *named, machine=machine, workload=workload)


def shown_name(machine: Machine) -> str:
    """Return what names a machine to a command: a file, or the name of a shipped one."""
    file = Path(machine.origin.file)
    shipped = file.parent == shipped_root("configs") / "machines"
    return machine.name if shipped or not file.suffix else str(file)
