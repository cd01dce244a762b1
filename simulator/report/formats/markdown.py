"""For people, in Markdown: what the table has, for an issue, a wiki or a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.page import page_markdown
from simulator.report.report import Report

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome


class Markdown(Report):
    """The report ``markdown``."""

    def write(self, outcome: Outcome) -> str:
        """Return the report."""
        return page_markdown(outcome.page())
