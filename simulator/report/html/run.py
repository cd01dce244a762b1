"""The page of a run: the answer, where the time went, and what the numbers rest on.

It is made of the outcome of the run alone: the text, the JSON and the page show the same numbers.
With ten thousand processes it is as long as with ten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from simulator.report.accounts import accounts
from simulator.report.advise import first_told
from simulator.report.causes import causes_text
from simulator.report.html.advise import advice_sections
from simulator.report.html.diagram import Uses, diagram, ways
from simulator.report.html.page import (
    figure,
    heading,
    made_by,
    note,
    page,
    sources,
    table,
    warnings,
)
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Line, Piece, Plot, key, stacked
from simulator.report.limits import (
    MOST_COMMANDS,
    NOT_ASKED,
    change,
    command_of,
    found,
    levers_table,
    sentences,
)
from simulator.report.outcome import answer, bottleneck
from simulator.report.page import Block, Markup, Plain, Section
from simulator.report.sentences import computing_text
from simulator.report.tables import jobs_table, used_parts
from simulator.result.instances import rows_of_instances
from simulator.units import format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.answers.again import NotAsked
    from simulator.answers.limits import Limits
    from simulator.config.machine_file import Machine
    from simulator.config.sources import FromFile
    from simulator.plan.plan import Plan
    from simulator.report.accounts import Account
    from simulator.report.outcome import Outcome
    from simulator.result.result import Result


MOST_ADVICE = 3
"""Advices on the page of a run; that of 'nwtsim advise' has more."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """A finished run, and what its page says beside its numbers."""

    outcome: Outcome
    machine: Machine
    files: Sequence[FromFile]
    """The machine, and the workload if there is one: their values have sources."""
    warned: Sequence[str] = ()
    """Warnings that the command has printed."""
    command: Sequence[str] = ()
    """The words of the command."""

    def text(self, more: Iterable[Section] = ()) -> str:
        """Return the page, with more sections after the first."""
        outcome, result = self.outcome, self.outcome.result
        title = f"{result.workload} on {result.machine}: {format_time(result.elapsed_ns)}"
        causes = [] if outcome.limits is not None else causes_text(result, outcome.plan)[:1]
        helps = first_told(outcome.advised, outcome.question)
        lines = [*limits_answer(outcome.limits), *causes, *outcome.lead]
        before, *after = self._sections()
        lines += [*answer(result).splitlines(), *helps]
        return page(title, outcome.header(), lines, [before, *more, *after])

    def _sections(self) -> list[Section]:
        outcome, result, plan = self.outcome, self.outcome.result, self.outcome.plan
        uses = Uses(result, plan)
        _, phases, before, *after = outcome.shown()
        told = [*causes_text(result, plan), *bottleneck(result).splitlines()]
        told += filter(None, [computing_text(result)])
        return [
            Section("Where the time went", [*where(result, plan), *told]),
            Section("What limits", limits_blocks(outcome.limits, outcome.command)),
            *([] if outcome.advised is None else advice_sections(outcome.advised, MOST_ADVICE)),
            Section("Jobs", [jobs_table(result)]),
            outcome.replicated(),
            phases,
            before,
            Section("Block diagram", diagram(self.machine, uses)),
            Section("What requests go through", ways(self.machine, uses, plan)),
            Section("Over time", over_time(result, plan)),
            *after,
            Section(
                "Assumptions",
                [
                    *outcome.warned(),
                    *outcome.notes(),
                    heading("Warnings"),
                    warnings(self.warned),
                    *sources(outcome.sources, self.files),
                ],
            ),
            made_by(self.command, self._about()),
        ]

    def _about(self) -> dict[str, str]:
        result = self.outcome.result
        return {
            "machine": result.machine,
            "workload": result.workload,
            "seed": str(result.seed) if result.noisy else "none",
            "engine": result.engine,
            "digest of the input": result.digest,
            "events": f"{result.events:,}",
        }


_OTHER = len(PIECES) - 1


def where(result: Result, plan: Plan) -> list[Markup]:
    """Return the accounts of the jobs; those of many jobs as one."""
    found = accounts(result, plan)
    if not found:
        return []
    told = "Shares of the process time. Solid: being served, or computing; hatched: waiting."
    made = [note(told)]
    for number, one in enumerate(found):
        marks = [key(*_mark(place)) for place in range(len(one.spent))]
        made += [heading(one.name), _bar(one), table(one.table(number), marks=marks)]
    return made


def _bar(one: Account) -> Markup:
    spent, total = one.spent, one.job.busy_ns
    pieces = []
    for place, row in enumerate(spent):
        colour, letter = _mark(place)
        for time, hatched in ((row.service_ns, False), (row.wait_ns, True)):
            if time:
                told = f"{row.column}{' (waiting)' if hatched else ''}: {percent(time, total)}"
                pieces.append(Piece(time / total, colour, letter, hatched, told))
    largest = ", ".join(f"{row.column} {percent(row.total_ns, total)}" for row in spent[:3])
    return figure(stacked(_merged(pieces), f"Where the time of {one.job.name} went: {largest}."))


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Add up what would be too thin to see."""
    thin = [one for one in pieces if one.share < 0.002]
    kept = [one for one in pieces if one.share >= 0.002]
    if thin:
        share = sum(one.share for one in thin)
        kept.append(Piece(share, _OTHER, "", text=f"{len(thin)} more: {percent(share, 1)}"))
    return kept


