"""Reports of a run by their names: the forms of its page, and those that a user adds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from simulator.kinds import class_of, names
from simulator.report import formats, forms

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome

FIRST = "table"
"""The report that is made if none is asked for."""


class Report(ABC):
    """A report of a run."""

    @abstractmethod
    def write(self, outcome: Outcome) -> str:
        """Return the report; ``outcome`` has the plan and the result of the run."""


OWN = (FIRST, "csv", "json", "markdown")


def report_names() -> tuple[str, ...]:
    """Return the names of all reports, the usual one first; a user's own folder may have more."""
    return (*OWN, *(name for name in names("report/formats") if name not in OWN))


def written(name: str, outcome: Outcome) -> str:
    """Return the report of that name."""
    if name == "json":  # Without the page, which takes longer than the record.
        return forms.json_text(outcome.to_record())
    if name in OWN:
        return forms.written(outcome.page(), name, full=not outcome.short)
    report: Report = class_of(formats, name, Report)()  # type: ignore[type-abstract]
    return report.write(outcome)
