"""The NWT in production as a page: tables 2.1, 2.2 and 4.1 beside the simulator's, and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from simulator.report.page import Column, Page, Section, Table
from simulator.wording import counted, percent

from ..tables import tables
from .claims import Outcome, outcomes
from .months import errors, stored
from .runs import CHANGES, SHOWN, CentreRuns
from .years import hours_on, mean_pes

INPUTS = (
    "Inputs: jobs and PE-hours of each class and year, hours of power (from the printed"
    " utilisation), CPU times and mean file sizes. So PE-hours and utilisation are no predictions;"
    " waits, saturation and rates are. Of the rates three values were calibrated on table 4.1."
)
RATES_NOTE = (
    "CPU s and MB are inputs; paper and simulated: mean rate in MB/s, bytes over elapsed less CPU"
    " time."
)
CHANGES_NOTE = "Differences from the run as it is, of the same seeds, with 95 % intervals."
FIGURE_NAMES = {
    "mean_MBps": "mean rate (MB/s)",
    "wait_h": "mean wait (h)",
    "pe_hours": "PE-hours",
    "utilisation": "utilisation",
    "hits": "SSU hits",
}


def production_page(runs: CentreRuns) -> Page:
    """Return the page of some runs."""
    years, rates = _years(runs), _rates(runs)
    found = outcomes(runs)
    held = sum(one.holds for one in found)
    correlation, off = errors(runs.months()["rates"])
    answer = [
        f"{held} of {counted(len(found), 'prediction')} made before the runs hold;"
        f" table 4.1's mean rates: rank correlation {correlation:.2f},"
        f" median error {percent(off, 1)}."
    ]
    sections = [Section(one.title, [one], leads=True) for one in (years, rates, _outcomes(found))]
    changes = _changes(runs) if runs.full else _stored_changes()
    sections.append(Section(changes.title, [changes], leads=True))
    return Page(
        "The NWT in production: tables 2.1, 2.2 and 4.1",
        [INPUTS],
        answer,
        sections,
        lambda: _record(runs, found),
        lambda: _rows(found),
    )


def _years(runs: CentreRuns) -> Table:
    """Return tables 2.1 and 2.2 by year, with hours of power, and what the queue makes of them."""
    printed, rows = tables(), []
    for at, name in enumerate(printed.years):
        easy = runs.waits(name, "easy")
        rows.append(
            [
                name,
                printed.jobs.totals[at],
                printed.cpu_time.totals[at],
                printed.utilisation[at],
                mean_pes(name),
                hours_on(name),
                easy.utilisation,
                easy.mean_h,
                max(easy.of_class.values()),
            ]
        )
    return Table(
        "years",
        "Tables 2.1 and 2.2 (paper, inputs), and the same jobs in a queue with EASY backfill",
        (
            Column("year", "year"),
            Column("jobs", "jobs", "count"),
            Column("pe_hours", "PE-hours", "count"),
            Column("utilisation", "used", "share"),
            Column("pes", "PEs", "ratio"),
            Column("hours", "hours on", "ratio"),
            Column("simulated_utilisation", "simulated", "share"),
            Column("wait_h", "mean wait (h)", "ratio"),
            Column("class_wait_h", "worst class (h)", "ratio"),
        ),
        rows,
        noun="year",
    )


def _rates(runs: CentreRuns) -> Table:
    """Return table 4.1 in two halves side by side."""
    made = runs.months()["rates"]
    rows = [
        [one.pes, one.cpu_s, one.mean_MB, one.mean_MBps, made.get(one.pes)]
        for one in tables().production
    ]
    half = -(-len(rows) // 2)
    empty = [None] * 5
    both = [
        [*rows[place], *(rows[place + half] if place + half < len(rows) else empty)]
        for place in range(half)
    ]
    columns = [
        Column(f"{key}{side}", heading, "count" if key == "pes" else "decimal")
        for side in ("", "_2")
        for key, heading in (
            ("pes", "PEs"),
            ("cpu_s", "CPU s"),
            ("mean_MB", "MB"),
            ("paper_MBps", "paper"),
            ("simulated_MBps", "simulated"),
        )
    ]
    return Table(
        "rates", "Table 4.1, mean rates", columns, both, note=RATES_NOTE, noun="row", whole=True
    )


def _outcomes(found: Sequence[Outcome]) -> Table:
    """Return a row for each prediction."""
    rows = [
        [
            one.prediction.id,
            one.prediction.by,
            "; ".join(_range(name, *bounds) for name, bounds in one.prediction.figures.items()),
            "; ".join(f"{_figure(value)}" for value in one.found.values()),
            "holds" if one.holds else "contradicted",
        ]
        for one in found
    ]
    return Table(
        "predictions",
        "Predictions, and what was found (their sentences: --format json)",
        (
            Column("id", "prediction"),
            Column("by", "by"),
            Column("expected", "expected"),
            Column("found", "found"),
            Column("verdict", "verdict"),
        ),
        rows,
        noun="prediction",
    )


def _range(name: str, least: float, most: float) -> str:
    words = name.rpartition("_")[2] if name.endswith(("_h", "_s")) else ""
    bounds = _figure(least) if least == most else f"{_figure(least)} to {_figure(most)}"
    return f"{bounds} {words}".strip()


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"


def _changes(runs: CentreRuns) -> Table:
    """Return what changes would bring: differences with the same seeds, and 95 % intervals."""
    rows = []
    for change in CHANGES:
        made = {name: runs.difference(change, name) for name in SHOWN}
        cells = [f"{one.mean:+.3g} +- {one.half:.2g}" for one in made.values()]
        rows.append([change.name, *cells])
    first = {name: runs.difference(CHANGES[0], name).as_it_is for name in SHOWN}
    rows.insert(0, ["as it is", *(f"{value:.4g}" for value in first.values())])
    columns = [Column("change", "change")]
    columns += [Column(name, FIGURE_NAMES[name], "text") for name in SHOWN]
    title = "What changes would bring"
    return Table("changes", title, columns, rows, note=CHANGES_NOTE, noun="change")


def _stored_changes() -> Table:
    """Return what changes bring by the stored runs."""
    known = stored()
    rows = [
        [name, *(f"{mean:+.3g} +- {half:.2g}" for mean, half in found.values())]
        for name, found in known["changes"].items()
    ]
    first = next(iter(known["changes"].values()))
    columns = [Column("change", "change")]
    columns += [Column(name, FIGURE_NAMES[name], "text") for name in first]
    title = f"What changes would bring (runs of {known['made']}; --full makes them again)"
    return Table("changes", title, columns, rows, note=CHANGES_NOTE, noun="change")


def _record(runs: CentreRuns, found: Sequence[Outcome]) -> dict[str, Any]:
    """Return the record for programs."""
    record: dict[str, Any] = {
        "study": "nwt",
        "seed": runs.seed,
        "years": {
            name: {
                "jobs": tables().jobs.totals[at],
                "pe_hours": tables().cpu_time.totals[at],
                "utilisation": tables().utilisation[at],
                "hours_on": hours_on(name),
                "simulated": asdict(runs.waits(name, "easy")),
            }
            for at, name in enumerate(tables().years)
        },
        "months": {
            key: dict(value) if isinstance(value, dict) else value
            for key, value in runs.months().items()
        },
        "predictions": [
            {
                **asdict(one.prediction),
                "found": dict(one.found),
                "holds": one.holds,
                "wrong": one.wrong,
            }
            for one in found
        ],
    }
    if runs.full:
        record["changes"] = {
            change.name: {name: asdict(runs.difference(change, name)) for name in SHOWN}
            for change in CHANGES
        }
    return record


def _rows(found: Sequence[Outcome]) -> list[list[Any]]:
    """Return a row for each figure of each prediction."""
    rows: list[list[Any]] = [["prediction", "by", "figure", "least", "most", "found", "holds"]]
    for one in found:
        known = one.prediction.id, one.prediction.by
        for name, (least, most) in one.prediction.figures.items():
            rows.append([*known, name, least, most, one.found[name], name not in one.wrong])
    return rows
