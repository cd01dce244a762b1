"""The points of a sweep, for people: their table, their figures, and where what limits changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.limits import NONE
from simulator.report.page import Column, Table, ValueInWords
from simulator.report.replications import noise_of, with_half
from simulator.report.scales import plain
from simulator.study.figures import Row, end_column, phase_column
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from simulator.study.sweep import Swept

_RATES = {"read_MBps": "read MB/s", "write_MBps": "write MB/s", "stable_MBps": "stable MB/s"}
_IN_CALLS = {"read_io_MBps": "read MB/s in calls", "write_io_MBps": "write MB/s in calls"}


def points_table(swept: Swept, rows: Iterable[Row], best: Sequence[str] = ()) -> Table:
    """Return a row for each point: its values, its figures, what is busiest, what limits.

    ``best``: what a point is the best of, a text for each.
    """
    figures, words = figure_columns(swept), {"bottleneck": "busiest"}
    more: dict[str, str] = {}
    if swept.sweep.limits:
        words |= {"limit": "limit", "limit_kind": "by"}
        more = {"limit_saves_s": "saves s"}
    columns = [
        *(Column(axis.name, axis.name, "number") for axis in swept.sweep.axes),
        *(Column(key, label, "number") for key, label in figures.items()),
        *(Column(key, label) for key, label in words.items()),
        *(Column(key, label, "number") for key, label in more.items()),
    ]

    def cell(row: Row, key: str) -> Any:
        text = figure_text(row, key)
        return ValueInWords(row[key], text) if key in figures or key in more else text

    listed = [[cell(row, column.key) for column in columns] for row in rows]
    if best:
        columns.append(Column("best", "best"))
        listed = [[*row, text] for row, text in zip(listed, best, strict=True)]
    return Table("points", "Points", columns, listed, noun="point", whole=True)


def left_out(swept: Swept) -> str:
    """State that the noise which the machine states is left out; nothing where none is."""
    noise = noise_of(swept.noise)
    return f"No seed: the noise that the machine states is left out ({noise})." if noise else ""


def figure_columns(swept: Swept) -> dict[str, str]:
    """Return the figures of points that are shown, by their columns, with their heads."""
    rates = _IN_CALLS if _computes(swept) else _RATES
    used = {key: label for key, label in rates.items() if any(row[key] for row in swept.rows)}
    columns = {**used, "elapsed_s": "elapsed s", **_waits(swept, used)}
    return columns | {phase_column(one): f"{one} s" for one in swept.sweep.phases}


def _waits(swept: Swept, used: Iterable[str]) -> dict[str, str]:
    """The columns for jobs that compute: what they spend on input and output, by the mean job."""
    if not _computes(swept):
        return {}
    labels = {"read_io_MBps": ("read_s", "reading s"), "write_io_MBps": ("write_s", "writing s")}
    waits = dict(labels[rate] for rate in used if rate in labels)
    return {**waits, "lost_percent": "lost %"}


def _computes(swept: Swept) -> bool:
    """Return whether processes compute between calls, so that rates are of the time in calls."""
    return any(0 < row["lost_percent"] < 100 for row in swept.rows)


def figure_text(row: Row, column: str) -> str:
    """Return a figure of a point; with half of its interval if it was replicated."""
    value = row[column]
    text = "-" if value is None else plain(value) if isinstance(value, float) else str(value)
    return with_half(text, row, (end_column(column, "low"), end_column(column, "high")))


MOST_SHOWN = 12
MOST_POINTS = 10_000


def changes_text(swept: Swept) -> str:
    """State between which points what limits changes; empty if nobody asked, or for a part."""
    if not known(swept):
        return ""
    lines = list(changes(swept))
    if not lines:
        return "What limits is the same at all points."
    more = [f"  ... and {counted(len(lines) - MOST_SHOWN, 'more change')}"]
    return "\n".join(
        ["What limits changes:", *lines[:MOST_SHOWN], *(more if len(lines) > MOST_SHOWN else [])]
    )


def known(swept: Swept) -> bool:
    """Return whether changes of limits are known: asked for, of a whole sweep, not too large."""
    return swept.sweep.limits and not swept.shard and len(swept.rows) <= MOST_POINTS


def changes(swept: Swept) -> Iterator[str]:
    """Yield a line for each two neighbouring points between which what limits changes."""
    sweep = swept.sweep
    limits = [row["limit"] or NONE for row in swept.rows]
    for number, limit in enumerate(limits):
        places = sweep.places(number)
        for index, axis in enumerate(sweep.axes):
            if places[index] + 1 == len(axis.texts):
                continue
            after = list(places)
            after[index] += 1
            other = limits[sweep.number(after)]
            if other != limit:
                others = [
                    f"{one.name}={one.texts[place]}"
                    for one, place in zip(sweep.axes, places, strict=True)
                    if one is not axis
                ]
                step = f"{axis.name} {axis.texts[places[index]]} -> {axis.texts[after[index]]}"
                where = f" ({', '.join(others)})" if others else ""
                yield f"  {step}{where}: {limit} -> {other}"
