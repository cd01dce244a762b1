"""An answer in the forms that ``nwtsim size`` writes."""

from __future__ import annotations

from simulator.report.forms import written
from simulator.report.size import size_page
from simulator.sizing.sized import Sized


def written_size(found: Sized, form: str = "table", *, full: bool = False) -> str:
    """Return the page of an answer in a form."""
    return written(size_page(found, ["nwtsim", "size"]), form, full=full)
