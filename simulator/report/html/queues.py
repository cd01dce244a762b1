"""Pictures of a queue: a Gantt chart of its nodes, and curves of what is in use and waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.report.html.markup import joined, tag
from simulator.report.html.page import figure, heading, note
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Line, Plot, key, mark, round_ticks
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.report.page import Markup
    from simulator.report.queues import QueueReport

HEIGHT = 260
WIDTH = 1000.0
MOST_KEYS = 8
MOST_DRAWN = 3000
"""Jobs of a chart; of more those with most node-time."""


def gantt(report: QueueReport) -> Markup:
    """Draw which job had which node when: a rectangle for each run of neighbouring nodes."""
    made, queue = report.made, report.queue
    begin, end = report.span
    sizes = {row: queue.jobs[row].nodes * (made.end[row] - made.start[row]) for row in report.ran}
    rows = sorted(report.ran, key=lambda row: -sizes[row])[:MOST_DRAWN]
    classes = {one.name: number for number, one in enumerate(report.classes)}
    drawn: list[Markup] = []
    scale, each = WIDTH / (end - begin), HEIGHT / queue.count
    for row in sorted(rows):
        colour, _ = mark(classes[report.class_of(row)])
        x, width = (made.start[row] - begin) * scale, (made.end[row] - made.start[row]) * scale
        told = (
            f"{queue.jobs[row].name}: {counted(queue.jobs[row].nodes, 'node')}, waited"
            f" {format_time(made.start[row] - made.submit[row])}, ran"
            f" {format_time(made.end[row] - made.start[row])}"
        )
        for first, count in runs_of(sorted(made.nodes_of(row))):
            drawn.append(
                tag(
                    "rect",
                    tag("title", told),
                    x=f"{x:.2f}",
                    y=f"{first * each:.2f}",
                    width=f"{max(width, 0.4):.2f}",
                    height=f"{count * each:.2f}",
                    fill=PIECES[colour],
                )
            )
    chart = tag(
        "svg",
        tag("title", f"Nodes of {queue.name} over time: which job had which."),
        *drawn,
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT}",
        width="100%",
        height=f"{HEIGHT}",
        preserveAspectRatio="none",
        role="img",
    )
    left = f"; the {MOST_DRAWN:,} jobs with most node-time" if len(report.ran) > MOST_DRAWN else ""
    told = (
        f"Time runs from the first submission to the last end ({format_time(end - begin)}), nodes"
        f" from top to bottom; a colour is a class{left}."
    )
    keys = [
        tag("span", key(*mark(number)), " ", name, " ", style="white-space:nowrap")
        for name, number in [*classes.items()][:MOST_KEYS]
    ]
    return joined((heading(f"Nodes of {queue.name}"), figure(chart, told), tag("p", keys)))


def runs_of(nodes: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the number of nodes of each run of neighbours.

    >>> list(runs_of([0, 1, 4, 5, 6, 9]))
    [(0, 2), (4, 3), (9, 1)]
    """
    first = 0
    for place in range(1, len(nodes) + 1):
        if place == len(nodes) or nodes[place] != nodes[place - 1] + 1:
            yield nodes[first], place - first
            first = place


def curves(report: QueueReport) -> Iterator[Markup]:
    """Yield curves over time: nodes in use, and jobs that wait."""
    begin, end = report.span
    ticks = [(place / 4, format_time((end - begin) * place / 4)) for place in range(5)]
    shown = (
        ("nodes in use", report.in_use(), float(report.queue.count)),
        ("jobs that wait", report.waiting(), 0.0),
    )
    for name, points, most in shown:
        top = max(most, *(value for _, value in points), 1.0)
        sides = [(value / top, f"{value:g}") for value in round_ticks(top) if value <= top]
        drawn = [(x, value / top) for x, value in points]
        about = f"{name} over time: {max(value for _, value in points):.3g} at most"
        plot = Plot(f"{about}.", [Line(name, drawn, filled=True)], ticks, sides, height=130)
        yield joined((heading(name.capitalize()), plot.markup()))
    yield note("Means of 240 equal intervals, from the first submission to the last end.")
