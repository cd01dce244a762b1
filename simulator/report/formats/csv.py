"""A row for each process, with waiting and service in each column of its account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.report import Report

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome


class Csv(Report):
    """The report ``csv``."""

    def write(self, outcome: Outcome) -> str:
        """Return the report."""
        return outcome.to_csv()
