"""Pictures of a run: where the time of its jobs went, and its resources over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.html.markup import joined
from simulator.report.html.page import bars, figure, heading, note
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Bar, Line, Piece, Plot, mark, stacked
from simulator.report.page import Markup
from simulator.report.tables import used_parts
from simulator.result.instances import rows_of_instances
from simulator.units import format_time
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.answers.advise import Advised
    from simulator.plan.plan import Plan
    from simulator.report.accounts import Account
    from simulator.result.result import Result


def bar(one: Account) -> Markup:
    """Draw where the time of a job went: a piece for each column of its account."""
    spent, total = one.spent, one.job.busy_ns
    pieces = []
    for place, row in enumerate(spent):
        colour, letter = mark(place)
        for time, hatched in ((row.service_ns, False), (row.wait_ns, True)):
            if time:
                told = f"{row.column}{' (waiting)' if hatched else ''}: {percent(time, total)}"
                pieces.append(Piece(time / total, colour, letter, hatched, told))
    largest = ", ".join(f"{row.column} {percent(row.total_ns, total)}" for row in spent[:3])
    drawn = stacked(_merged(pieces), f"Where the time of {one.job.name} went: {largest}.")
    told = "Shares of the process time. Solid: being served, or computing; hatched: waiting."
    return joined((heading(one.name), figure(drawn, told)))


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Add up what would be too thin to see."""
    thin = [one for one in pieces if one.share < 0.002]
    kept = [one for one in pieces if one.share >= 0.002]
    if thin:
        share = sum(one.share for one in thin)
        kept.append(
            Piece(share, len(PIECES) - 1, "", text=f"{len(thin)} more: {percent(share, 1)}")
        )
    return kept


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


def saving_bars(advised: Advised, most: int) -> Markup:
    """Draw the time as it is, and with each advice."""
    whole = advised.elapsed_ns
    drawn: list[Bar] = [("as it is", format_time(whole), [Piece(1.0, 0)])]
    for number, one in enumerate(advised.advice[:most], 1):
        resource = f": {one.finding.resource}" if one.finding.resource else ""
        pieces = [Piece(one.elapsed_ns / whole, 0), Piece(one.saves_ns / whole, 2, hatched=True)]
        name = f"{number}. {one.finding.pattern}{resource}"
        drawn.append((name, format_time(one.elapsed_ns), pieces))
    return bars(drawn, "", "Predicted elapsed time, each advice alone; hatched: what it saves.")
