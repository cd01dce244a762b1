"""How sure figures are: a line for each source of doubt, and what to measure first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from simulator.csvtext import csv_of
from simulator.report.lined import table, wrapped
from simulator.report.replications import digits, interval, label
from simulator.report.versions import versions
from simulator.study.modelerror import model_error
from simulator.study.ranges import BAND, FACTOR
from simulator.study.replications import Replicated
from simulator.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.study.indices import Index
    from simulator.study.uncertainty import Moved, Uncertainty

FORMATS = ("table", "json", "csv")
MOST_ROWS = 12
"""Values in the table for people, and in the plot."""
CSV_COLUMNS = (
    *("figure", "value", "range", "default", "low", "high"),
    *("first", "first_low", "first_high", "total", "total_low", "total_high"),
)


def written(name: str, found: Uncertainty, figure: str) -> str:
    """Write a report: ``table``, ``json`` or ``csv``."""
    if name == "json":
        return json.dumps({**found.to_record(), "versions": versions()}, indent=2) + "\n"
    return to_csv(found) if name == "csv" else to_text(found, figure)


def to_csv(found: Uncertainty) -> str:
    """Write a row for each figure and value that moves it."""
    rows: list[list[Any]] = [list(CSV_COLUMNS)]
    for figure in found.figures:
        for moved, index in found.ranked(figure):
            values = moved.group.values
            rows.append(
                [
                    figure,
                    moved.group.name,
                    "; ".join(one.words() for one in values),
                    any(one.default for one in values),
                    *moved.ends(figure),
                    *(index.first, *index.first_interval),
                    *(index.total, *index.total_interval),
                ]
            )
    return csv_of(rows)


def machines_csv(found: Uncertainty) -> str:
    """Write a row for each machine that was drawn: its values, and its figures.

    ``set``: a and b are the two halves of the sample; a name is that of the value (or group) of b
    in a machine of a.
    """
    names = [one.name for moved in found.moved for one in moved.group.values]
    sets = ["a", "b", *(moved.group.name for moved in found.moved)]
    rows: list[list[Any]] = [["set", *names, *found.figures]]
    for number, row in enumerate(found.sample):
        values = [row[name] for name in (*names, *found.figures)]
        rows.append([sets[number // found.points], *values])
    return csv_of(rows)


def to_text(found: Uncertainty, figure: str) -> str:
    """Write it for people; values are ranked by what they do to ``figure``."""
    blocks = [
        _head(found),
        _figures(found, figure),
        _of_runs(found),
        _of_values(found),
        _of_model(figure),
        _ranking(found, figure),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _head(found: Uncertainty) -> str:
    seed = f"runs from seed {found.seed}" if found.repeated.varies else "runs do not vary"
    about = f"{seed}; values drawn with seed {found.value_seed}; input {found.digest[:12]}"
    return f"{found.workload} on {found.machine}: how sure\n{about}"


def _figures(found: Uncertainty, chosen: str) -> str:
    """Write the intervals of all figures that vary, of those that are equal the first."""
    confidence = f"{100 * found.confidence:g} %"
    head = ["figure", "as written", f"from run to run, {confidence}", f"from values, {confidence}"]
    rows, seen = [], set[tuple[float, ...]]()
    for figure in [chosen, *found.figures]:
        repeated, spread = found.repeated.figure(figure), found.spread(figure)
        each = (*(repeated.values if repeated else ()), *(spread.values if spread else ()))
        if each in seen or (len(set(each)) == 1 and figure != chosen):
            continue
        seen.add(each)
        rows.append(
            [
                label(figure),
                digits(found.written[figure]),
                _from_runs(repeated),
                "-" if spread is None else interval(spread.interval),
            ]
        )
    return table(head, rows, "lrrr")


def _from_runs(repeated: Replicated | None) -> str:
    if repeated is None or not (repeated.varies and repeated.deviation):
        return "none"
    return interval(repeated.interval)


def _of_runs(found: Uncertainty) -> str:
    if not found.repeated.varies:
        text = "nothing of this run is drawn, so that it does not vary."
    elif all(one.deviation == 0 for one in found.repeated.figures().values()):
        text = f"{len(found.repeated.rows)} runs with other draws gave the same figures."
    else:
        text = f"{len(found.repeated.rows)} runs with noise; the interval of their mean."
    return wrapped(f"From run to run: {text}")


def _of_values(found: Uncertainty) -> str:
    groups = [*(one.group for one in found.moved), *found.still]
    if not groups:
        return wrapped(
            f"From values: no assumed or calibrated value has a range. {_held(found)}".rstrip()
        )
    text = f"From values: of {counted(len(groups), 'value')} with a range {len(found.moved)} move a"
    text += " figure"
    if found.moved:
        text += f"; {2 * found.points} machines were drawn from these, and run without noise"
    values = [one for group in groups for one in group.values]
    for kind, told in (
        ("assumed", f"a factor of {FACTOR:g} each way"),
        ("calibrated", f"{100 * BAND:g} % each way"),
    ):
        if count := sum(one.default and one.kind == kind for one in values):
            text += f". The range of {count} {kind} is our default, {told}: the file has none"
    return wrapped(f"{text}. {_held(found)}".rstrip())


def _held(found: Uncertainty) -> str:
    held = []
    if found.held.other:
        held.append(f"{found.held.other} assumed or calibrated sizes, counts, shares and words")
    if found.held.unsourced:
        held.append(f"{found.held.unsourced} values without a source")
    return f"Held as they are, without a range: {' and '.join(held)}." if held else ""


def _of_model(figure: str) -> str:
    measured = model_error(figure)
    if not measured:
        return wrapped(
            f"Of the model: of figures like this ({label(figure)}) validation has measured no"
            " error; it is in no interval here."
        )
    first = wrapped(
        "Of the model, in no interval here: on other machines, what was predicted was so far from"
        " what was measured:"
    )
    return "\n".join([first, *(f"  {one.sentence()}" for one in measured)])


def _ranking(found: Uncertainty, figure: str) -> str:
    ranked = found.ranked(figure)
    if not ranked:
        return f"Nothing to measure first: {label(figure)} is the same on all machines drawn."
    shown = ranked[:MOST_ROWS]
    rows = [_row(figure, moved, index) for moved, index in shown]
    head = ["measure this first", "range", "from it alone", "explains", "with others", "leaves"]
    lines = [f"{label(figure)}:", table(head, rows, "llrrrr")]
    if more := len(ranked) - len(shown):
        lines.append(f"and {counted(more, 'more value')} that explain less")
    lines.append(
        wrapped(
            "explains: the part of the variance that would go if the value were known (first-order"
            " Sobol index), and its interval; with others: the part that it takes part in (total);"
            " leaves: what would be left of the spread."
        )
    )
    return "\n".join(lines)


def _row(figure: str, moved: Moved, index: Index) -> list[str]:
    low, high = moved.ends(figure)
    first = [_share(one) for one in (index.first, *index.first_interval)]
    ends = "-" if low is None or high is None else f"{digits(low)} - {digits(high)}"
    return [
        moved.group.name,
        "; ".join(one.words() for one in moved.group.values),
        ends,
        f"{first[0]} % ({first[1]} - {first[2]})",
        f"{_share(index.total)} %",
        f"{100 * index.left:.0f} %",
    ]


def _share(index: float) -> str:
    """Write an index in percent; estimates of small ones may be below 0, which they are not."""
    return f"{100 * min(max(index, 0.0), 1.0):.0f}"


def draw_tornado(found: Uncertainty, figure: str) -> Figure:
    """Draw how far each value alone moves a figure, the one that explains most on top."""
    from simulator.report.plots import COLOURS, figure_of

    ranked = found.ranked(figure)[:MOST_ROWS]
    title = f"{found.workload} on {found.machine}: {label(figure)}, one value at a time"
    drawn = figure_of((8.0, 1.8 + 0.45 * max(1, len(ranked))), title)
    axes = drawn.add_subplot()
    middle = found.written[figure]
    for place, (moved, _) in enumerate(ranked):
        for end, colour in zip(moved.ends(figure), COLOURS, strict=False):
            if end is None:  # With this value the run lacks the figure.
                continue
            axes.barh(place, end - middle, left=middle, color=colour, height=0.6)
    names = [f"{moved.group.name}\n{_share(index.first)} %" for moved, index in ranked]
    axes.set_yticks(range(len(ranked)), names, fontsize="small")
    axes.invert_yaxis()
    axes.axvline(middle, color="0.3", linewidth=1)
    spread = found.spread(figure)
    if spread is not None:
        axes.axvspan(*spread.interval, color="0.93", zorder=0)
    axes.set_xlabel(
        f"{label(figure)}; blue: at the 5 % quantile of the value, orange: at 95 %; grey: from all"
    )
    return drawn