def _mark(place: int) -> tuple[int, str]:
    """Return the colour and the letter of a column by its place, the largest first."""
    return (place, chr(ord("A") + place)) if place < _OTHER else (_OTHER, "·")


INTERVALS = 120
MOST_DRAWN = 6
LEAST_DRAWN = 0.01
"""Resources that are never as busy as this are left out."""


def over_time(result: Result, plan: Plan) -> list[Markup]:
    """Return a plot for each of the busiest resources; nothing without services that were kept."""
    if not result.spans or not result.end_ns:
        return []
    step = -(-result.end_ns // INTERVALS)
    busy = _busy(result, plan, step)
    used = [row for row in used_parts(result, plan) if row.row in busy]
    used = [row for row in used if max(busy[row.row]) >= LEAST_DRAWN * step * row.servers]
    used = sorted(used, key=lambda row: -row.mean(result.end_ns))[:MOST_DRAWN]
    ticks = [(place / 4, format_time(result.end_ns * place / 4)) for place in range(5)]
    every = f"Utilisation in intervals of {format_time(step)}, of all instances together."
    made = [note(every)]
    for row in used:
        whole = step * row.servers
        shares = [min(1.0, time / whole) for time in busy[row.row]]
        points = [(min(1.0, (i + 0.5) * step / result.end_ns), s) for i, s in enumerate(shares)]
        about = f"Utilisation of {row.part} over time: at most {percent(max(shares), 1)}."
        plot = Plot(
            about,
            [Line(row.part, points, filled=True)],
            ticks,
            [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")],
            height=130,
        )
        made += [heading(f"{row.part}: {percent(row.mean(result.end_ns), 1)}"), plot.markup()]
    return made


def _busy(result: Result, plan: Plan, step: int) -> dict[int, list[int]]:
    """Add up the service time of each part in each interval."""
    rows = rows_of_instances(plan)
    busy: dict[int, list[int]] = {}
    for span in result.spans:
        row = rows[span.part]
        if span.queue in plan.parts[row].traits.queues[1:]:  # its busy time is that of the first
            continue
        times = busy.setdefault(row, [0] * INTERVALS)
        start, end = span.start_ns, span.start_ns + span.service_ns
        first, last = start // step, min(INTERVALS - 1, max(start, end - 1) // step)
        for place in range(first, last + 1):
            times[place] += max(0, min(end, (place + 1) * step) - max(start, place * step))
    return busy


MOST_ROWS = 25


def limits_answer(limits: Limits | NotAsked | None) -> list[str]:
    """Return what limits in a sentence; nothing if nobody asked."""
    known = found(limits)
    if known is not None:
        return sentences(known)
    return [] if limits is None else [NOT_ASKED.format(runs=limits.runs)]


def limits_blocks(limits: Limits | NotAsked | None, command: Sequence[str]) -> list[Block]:
    """Return what each lever saves if it is twice as good, and commands that show it."""
    known = found(limits)
    if known is None:
        return []
    told = (
        "Each row is the same run with one value of the machine changed:"
        f" {counted(known.runs, 'run')} were made. {counted(known.left_out, 'lever')} cannot act,"
        " or could save less than 0.2 %."
    )
    made: list[Block] = [told]
    if known.more_jobs:
        made.append(f"({counted(known.more_jobs, 'more job')}: --job NAME asks about one)")
    for number, one in enumerate(known.each):
        made += _levers(one, number, command)
    return made


def _levers(known: Limits, number: int, command: Sequence[str]) -> list[Block]:
    """Return what each lever saves of the time of the run, or of a job."""
    acting = [one for one in known.limits if one.saves_ns]
    shown = acting[:MOST_ROWS]
    made = levers_table(known, shown, partial(change, whole=True), number)
    told, more = made.note, len(known.limits) - len(shown)
    if more > 0:
        kept = "less" if len(acting) > len(shown) else "nothing"
        told += f" {counted(more, 'more lever')} were run and save {kept}."
    marked = range(len(known.matter[:1]))
    lines = [command_of(one.twice, command).strip() for one in known.matter[:MOST_COMMANDS]]
    return [replace(made, note=told, marked=marked), Plain("\n".join(lines))]
