"""One picture of a study: the paper's runs and the simulated ones, cell by cell."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from simulator.study.study import load_study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.study.ledger import FigureResult, Ledger

PAPER = "#b35806"
SIMULATED = "#2166ac"


def draw_comparison(ledger: Ledger, path: Path) -> None:
    """Draw means and ranges of the cells of all tables, in MB/s on a logarithmic axis.

    The picture is PNG or SVG by its name. The same ledger gives the same bytes.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "nwtsim"
    study = load_study(ledger.study.name)
    results = {one.figure.id: one for one in ledger.figures}
    cells = {
        number: [results[cell.id] for cell in study.cells if cell.table == number]
        for number in study.tables
    }
    tables = study.tables
    counts = [len(some) for some in cells.values()]
    figure, axes = plt.subplots(
        len(tables),
        1,
        sharex=True,
        figsize=(8, 6.2),
        height_ratios=counts,
        squeeze=False,
        layout="constrained",
    )
    for axis, (number, title) in zip(axes[:, 0], tables.items(), strict=True):
        _draw_table(axis, cells[number])
        axis.set_title(f"Table {number}: {title}", loc="left", fontsize=10)
    axes[-1, 0].set_xlabel("MB/s ($10^6$ bytes per second)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    metadata = {"Software": None} if path.suffix == ".png" else {"Date": None}
    figure.savefig(path, dpi=120, metadata=metadata)
    plt.close(figure)


def _draw_table(axis: Axes, cells: list[FigureResult]) -> None:
    for row, one in enumerate(cells):
        paper, simulated = one.figure, one.simulated
        printed = fmean(paper.runs)
        bars = (
            (-0.14, paper.low, printed, paper.high, PAPER, "paper: mean, fastest, slowest run"),
            (0.14, min(one.rates), simulated, max(one.rates), SIMULATED, "simulated"),
        )
        for shift, low, mean, high, colour, label in bars:
            axis.plot([low, high], [row + shift] * 2, color=colour, linewidth=3, alpha=0.45)
            axis.plot([mean], [row + shift], "o", color=colour, label="" if row else label)
        axis.annotate(
            f"{printed:.1f} | {simulated:.1f}",
            (max(paper.high, *one.rates), row),
            xytext=(8, 0),
            textcoords="offset points",
            verticalalignment="center",
            fontsize=8.5,
        )
    axis.set_xscale("log")
    axis.set_xlim(8, 460)
    axis.set_xticks([10, 20, 50, 100, 200], ["10", "20", "50", "100", "200"])
    axis.set_yticks(range(len(cells)), [one.figure.id for one in cells])
    axis.set_ylim(len(cells) - 0.5, -0.5)
    axis.grid(axis="x", alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
