"""Results with a page: their text, HTML, and record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.report.page import Page


class Paged(ABC):
    """A result whose report is a page; ``print(result)`` writes the table of its command."""

    @abstractmethod
    def _page(self) -> Page:
        """Return the report before formatting."""

    @cached_property
    def _record(self) -> dict[str, Any]:
        from simulator.report.forms import versioned

        return versioned(self._page().record())

    def to_dict(self) -> dict[str, Any]:
        """Return the record written by the command with ``--format json``, times in ns."""
        return dict(self._record)

    def to_html(self) -> str:
        """Return the page written by the command with ``--html``: it needs no network."""
        return self._written("html")

    def _written(self, form: str, *, full: bool = True) -> str:
        from simulator.report.forms import written

        return written(self._page(), form, full=full)

    def __str__(self) -> str:
        return self._written("table")
