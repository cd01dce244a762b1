"""For people: the answer, where the time went, and what each resource did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.report import Report

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome


class Table(Report):
    """The report ``table``."""

    def write(self, outcome: Outcome) -> str:
        """Return the report."""
        return outcome.to_text()
