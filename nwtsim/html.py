"""A result as HTML, for notebooks: the answer, and where the time of each job went."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.answers.compare import Comparison
    from simulator.report.accounts import Columns
    from simulator.report.outcome import Outcome
    from simulator.result.jobs import JobResult

MOST_JOBS = 8


def html_of(lines: list[str], outcome: Outcome) -> str:
    """Write the lines of a result, and a table of its jobs' accounts."""
    from simulator.report.accounts import Columns
    from simulator.result.jobs import by_job

    columns = Columns(outcome.plan)
    jobs = [job for job in by_job(outcome.result) if job.time_ns][:MOST_JOBS]
    rows = "".join(row for job in jobs for row in _rows(job, columns))
    head, *rest = lines
    table = (
        "<table><thead><tr><th>job</th><th>where</th><th>waiting</th><th>service</th>"
        f"<th>share</th></tr></thead><tbody>{rows}</tbody></table>"
        if rows
        else ""
    )
    told = "<br>".join(escape(line) for line in rest)
    return f"<div><b>{escape(head)}</b><br>{told}{table}</div>"


def _rows(job: JobResult, columns: Columns) -> list[str]:
    from simulator.report.accounts import spent_by
    from simulator.units import format_time
    from simulator.wording import percent

    rows = []
    for spent in spent_by(job, columns):
        times = [format_time(time) if time else "" for time in (spent.wait_ns, spent.service_ns)]
        cells = [job.name, spent.column, *times, percent(spent.total_ns, job.time_ns)]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return rows


def compared_html(lines: list[str], found: Comparison) -> str:
    """Write the lines of a comparison, and a table of where the difference is."""
    from simulator.units import format_time

    head, *rest = lines
    rows = []
    for row in () if found.same else (*found.elapsed.rows, found.elapsed.total):
        times = [format_time(sum(row.a)), format_time(sum(row.b)), format_time(row.difference_ns)]
        cells = [row.column, *times, f"only in {row.only.upper()}" if row.only else ""]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    table = (
        "<table><thead><tr><th>where</th><th>A</th><th>B</th><th>B - A</th><th></th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
        if rows
        else ""
    )
    told = "<br>".join(escape(line) for line in rest)
    return f"<div><b>{escape(head)}</b><br>{told}{table}</div>"
