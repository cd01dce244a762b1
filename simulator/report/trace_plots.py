"""The plot of each report on a trace, as bytes of a picture."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import matplotlib as mpl
from matplotlib.figure import Figure

from simulator.report.plots import png, svg
from simulator.report.trace_bars import draw_check, draw_sizes, draw_summary
from simulator.report.trace_over_time import draw_calls, draw_rate
from simulator.report.trace_scatter import draw_offsets

DRAWN: dict[str, Callable[..., Figure]] = {
    "summary": draw_summary,
    "sizes": draw_sizes,
    "calls": draw_calls,
    "rate": draw_rate,
    "offsets": draw_offsets,
    "check": draw_check,
}
"""What draws the report of each subcommand."""


def picture_bytes(figure: Figure, suffix: str) -> bytes:
    """Return a figure as PNG, or as SVG with texts that can be searched."""
    with warnings.catch_warnings():
        # A name in letters that the font lacks is drawn with boxes; the tables have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        if suffix == ".svg":
            with mpl.rc_context({"svg.fonttype": "none"}):
                return svg(figure)
        return png(figure)
