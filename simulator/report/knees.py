"""Knees of curves, where another doubling stops paying: in words, and for programs.

Rows of the table are the same on a terminal and on a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.lined import table
from simulator.study.curves import SAME, families, idle, measured
from simulator.study.knees import SHARE, Knee, knee_of, knees_of
from simulator.units import format_rate, format_size, format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.study.curves import Curve, Family
    from simulator.study.knees import Doubling
    from simulator.study.replications import Replications
    from simulator.study.sweep import Swept

LABELS = {
    "elapsed_s": "elapsed time",
    "read_MBps": "read rate",
    "write_MBps": "write rate",
    "stable_MBps": "rate to stable storage",
}
MOST_CURVES = 6
"""Curves of one figure over one axis with a row each; more are summed up in one."""
MOST_NAMES = 6
"""Curves that are the same, by their names; of more, the first two and the last."""
MOST_ROWS = 24
MOST_LINES = 12
TITLE = f"Where another doubling stops paying (less than {100 * SHARE:g} % better)"
WITHIN = f"within {100 * SAME:g} %"


def knees_text(swept: Swept) -> str:
    """Return the table of knees, and which curves are the same; empty if there is nothing to say.

    Of a part, or of more than 10,000 points, nothing is said.
    """
    found = families(swept)
    alike = same_lines(found)
    if more := len(alike) - MOST_LINES:
        alike = alike[:MOST_LINES] + ([f"... and {counted(more, 'more line')}"] if more > 0 else [])
    head, rows = knee_rows(found, swept.sweep.replications)
    if not rows:
        return "\n".join(alike)
    listed = table(head, rows[:MOST_ROWS], "l" * len(head))
    if (left := len(rows) - MOST_ROWS) > 0:
        listed += f"\nand {counted(left, 'more row')}"
    return "\n".join([*alike, *([""] if alike else []), f"{TITLE}:", "", listed])


# -- the same curves ------------------------------------------------------------------------------


def same_lines(found: Sequence[Family]) -> list[str]:
    """State which curves are the same: over all values of another axis, or some lines of a plot."""
    several = bool(found) and bool(found[0].curves[0].others)
    axes = {family.axis.name: family.axis for family in found}
    still = idle(found)
    told: dict[str, list[str]] = {}
    for name, figures in still.items():
        if several or not measured(axes[name]):
            told[f"the same for all values of {name} {WITHIN}"] = figures
    for family in found:
        groups = family.groups()
        for group in groups:
            if len(groups) > 1 and len(group) > 1 and len(group[0].others) == 1:
                what = f"the same for {names_of(group)} {WITHIN}, over {family.axis.name}"
                told.setdefault(what, []).append(family.figure)
    return [f"{_listed(figures)}: {what}" for what, figures in told.items()]


def _listed(figures: Sequence[str]) -> str:
    text = ", ".join(LABELS[one] for one in figures)
    return text[:1].upper() + text[1:]


def names_of(group: Sequence[Curve]) -> str:
    """Name curves that are the same: ``policy=nwt, flang``; empty for the only one of a plot."""
    one_axis = len(group[0].others) == 1
    names = [curve.others[0][1] if one_axis else curve.name for curve in group]
    if len(names) > MOST_NAMES:
        names = [*names[:2], "...", f"{names[-1]} ({len(names):,} of them)"]
    text = (", " if one_axis else "; ").join(names)
    return f"{group[0].others[0][0]}={text}" if one_axis else text


# -- the table ------------------------------------------------------------------------------------


def knee_rows(
    found: Sequence[Family], replications: Replications | None
) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of the table of knees: of curves that are the same, one."""
    still = idle(found)
    rows = []
    for family in found:
        several = bool(family.curves[0].others)
        if not measured(family.axis) or (
            several and family.figure in still.get(family.axis.name, ())
        ):
            continue
        groups = family.groups()
        knees = [(group, knee_of(group[0], replications)) for group in groups]
        what = [LABELS[family.figure], family.axis.name]
        if len(groups) > MOST_CURVES:
            rows.append([*what, counted(len(family.curves), "curve"), *_summed(knees)])
        else:
            of = ["" if len(groups) == 1 else names_of(group) for group in groups]
            rows += [[*what, one, *_cells(knee)] for one, (_, knee) in zip(of, knees, strict=True)]
    head = ["figure", "over", "at", "knee", "lies", "a doubling changes"]
    if any(row[-1] for row in rows) and replications is not None:
        head.append(f"{100 * replications.confidence:g} % from run to run")
    else:
        rows = [row[:-1] for row in rows]
    if not any(row[2] for row in rows):
        head, rows = [*head[:2], *head[3:]], [[*row[:2], *row[3:]] for row in rows]
    return head, rows


