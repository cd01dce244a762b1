"""How busy resources were over time, for runs that kept their services (``--timeline``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.html.markup import Markup, tag
from simulator.report.html.plots import Line, Plot
from simulator.report.utilisation import used_parts
from simulator.result.instances import rows_of_instances
from simulator.units import format_time
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

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
    made = [tag("p", every, class_="note")]
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
        made += [tag("h3", f"{row.part}: {percent(row.mean(result.end_ns), 1)}"), plot.markup()]
    return made


def _busy(result: Result, plan: Plan, step: int) -> dict[int, list[int]]:
    """Add up the service time of each part in each interval."""
    rows = rows_of_instances(plan)
    busy: dict[int, list[int]] = {}
    for span in result.spans:
        times = busy.setdefault(rows[span.part], [0] * INTERVALS)
        start, end = span.start_ns, span.start_ns + span.service_ns
        first, last = start // step, min(INTERVALS - 1, max(start, end - 1) // step)
        for place in range(first, last + 1):
            times[place] += max(0, min(end, (place + 1) * step) - max(start, place * step))
    return busy
