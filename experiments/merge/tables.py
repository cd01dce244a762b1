"""Tables of the study of merges: simulated and measured times, and their components."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.report.lined import ruled

from .compared import cells, mean_error_percent
from .formulas import AUTHORS, Rates, by, seconds
from .runs import HDD, SERIES, SPLIT, MergeRuns, measured

CALLED = {
    ("merge", "hdd"): "merges, hard disk",
    ("merge", "ssd"): "merges, SSD",
    ("split", "hdd"): "splits, hard disk",
}


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = ruled(head, rows)
    return f"{title}\n{text}"


def mean_errors(runs: MergeRuns) -> list[list[str]]:
    """Return a row for each series: the mean errors of the simulator and of formulas, in %."""
    rows = []
    for what, disk in SERIES:
        of = cells(what, disk)
        models = (runs.seconds, by(Rates()), *((by(AUTHORS),) if disk == HDD else ()))
        errors = [f"{mean_error_percent(one, of):.1f}" for one in models]
        inside = sum(abs(runs.error(cell)) <= 0.1 for cell in of)
        rows.append(
            [CALLED[what, disk], *errors, *["-"] * (3 - len(errors)), f"{inside} of {len(of)}"]
        )
    return rows


def heart(runs: MergeRuns) -> tuple[str, ...]:
    """Return the main result: the mean errors."""
    said = "; ".join(f"{row[0]} {row[1]} % (formulas {row[2]} %)" for row in mean_errors(runs))
    return (f"Mean error {said}.", "Frozen before the measured times were looked at.")


def error_table(runs: MergeRuns) -> str:
    """Return the mean errors of the simulator, formulas, and the authors' model."""
    head = ("", "this simulator", "formulas", "the authors' model", "within 10 %")
    return _table("Mean error, %", head, mean_errors(runs))


def time_table(runs: MergeRuns, what: str, disk: str) -> str:
    """Return simulated and measured times of a series, and their components."""
    rows = []
    for cell in cells(what, disk):
        own, there = runs.times(cell), measured(cell)
        pairs = ((own.read, there.read), (own.write, there.write), (own.program, there.program))
        rows.append(
            [
                " ".join(map(str, cell[2:])),
                f"{own.whole:.0f}",
                f"{there.whole:.0f}",
                f"{100 * runs.error(cell):+.1f}",
                *(f"{one:.0f} / {other:.0f}" for one, other in pairs),
                f"{seconds(Rates(), cell=cell):.0f}",
            ]
        )
    head = ("way, GB", "here", "measured", "%", "reads", "writes", "program", "formulas")
    of = "of splits formulas take the seeks of the merge" if what == SPLIT else "here / measured"
    return _table(f"{CALLED[what, disk].capitalize()}, s ({of})", head, rows)
