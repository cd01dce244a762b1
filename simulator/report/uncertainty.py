"""The page of an uncertainty study: sources of doubt, and the value to measure first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.page import (
    Block,
    Browser,
    Drawn,
    Lines,
    Markup,
    Page,
    Plain,
    Section,
    Table,
    Terminal,
    table_of_texts,
)
from simulator.report.replications import interval, label
from simulator.report.scales import shown
from simulator.report.versions import versions
from simulator.study.modelerror import model_error
from simulator.study.ranges import BAND, FACTOR
from simulator.study.replications import Replicated
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from simulator.study.sample import Index
    from simulator.study.uncertainty import Moved, Uncertainty

DOUBT = "Where the doubt comes from"
MOST_ROWS = 12
"""Values in the plot."""
LOW, HIGH = 0, 1
"""Places in the palette: of a value at its 5 % quantile, and at its 95 % quantile."""
_MARGIN = 0.02
"""Share of the width that is left free at either end."""
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


def uncertainty_page(found: Uncertainty, figure: str, command: Sequence[str] = ()) -> Page:
    """Return a study as a page; values are ranked by what they do to ``figure``."""
    figures = figure_rows(found, figure)
    table = table_of_texts(figure_heads(found), figures, "lrrr", "figure", "figures")
    first, *measured = of_model(figure)
    model: list[Block] = [first, Terminal(Plain("\n".join(f"  {one}" for one in measured)))]
    model.append(Drawn(lambda: [Lines(measured)]))
    return Page(
        f"{found.workload} on {found.machine}: how sure",
        [drawn_from(found)],
        [],
        [
            Section("", [table], leads=True, name="figures", heading="How sure each figure is"),
            Section("", [of_runs(found)], name="from run to run", heading=DOUBT),
            Section("", [of_values(found)], name="from values", heading=DOUBT),
            Section("", model, name="of the model", heading=DOUBT),
            _ranking(found, figure),
            Section("", [Drawn(lambda: [_values(found)])], heading="Values with a range"),
        ],
        lambda: record_of(found),
        lambda: [list(CSV_COLUMNS), *value_rows(found)],
        lambda: Browser(answer=_answer(found, figure, figures[0]), command=command),
    )


def record_of(found: Uncertainty) -> dict[str, Any]:
    """Return all of it for programs, with the versions."""
    return {**found.to_record(), "versions": versions()}


def _answer(found: Uncertainty, figure: str, row: Sequence[str]) -> list[str]:
    told = [
        f"{row[0]}: {row[1]} as written; from run to run {row[2]}; from values {row[3]}"
        f" ({100 * found.confidence:g} % each; the model's own error is in neither)."
    ]
    if not (ranked := found.ranked(figure)):
        return [*told, nothing_first(figure)]
    moved, index = ranked[0]
    explains = f"it explains {share_of(index.first)} % of what the values leave open."
    return [*told, f"Measure {moved.group.name} first: {explains}"]


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


def machine_rows(found: Uncertainty) -> list[list[Any]]:
    """Return the head, and a row for each machine that was drawn: its values, and its figures.

    ``set``: a and b are the two halves of the sample; a name is that of the value (or group) of b
    in a machine of a.
    """
    names = [one.name for moved in found.moved for one in moved.group.values]
    sets = ["a", "b", *(moved.group.name for moved in found.moved)]
    rows: list[list[Any]] = [["set", *names, *found.figures]]
    for number, row in enumerate(found.sample):
        values = [row[name] for name in (*names, *found.figures)]
        rows.append([sets[number // found.points], *values])
    return rows


def drawn_from(found: Uncertainty) -> str:
    """State which seeds the runs and the values are from, and of which input."""
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
                shown(found.written[figure], 4),
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
    """State what the figures are from run to run."""
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
    """State which values have ranges, and which are held."""
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
    """State how far the model was from what was measured of such figures: a sentence, and each."""
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
    values = table_of_texts(RANKED, rows, "llrrrr", "value", "ranked")
    blocks: list[Block] = [Drawn(lambda: [_tornado(found, figure)]), values, EXPLAINS]
    title = f"{label(figure)}:"
    return Section(title, blocks, leads=True, name=name, heading="Measure this first")


def _values(found: Uncertainty) -> Table:
    """Return the values that have a range, and whether they move a figure."""
    groups = [*((one.group, "yes") for one in found.moved), *((one, "no") for one in found.still)]
    rows = [
        [one.name, one.text, one.kind, one.words(), moves]
        for group, moves in groups
        for one in group.values
    ]
    head = ("value", "is", "source", "range", "moves a figure")
    return table_of_texts(head, rows, "lllll", "value", "values")


def nothing_first(figure: str) -> str:
    """State that no value moves a figure."""
    return f"Nothing to measure first: {label(figure)} is the same on all machines drawn."


def ranked_row(figure: str, moved: Moved, index: Index) -> list[str]:
    """Return what a value does to a figure, as ``RANKED`` has it."""
    low, high = moved.ends(figure)
    first = [share_of(one) for one in (index.first, *index.first_interval)]
    ends = "-" if low is None or high is None else f"{shown(low, 4)} - {shown(high, 4)}"
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


def _tornado(found: Uncertainty, figure: str) -> Markup:
    """Draw how far each value alone moves a figure, the one that explains most on top."""
    from simulator.report.html.page import bars
    from simulator.report.html.svg import Piece

    ranked, middle = found.ranked(figure)[:MOST_ROWS], found.written[figure]
    spread = found.spread(figure)
    assert spread is not None  # Else there are no indices.
    ends = [end for moved, _ in ranked for end in moved.ends(figure) if end is not None]
    least, most = (float(of((middle, *spread.interval, *ends))) for of in (min, max))
    width = (most - least) / (1 - 2 * _MARGIN) or 1.0  # All the same: one line in the middle.

    def place(value: float) -> float:
        return _MARGIN + (value - least) / width

    listed = []
    for moved, index in ranked:
        pieces = [
            Piece(
                abs(end - middle) / width, colour, "", False, shown(end, 4), place(min(end, middle))
            )
            for end, colour in zip(moved.ends(figure), (LOW, HIGH), strict=True)
            if end is not None
        ]
        told = ranked_row(figure, moved, index)
        listed.append((f"{moved.group.name}, {share_of(index.first)} %", told[2], pieces))
    band = place(spread.interval[0]), place(spread.interval[1])
    caption = (
        f"{label(figure)}, one value at a time: blue with the value at its 5 % quantile, orange at"
        f" 95 %; the line is {shown(middle, 4)}, as written; the box is"
        f" {interval(spread.interval)}, from all values together."
    )
    return bars(listed, f"Tornado of {label(figure)}: ", caption, band=band, mark=place(middle))
