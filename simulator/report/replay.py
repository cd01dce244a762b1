"""The report of a replay: the run's own, and observed beside predicted times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.answers.limits import Limits
from simulator.replay.advice import explained_in
from simulator.replay.simulated import lacking
from simulator.report.outcome import Outcome, shown_name
from simulator.report.page import Block, Drawn, Page, Section, Terminal
from simulator.report.sources import sources_of
from simulator.report.trace import report_page
from simulator.traces.reports import table as traced
from simulator.traces.unread import processes_text
from simulator.units import format_size, format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.again import NotAsked
    from simulator.config.machine_file import Machine
    from simulator.replay.compared import Compared
    from simulator.replay.replay import Replay

MOST_FILES = 25
"""In a browser."""
SHOWN = 15
"""Files in a table for people, unless --top says how many."""
_NUMBERS = (
    traced.Column("count", "count"),
    traced.Column("bytes", "bytes", "size"),
    traced.Column("observed_s", "observed", "time", "time"),
    traced.Column("predicted_s", "predicted", "time", "time"),
)
BY_CALL = (traced.Column("call", "call", "text"), *_NUMBERS)
BY_FILE = (*_NUMBERS, traced.Column("file", "file", "text"))


def replay_page(done: Replay, outcome: Outcome, top: int | None) -> Page:
    """Return a replay as a page: its run, and observed beside predicted times."""
    page = outcome.page()
    beside = report_page(compared(done, SHOWN if top is None else top))
    shown: list[Block] = [Terminal(block) for one in beside.sections for block in one.blocks]
    shown.append(Drawn(lambda: _in_browser(compared(done, None), top)))
    sections = [*page.sections, Section(beside.title, shown)]
    return replace(page, sections=sections, record=lambda: replay_record(done, outcome.limits))


def _in_browser(report: traced.Report, top: int | None) -> list[Block]:
    """Return the tables with the names first, and the notes."""
    from simulator.report.html.trace import notes, tables

    return [
        *tables(report, "Times by call", names=("calls",)),
        *tables(report, "Times by file", max(top or 0, MOST_FILES), names=("files",)),
        *report.notes,
        *notes(report)[-1:],
    ]


def replay_record(done: Replay, limits: Limits | NotAsked | None = None) -> dict[str, Any]:
    """Return the record of the run, and ``replay`` beside it."""
    record = Outcome(done.plan, done.result, limits=limits).to_record()
    report = compared(done, None)
    record["replay"] = {
        "log": done.observed.traced.name,
        "path": done.wanted.placing.path if done.wanted.placing else None,
        "think": _think(done),
        "buffer": done.wanted.buffer or None,
        "observed_elapsed_s": done.observed_ns / 1e9,
        **_tracer_record(done),
        "predicted_elapsed_s": done.result.elapsed_ns / 1e9,
        "computing_s": _computing(done) / 1e9,
        "unmodelled": {
            "calls": done.observed.unmodelled,
            "observed_s": done.observed.unmodelled_ns / 1e9,
        },
        "excluded_calls": done.observed.excluded,
        "without_offset": done.observed.placed,
        "processes_at_once": done.observed.at_once,
        "samples": None if done.family is None else done.family.to_record(),
        **{table.name: list(table.row_dicts()) for table in report.tables},
        "unknown": done.unknown,
    }
    return record


def outcome_of(
    done: Replay,
    machine: Machine,
    limits: Limits | NotAsked | None = None,
    command: tuple[str, ...] = (),
) -> Outcome:
    """Return the run of a replay, for its report."""
    explained = explained_in(done)
    if isinstance(limits, Limits) and explained is not None:
        limits = limits.without_computing() if explained.idle else limits
    shown = shown_name(machine)
    outcome = Outcome(done.plan, done.result, machine.title, sources_of(machine), shown)
    after = [*filter(None, [done.tracing, done.contradicted])]
    outcome = replace(outcome, lead=_lead(done), after=after)
    return replace(outcome, limits=limits, command=command, machine=machine)


def _lead(done: Replay) -> list[str]:
    """State what the log shows, and what is predicted."""
    observed, predicted = done.observed_ns, done.result.elapsed_ns
    told = f"observed {format_time(observed)}; predicted here {format_time(predicted)}"
    explained = explained_in(done)
    first = f"{explained.told()}." if explained is not None and explained.hidden else ""
    family = done.family.to_text() if done.family is not None else ""
    return [*filter(None, (first, told, family, done.lead))]


def _think(done: Replay) -> float | None:
    """Return by what the time between calls is multiplied; None if it lost the tracer's."""
    if done.wanted.think is not None:
        return float(done.wanted.think)
    return 1.0 if done.record is None else None


