"""How sure figures are: a line for each source of doubt, and what to measure first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from simulator.csvtext import csv_of
from simulator.report.page import Block, Page, Plain, Section, table_of_texts
from simulator.report.replications import digits, interval, label
from simulator.report.screen import form_text
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
"""Values in the plot."""
CSV_COLUMNS = (
    *("figure", "value", "range", "default", "low", "high"),
    *("first", "first_low", "first_high", "total", "total_low", "total_high"),
)


RANKED = ("measure this first", "range", "from it alone", "explains", "with others", "leaves")
EXPLAINS = (
    "explains: the part of the variance that would go if the value were known (first-order Sobol"
    " index), and its interval; with others: the part that it takes part in (total); leaves: what"
    " would be left of the spread."
)


def words_of_study(figure: str, points: int | str, value_seed: int) -> list[str]:
    """Return the options of a study that are not those of its runs."""
    return ["--figure", figure, "--points", str(points), "--value-seed", str(value_seed)]


def written(name: str, found: Uncertainty, figure: str, *, full: bool = True) -> str:
    """Write a report: ``table`` (whole, or what fits a screen), ``json`` or ``csv``."""
    if name == "json":
        return json.dumps(record_of(found), indent=2) + "\n"
    return to_csv(found) if name == "csv" else to_text(found, figure, full=full)


def record_of(found: Uncertainty) -> dict[str, Any]:
    """Return all of it for programs, with the versions."""
    return {**found.to_record(), "versions": versions()}


def to_csv(found: Uncertainty) -> str:
    """Write a row for each figure and value that moves it."""
    return csv_of([list(CSV_COLUMNS), *value_rows(found)])


def value_rows(found: Uncertainty) -> list[list[Any]]:
    """Return a row for each figure and value that moves it, as ``CSV_COLUMNS`` has them."""
    rows: list[list[Any]] = []
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
    return rows


def machines_csv(found: Uncertainty) -> str:
    """Write a row for each machine that was drawn: its values, and its figures.

    ``set``: a and b are the two halves of the sample; a name is that of the value (or group) of b
    in a machine of a.
    """
    return csv_of(machine_rows(found))


def machine_rows(found: Uncertainty) -> list[list[Any]]:
    """Return the head, and a row for each machine that was drawn; see :func:`machines_csv`."""
    names = [one.name for moved in found.moved for one in moved.group.values]
    sets = ["a", "b", *(moved.group.name for moved in found.moved)]
    rows: list[list[Any]] = [["set", *names, *found.figures]]
    for number, row in enumerate(found.sample):
        values = [row[name] for name in (*names, *found.figures)]
        rows.append([sets[number // found.points], *values])
    return rows


def to_text(found: Uncertainty, figure: str, *, full: bool = True) -> str:
    """Write it for people; values are ranked by what they do to ``figure``."""
    figures = table_of_texts(figure_heads(found), figure_rows(found, figure), "lrrr", "figure")
    first, *measured = of_model(figure)
    model: list[Block] = [first, Plain("\n".join(f"  {one}" for one in measured))]
    sections = [
        Section("", [figures], leads=True, name="figures"),
        Section("", [of_runs(found)], name="from run to run"),
        Section("", [of_values(found)], name="from values"),
        Section("", model, name="of the model"),
        _ranking(found, figure),
    ]
    return form_text(Page(title_of(found), [drawn_from(found)], [], sections), full=full)


def title_of(found: Uncertainty) -> str:
    """Say what it is about."""
    return f"{found.workload} on {found.machine}: how sure"


def drawn_from(found: Uncertainty) -> str:
    """Say which seeds the runs and the values are from, and of which input."""
    seed = f"runs from seed {found.seed}" if found.repeated.varies else "runs do not vary"
    return f"{seed}; values drawn with seed {found.value_seed}; input {found.digest[:12]}"


def figure_heads(found: Uncertainty) -> list[str]:
    """Return the head of the table of figures."""
    confidence = f"{100 * found.confidence:g} %"
    return ["figure", "as written", f"from run to run, {confidence}", f"from values, {confidence}"]


def figure_rows(found: Uncertainty, chosen: str) -> list[list[str]]:
    """Return the intervals of all figures that vary, of those that are equal the first."""
    rows, seen = list[list[str]](), set[tuple[float, ...]]()
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
    return rows


def _from_runs(repeated: Replicated | None) -> str:
    if repeated is None or not (repeated.varies and repeated.deviation):
        return "none"
    return interval(repeated.interval)


def of_runs(found: Uncertainty) -> str:
    """Say what the figures are from run to run."""
    if not found.repeated.varies:
        text = "nothing of this run is drawn, so that it does not vary."
    elif all(one.deviation == 0 for one in found.repeated.figures().values()):
        text = f"{len(found.repeated.rows)} runs with other draws gave the same figures."
    else:
        text = f"{len(found.repeated.rows)} runs with noise; the interval of their mean."
        if apart := [label(figure) for figure in found.figures if found.is_apart(figure)]:
            text += (
                " As written is one run without noise, and not within that interval:"
                f" {'; '.join(apart)}. Judge targets by the interval."
            )
    return f"From run to run: {text}"


def of_values(found: Uncertainty) -> str:
    """Say which values have ranges, and which are held."""
    groups = [*(one.group for one in found.moved), *found.still]
    if not groups:
        return f"From values: no assumed or calibrated value has a range. {_held(found)}".rstrip()
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
    return f"{text}. {_held(found)}".rstrip()


def _held(found: Uncertainty) -> str:
    held = []
    if found.held.other:
        held.append(f"{found.held.other} assumed or calibrated sizes, counts, shares and words")
    if found.held.unsourced:
        held.append(f"{found.held.unsourced} values without a source")
    return f"Held as they are, without a range: {' and '.join(held)}." if held else ""


def of_model(figure: str) -> list[str]:
    """Say how far the model was from what was measured of such figures: a sentence, and each."""
    measured = model_error(figure)
    if not measured:
        return [
            f"Of the model: of figures like this ({label(figure)}) validation has measured no"
            " error; it is in no interval here."
        ]
    first = (
        "Of the model, in no interval here: on other machines, what was predicted was so far from"
        " what was measured:"
    )
    return [first, *(one.sentence() for one in measured)]


def _ranking(found: Uncertainty, figure: str) -> Section:
    """Return the values by what they explain; all of them, since a screen cuts them."""
    ranked, name = found.ranked(figure), "measure this first"
    if not ranked:
        return Section("", [nothing_first(figure)], leads=True, name=name)
    rows = [ranked_row(figure, moved, index) for moved, index in ranked]
    values = table_of_texts(RANKED, rows, "llrrrr", "value")
    return Section(f"{label(figure)}:", [values, EXPLAINS], leads=True, name=name)


def nothing_first(figure: str) -> str:
    """Say that no value moves a figure."""
    return f"Nothing to measure first: {label(figure)} is the same on all machines drawn."


def ranked_row(figure: str, moved: Moved, index: Index) -> list[str]:
    """Return what a value does to a figure, as ``RANKED`` has it."""
    low, high = moved.ends(figure)
    first = [share_of(one) for one in (index.first, *index.first_interval)]
    ends = "-" if low is None or high is None else f"{digits(low)} - {digits(high)}"
    return [
        moved.group.name,
        "; ".join(one.words() for one in moved.group.values),
        ends,
        f"{first[0]} % ({first[1]} - {first[2]})",
        f"{share_of(index.total)} %",
        f"{100 * index.left:.0f} %",
    ]


def share_of(index: float) -> str:
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
    names = [f"{moved.group.name}\n{share_of(index.first)} %" for moved, index in ranked]
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
