"""Replications of a run, and of the points of a sweep, in words: means, intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.page import Block, Column, Lines, Section, Table
from simulator.report.scales import shown
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.study.figures import Row
    from simulator.study.repeated import Repeated
    from simulator.study.replications import Replicated, Replications

TITLE = "From run to run"
_LABELS = {
    "elapsed_s": "elapsed, s",
    "end_s": "until all is written, s",
    "read_MBps": "read, MB/s",
    "write_MBps": "written, MB/s",
    "stable_MBps": "to stable storage, MB/s",
    "read_io_MBps": "read in calls, MB/s",
    "write_io_MBps": "written in calls, MB/s",
    "read_s": "reading of a process, s",
    "write_s": "writing of a process, s",
    "lost_percent": "not computing, %",
    "read_p99_ms": "99 % of reads, ms",
    "write_p99_ms": "99 % of writes, ms",
    "job_mean_ms": "a job that arrives, ms",
    "job_p99_ms": "99 % of those jobs, ms",
}


def run_to_run(repeated: Repeated | None, seed: int) -> Section:
    """Return what replications of a run say; empty without any."""
    if repeated is None:
        return Section("", [])
    if not repeated.varies:
        return Section(TITLE, [Lines([still()])], leads=True)
    blocks: list[Block] = [table(repeated), Lines(list(_said(repeated, seed)))]
    return Section(TITLE, blocks, leads=True)


def still() -> str:
    """State that runs do not vary."""
    return "Nothing of this run is drawn: runs do not vary, and one was made."


def noise_of(deviations: tuple[float, float]) -> str:
    """State what a seed changes, by the deviations of a run and of a request; nothing without any.

    >>> noise_of((0.14, 0.1)), noise_of((0.0, 0.05)), noise_of((0.0, 0.0))
    ('--seed: 14 % a run, 10 % a request', '--seed: 5 % a request', '')
    """
    named = zip(deviations, ("run", "request"), strict=True)
    told = ", ".join(f"{100 * one:.2g} % a {what}" for one, what in named if one)
    return f"--seed: {told}" if told else ""


def label(column: str) -> str:
    """Return what people call a figure, with its unit."""
    return _LABELS.get(column, column)


def table(repeated: Repeated) -> Table:
    """Return the figures, each with its mean, its median and their intervals."""
    confidence = f"{100 * repeated.replications.confidence:g} %"
    columns = (
        Column("figure", "figure"),
        Column("mean", "mean"),
        Column("mean_interval", f"{confidence} interval"),
        Column("half_width_percent", "half of it"),
        Column("median", "median"),
        Column("median_interval", f"{confidence} interval"),
        Column("range", "least - most", wide=True),
    )
    found = _different(repeated.figures())
    rows = [_row(label(name), one) for name, one in found.items()]
    return Table("replications", TITLE, columns, rows, noun="figure")


def _different(figures: dict[str, Replicated]) -> dict[str, Replicated]:
    """Leave out figures that are equal to one before in every run, or that never vary."""
    seen = set[tuple[float, ...]]()
    found = {}
    for name, one in figures.items():
        if one.values not in seen and (one.deviation or name == "elapsed_s"):
            found[name] = one
        seen.add(one.values)
    return found


def _row(name: str, one: Replicated) -> list[Any]:
    half = one.half_width
    share = "-" if half is None else f"{100 * half / abs(one.mean):.2g} %"
    least, most = min(one.values), max(one.values)
    return [
        name,
        shown(one.mean, 4),
        interval(one.interval),
        share,
        shown(one.median, 4),
        interval(one.quantile_interval(0.5)),
        f"{shown(least, 4)} - {shown(most, 4)}",
    ]


def interval(ends: tuple[float, float] | None) -> str:
    """Write an interval; a dash where there are too few runs for one."""
    return "-" if ends is None else f"{shown(ends[0], 4)} - {shown(ends[1], 4)}"


def _said(repeated: Repeated, seed: int) -> list[str]:
    asked, runs = repeated.replications, len(repeated.rows)
    if all(one.deviation == 0 for one in repeated.figures().values()):
        return [f"{counted(runs, 'run')} with other draws gave the same figures."]
    lines = [
        f"{counted(runs, 'run')} with seeds that follow from seed {seed}; the report is of the"
        " first one. Intervals of means are Student's; of medians, two of the runs in order."
    ]
    if repeated.interrupted:
        lines.append(f"Interrupted: {asked.words()} were asked for; these are the first {runs}.")
    elif asked.count is None:
        half = f"{100 * asked.precision:g} %"
        if repeated.narrow:
            lines.append(f"They ended when the intervals of time and rates were within {half}.")
        else:
            lines.append(f"They ended at the most; not all intervals are within {half}.")
    return lines


# -- of a sweep ----------------------------------------------------------------------------------


def with_half(text: str, row: Row, ends: tuple[str, str]) -> str:
    """Add half of its interval to the mean of a figure of a point."""
    low, high = (row.get(end) for end in ends)
    if low is None or high is None or low == high:
        return text
    return f"{text} \u00b1 {(high - low) / 2:.2g}"


def sweep_said(rows: Sequence[Row], replications: Replications, seed: int | None) -> str:
    """State what the means and intervals of the points of a sweep are."""
    confidence = f"{100 * replications.confidence:g} %"
    few, most = min(row["replications"] for row in rows), max(row["replications"] for row in rows)
    runs = counted(few, "run") if few == most else f"{few} to {most} runs"
    lines = [
        f"Means of {runs} with seeds that follow from seed {seed}, \u00b1 half of the {confidence}"
        " interval (Student's)."
    ]
    if most > 1 and (still := sum(row["replications"] == 1 for row in rows)):
        lines.append(f"{counted(still, 'point')} made one run each: nothing of them is drawn.")
    elif most == 1 and replications.looks()[-1] > 1:
        lines = [f"One run each: nothing of them is drawn ({replications.words()} asked for)."]
    if wide := sum(row["narrow"] is False for row in rows):
        half = f"{100 * replications.precision:g} %"
        lines.append(f"{counted(wide, 'point')} ended at the most with intervals beyond {half}.")
    return "\n".join(lines)