def _tracer_record(done: Replay) -> dict[str, Any]:
    taken, record = done.observed.tracer, done.record
    told = taken.to_record() if done.tracing and taken is not None else None
    return {
        "traced_elapsed_s": None if record is None else record.traced.elapsed_ns / 1e9,
        "tracer": told,
    }


def compared(done: Replay, top: int | None) -> traced.Report:
    """Return observed and predicted times side by side, by call and by file."""
    files = done.files if top is None else done.files[:top]
    return traced.Report(
        tables=[
            traced.Table("calls", BY_CALL, [_row(one, first=True) for one in done.calls]),
            traced.Table(
                "files",
                BY_FILE,
                [_row(one, first=False) for one in files],
                more=len(done.files) - len(files),
            ),
        ],
        unknown=done.unknown,
        title="Observed and predicted",
        notes=_notes(done),
    )


def _row(one: Compared, *, first: bool) -> tuple[Any, ...]:
    numbers = (one.calls, one.bytes, one.observed_ns, one.predicted_ns)
    return (one.name, *numbers) if first else (*numbers, one.name)


def _computing(done: Replay) -> int:
    return sum(one.compute_ns for one in done.result.processes)


def _storage(done: Replay) -> tuple[str, str]:
    """State where the files are, in one sentence, and what shares nodes, if something does."""
    plan, at_once = done.plan, done.observed.at_once
    used = sorted({plan.paths[file.path].name for file in plan.files})
    files = f"files are reached by {', '.join(used)} (--filesystem, --path)" if used else ""
    nodes = plan.groups[plan.processes[0].group].count
    who = "threads" if _threads(done) else "processes"
    many = f"{at_once:,} concurrent {who} share the machine's {nodes:,} nodes"
    return files, many if at_once > nodes else ""


def _threads(done: Replay) -> str:
    """State which of the replay's processes are threads of one; nothing if none is known to be."""
    text = processes_text(done.about, int(done.about.get("processes") or 0))
    return f"{text}: each is a process of the replay" if " of " in text else ""


def excluded(calls: int, folders: Sequence[str]) -> str:
    """State how many calls were left out; nothing if no folder was."""
    below = ", ".join(folder.rstrip("/") + "/" for folder in folders)
    return f"{counted(calls, 'call')} on files below {below} left out" if folders else ""


def _notes(done: Replay) -> list[str]:
    observed, wanted = done.observed, done.wanted
    notes = []
    kept = _computing(done)
    share = percent(kept, sum(one.elapsed_ns for one in done.result.processes))
    outside = (
        f"between the modelled calls: {format_time(kept)} of client time ({share}), including"
        f" {counted(observed.unmodelled, 'call')} of {format_time(observed.unmodelled_ns)} without"
        " a model (pipes, sockets, waiting), and metadata operations that cost nothing here"
    )
    if wanted.think == 0:
        outside = (
            f"--think none: the time between the modelled calls is omitted, with"
            f" {counted(observed.unmodelled, 'call')} that have no model"
        )
    elif wanted.think not in (None, 1):
        outside = f"{outside}; scaled by {float(wanted.think or 1):g}"
    notes.append(outside)
    if wanted.exclude:
        notes.append(f"{excluded(observed.excluded, wanted.exclude)}; their time is computing")
    notes += [said.rstrip(".") for said in (done.stripes, done.cached) if said]
    if threads := _threads(done):
        notes.append(threads)
    files, many = _storage(done)
    if files:
        notes.append(files)
    notes += map(lacking, done.simulated.get("unstored", ()))
    if wanted.buffer:
        notes.append(f"calls grouped in buffers of {format_size(wanted.buffer)}; seeks omitted")
    if not done.timed:
        notes.append("the log has no times: no time passes between the calls")
    elif not done.about.get("durations", False):
        notes.append("the log has no durations (strace -T): its time counts as time between calls")
    if observed.placed:
        calls = counted(observed.placed, "call")
        notes.append(f"{calls} without an offset in the log: placed after the previous call")
    if many:
        notes.append(many)
    return notes
