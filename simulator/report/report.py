"""What a report of a run is: text made of a finished run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.kinds import class_of, names
from simulator.report import formats

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome

FIRST = "table"
"""The report that is made if none is asked for."""


class Report(ABC):
    """A report of a run."""

    @abstractmethod
    def write(self, outcome: Outcome) -> str:
        """Return the report; ``outcome`` has the plan and the result of the run."""


_OWN: dict[str, Callable[[Outcome], str]] = {
    FIRST: lambda outcome: outcome.to_text(),
    "csv": lambda outcome: outcome.to_csv(),
    "json": lambda outcome: outcome.to_json(),
    "markdown": lambda outcome: outcome.to_markdown(),
}


def report_names() -> tuple[str, ...]:
    """Return the names of all reports, the usual one first; a user's own folder may have more."""
    return (*_OWN, *(name for name in names("report/formats") if name not in _OWN))


def written(name: str, outcome: Outcome) -> str:
    """Return the report of that name."""
    if name in _OWN:
        return _OWN[name](outcome)
    report: Report = class_of(formats, name, Report)()  # type: ignore[type-abstract]
    return report.write(outcome)
