"""Picture of a study: the paper's runs and the simulated ones, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.study.ledger import FigureResult, Ledger

PAPER = "#b35806"
SIMULATED = "#2166ac"
PREDICTED = "#1b7837"


def draw_comparison(
    ledger: Ledger, path: Path, left_out: Mapping[str, float] | None = None
) -> None:
    """Draw means and ranges of the cells of all tables, in MB/s on a logarithmic axis.

    ``left_out``: the prediction of each cell by a fit to the others, by its id. Tables and cells
    have the names of the study's first screen. The picture is PNG or SVG by its name, and
    reproducible from the same ledger.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "nwtsim"
    results = {one.figure.id: one for one in ledger.figures}
    tables = ledger.study.screen.tables
    figure, axes = plt.subplots(
        len(tables),
        1,
        sharex=True,
        figsize=(8, 6.8),
        height_ratios=[len(rows) for rows in tables.values()],
        squeeze=False,
        layout="constrained",
    )
    for axis, (title, rows) in zip(axes[:, 0], tables.items(), strict=True):
        cells = [results[name] for name in rows.values()]
        _draw_table(axis, list(rows), cells, left_out or {})
        axis.set_title(title, loc="left", fontsize=10)
    axes[-1, 0].set_xlabel("MB/s ($10^6$ bytes per second)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=1)
    metadata = {"Software": None} if path.suffix == ".png" else {"Date": None}
    figure.savefig(path, dpi=120, metadata=metadata)
    plt.close(figure)


def _draw_table(
    axis: Axes,
    labels: Sequence[str],
    cells: Sequence[FigureResult],
    left_out: Mapping[str, float],
) -> None:
    for row, one in enumerate(cells):
        paper, simulated = one.figure, one.simulated
        printed = fmean(paper.runs)
        of_paper = "the paper of 1998: mean, fastest and slowest run"
        fitted = "simulated, fitted to all of these numbers: mean, fastest and slowest run"
        bars = (
            (-0.2, paper.low, printed, paper.high, PAPER, of_paper),
            (0.03, min(one.rates), simulated, max(one.rates), SIMULATED, fitted),
        )
        for shift, low, mean, high, colour, label in bars:
            axis.plot([low, high], [row + shift] * 2, color=colour, linewidth=3, alpha=0.45)
            axis.plot([mean], [row + shift], "o", color=colour, label="" if row else label)
        told = [printed, simulated]
        if (predicted := left_out.get(paper.id)) is not None:
            label = "predicted: simulated after a fit to the other numbers only"
            axis.plot(
                [predicted],
                [row + 0.26],
                linestyle="",
                marker="D",
                color=PREDICTED,
                markerfacecolor="white",
                label="" if row else label,
            )
            told.append(predicted)
        axis.annotate(
            " | ".join(f"{rate:.1f}" for rate in told),
            (max(paper.high, *one.rates, *told), row),
            xytext=(9, 0),
            textcoords="offset points",
            verticalalignment="center",
            fontsize=8.5,
        )
    axis.set_xscale("log")
    axis.set_xlim(8, 560)
    axis.set_xticks([10, 20, 50, 100, 200], ["10", "20", "50", "100", "200"])
    axis.set_yticks(range(len(cells)), labels)
    axis.set_ylim(len(cells) - 0.45, -0.55)
    axis.grid(axis="x", alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
