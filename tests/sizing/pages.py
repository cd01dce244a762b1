"""An answer in the forms that ``nwtsim size`` writes."""

from __future__ import annotations

from simulator.report.forms import written
from simulator.report.size import size_page
from simulator.sizing.planned import Planned
from simulator.sizing.sized import Sized


def written_size(found: Sized | Planned, form: str = "table", *, full: bool = False) -> str:
    """Return the page of an answer in a form."""
    return written(size_page(found, ["nwtsim", "size"]), form, full=full)


def said(found: Sized | Planned, form: str = "table", *, full: bool = False) -> str:
    """Return the words of the page, on one line."""
    return " ".join(written_size(found, form, full=full).split())
