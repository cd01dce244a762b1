"""The page of a replay: that of the run, with observed and predicted times side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.html import reports
from simulator.report.html.markup import tag
from simulator.report.html.page import Section, paragraphs
from simulator.report.replay import compared
from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.report.html.run import RunPage
    from simulator.study.replay import Replay

MOST_FILES = 25


def replay_page(run: RunPage, done: Replay) -> str:
    """Return the page of a replay; ``run`` is that of its run."""
    report = compared(done, None)
    observed, predicted = done.observed.elapsed_ns, done.result.elapsed_ns
    told = f"Observed {format_time(observed)}; predicted on {done.result.machine}"
    told += f" {format_time(predicted)}."
    beside = Section(
        "Observed and predicted",
        [
            tag("p", told),
            reports.tables(report, "Times by call", names=("calls",)),
            reports.tables(report, "Times by file", names=("files",), most=MOST_FILES),
            paragraphs(report.notes),
            reports.notes(report)[-1:],
        ],
    )
    return run.with_sections([told], [beside])