def _cells(knee: Knee) -> list[str]:
    """Return the cells of a knee: what it is, where it lies, doublings around it, what is sure."""
    if knee.state == "none":
        return ["none", knee.why, "", ""]
    what = knee.text(knee.at) or "not reached"
    shown = [_changed(knee, one) for one in around(knee)]
    sure = ""
    if knee.replicated:
        sure = "sure" if knee.sure else _lies(knee, knee.surely)
    return [what, _lies(knee, knee.bounds), ", ".join(shown), sure]


def _lies(knee: Knee, bounds: tuple[float | None, float | None]) -> str:
    low, high = map(knee.text, bounds)
    if low is None:
        return "open" if high is None else f"up to {high}"
    return f"above {low}" if high is None else f"{low} - {high}"


def around(knee: Knee) -> list[Doubling]:
    """Return the last doubling that pays, and the first of those after it that do not."""
    last = knee.last_paying
    after = [one for one in knee.doublings if last is None or one.start > last.start]
    return [*([last] if last else []), *after[:1]]


def _changed(knee: Knee, one: Doubling) -> str:
    axis = knee.curve.axis
    where = (
        knee.text(one.start) if one.start in (axis.numbers or ()) else spelt(one.start, axis.unit)
    )
    return f"{'~' if one.between else ''}{signed(one.change)} from {where}"


def signed(change: float) -> str:
    """Write a change in percent.

    >>> signed(0.25), signed(-0.004), signed(1.5)
    ('+25.0 %', '-0.4 %', '+150.0 %')
    """
    return f"{100 * change:+,.1f} %"


def _summed(knees: Sequence[tuple[Sequence[Curve], Knee]]) -> list[str]:
    """Sum up the knees of many curves in the cells of one row."""
    counts = dict.fromkeys(("knee", "not reached", "none"), 0)
    for group, knee in knees:
        counts[knee.state] += len(group)
    reasons = {knee.why.partition(",")[0] for _, knee in knees}
    if not counts["knee"] and not counts["not reached"] and len(reasons) == 1:
        return ["none", reasons.pop(), "", ""]
    at = {knee.at: knee.text(knee.at) for _, knee in knees if knee.at is not None}
    nowhere = "not reached" if counts["not reached"] else "none"
    ends = dict.fromkeys([at[min(at)], at[max(at)]] if at else [nowhere])
    where = {"knee": "in", "not reached": "not reached in", "none": "none in"}
    lies = [f"{where[state]} {many:,}" for state, many in counts.items() if many]
    return [" to ".join(map(str, ends)), ", ".join(lies), "", ""]


def note_of(rows: Sequence[Sequence[str]]) -> str:
    """State what stands in the table."""
    told = (
        f"The knee is the first value from which on no doubling within the grid makes the figure"
        f" better by {100 * SHARE:g} % or more."
    )
    guessed = any("~" in cell for row in rows for cell in row)
    return told + (" ~: interpolated between values of the grid." if guessed else "")


# -- for programs ---------------------------------------------------------------------------------


def knees_record(swept: Swept) -> dict[str, Any]:
    """Return the knees of all curves, and axes that make no difference, for programs."""
    found = families(swept)
    return {
        "knees": [knee_record(one) for one in knees_of(found, swept.sweep.replications)],
        "same": [{"axis": name, "figures": figures} for name, figures in idle(found).items()],
    }


def knee_record(knee: Knee) -> dict[str, Any]:
    """Return one knee: values of the grid as their user wrote them, changes as fractions."""
    record: dict[str, Any] = {
        "figure": knee.curve.figure,
        "axis": knee.curve.axis.name,
        "others": dict(knee.curve.others),
        "share": knee.share,
        "state": knee.state,
        "why": knee.why or None,
        "knee": knee.text(knee.at),
        "above": knee.text(knee.bounds[0]),
        "up_to": knee.text(knee.bounds[1]),
    }
    if knee.replicated:
        low, high = map(knee.text, knee.surely)
        record |= {"surely_above": low, "surely_up_to": high, "sure": knee.sure}
    if knee.state != "none":
        record["doublings"] = [
            {"from": one.start, "change": one.change, "pays": one.pays}
            | ({"sure": one.sure} if knee.replicated else {})
            | ({"interpolated": True} if one.between else {})
            for one in around(knee)
        ]
    return record


def spelt(value: float, unit: str) -> str:
    """Write a number of an axis in its unit.

    >>> spelt(1.5e6, "bytes"), spelt(2.5e9, "ns"), spelt(12, "percent"), spelt(3, "")
    ('1.5 MB', '2.50 s', '12 %', '3')
    """
    if value < 0:
        return ""
    if unit == "bytes":
        return format_size(round(value))
    if unit == "ns":
        return format_time(value)
    if unit == "Bps":
        return format_rate(value).partition(" (")[0]
    return f"{value:g} %" if unit == "percent" else f"{value:g}"
