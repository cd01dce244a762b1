"""Where the time of a run went: a bar and a table for each job, which add up to its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.accounts import MOST_JOBS, Columns, spent_by
from simulator.report.html import cells
from simulator.report.html.cells import Table
from simulator.report.html.markup import Markup, joined, tag
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Piece, key, stacked
from simulator.result.jobs import JobResult, by_job
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.report.accounts import Spent
    from simulator.result.result import Result

MOST_ROWS = 60
"""Columns of an account in its table; those after them are added up."""
_OTHER = len(PIECES) - 1


def where(result: Result, plan: Plan) -> list[Markup]:
    """Return the accounts of the jobs; those of many jobs as one."""
    jobs = [job for job in by_job(result) if job.busy_ns]
    if not jobs:
        return []
    if len(jobs) > MOST_JOBS:
        together = JobResult(counted(len(jobs), "job"))
        together.processes = [one for job in jobs for one in job.processes]
        jobs = [together]
    columns = Columns(plan)
    told = "Shares of the process time. Solid: being served, or computing; hatched: waiting."
    made = [tag("p", told, class_="note")]
    for number, job in enumerate(jobs):
        made += _account(job, columns, number)
    return made


def _account(job: JobResult, columns: Columns, number: int) -> list[Markup]:
    spent, total = spent_by(job, columns), job.busy_ns
    several = len(job.processes) > 1
    name = f"{job.name}: {counted(len(job.processes), 'process')}" if several else job.name
    pieces = []
    for place, row in enumerate(spent):
        colour, letter = _mark(place)
        for time, hatched in ((row.service_ns, False), (row.wait_ns, True)):
            if time:
                told = f"{row.column}{' (waiting)' if hatched else ''}: {percent(time, total)}"
                pieces.append(Piece(time / total, colour, letter, hatched, told))
    largest = ", ".join(f"{row.column} {percent(row.total_ns, total)}" for row in spent[:3])
    bar = tag("figure", stacked(_merged(pieces), f"Where the time of {job.name} went: {largest}."))
    return [tag("h3", name), bar, _table(job, spent, several, number).markup()]


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


def _table(job: JobResult, spent: list[Spent], several: bool, number: int) -> Table:
    total = job.busy_ns
    rows = []
    for place, row in enumerate(spent[:MOST_ROWS]):
        name = joined((key(*_mark(place)), row.column))
        line = [name, cells.time(row.wait_ns), cells.time(row.service_ns)]
        line.append(cells.share(row.total_ns / total))
        line += [cells.share(row.least), cells.share(row.most)] if several else []
        rows.append([*line, row.what])
    wait, service = (sum(times) for times in zip(*_times(spent), strict=True))
    more = len(spent) - MOST_ROWS
    bounds = ["least", "most"] if several else []
    head = ["column", "waiting", "service", "share", *bounds, "what"]
    whole = joined(("= ", cells.time(wait + service), " process time" if several else " elapsed"))
    shares = cells.share((wait + service) / total)
    foot = ["sum", cells.time(wait), cells.time(service), shares]
    return Table(
        f"Time of {job.name} by column of its account",
        head,
        rows,
        "l" + "r" * (len(head) - 2) + "w",
        foot=[*foot, *("" for _ in bounds), whole],
        note=f"({counted(more, 'more column')} in the sum)" if more > 0 else "",
        name=f"where-{number}",
    )


def _times(spent: list[Spent]) -> list[tuple[int, int]]:
    return [(row.wait_ns, row.service_ns) for row in spent]
