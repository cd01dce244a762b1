"""For programs: every number, as docs/results.md describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.report import Report

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome


class Json(Report):
    """The report ``json``."""

    def write(self, outcome: Outcome) -> str:
        """Return the report."""
        return outcome.to_json()
