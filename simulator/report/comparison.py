"""One picture of a study: the paper's runs and the simulated ones, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.study.reproduce import CellResult, Reproduction

PAPER = "#b35806"
SIMULATED = "#2166ac"


def draw_comparison(reproduction: Reproduction, path: Path) -> None:
    """Draw means and ranges of all cells, in MB/s on a logarithmic axis; PNG or SVG by name.

    The same reproduction gives the same bytes.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "nwtsim"
    tables = reproduction.study.tables
    counts = [sum(c.cell.table == number for c in reproduction.cells) for number in tables]
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
        _draw_table(axis, [c for c in reproduction.cells if c.cell.table == number])
        axis.set_title(f"Table {number}: {title}", loc="left", fontsize=10)
    axes[-1, 0].set_xlabel("MB/s ($10^6$ bytes per second)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    metadata = {"Software": None} if path.suffix == ".png" else {"Date": None}
    figure.savefig(path, dpi=120, metadata=metadata)
    plt.close(figure)


def _draw_table(axis: Axes, cells: list[CellResult]) -> None:
    for row, one in enumerate(cells):
        cell = one.cell
        bars = (
            (-0.14, cell.low, cell.mean, cell.high, PAPER, "paper: mean, fastest, slowest run"),
            (0.14, min(one.rates), one.mean, max(one.rates), SIMULATED, "simulated"),
        )
        for shift, low, mean, high, colour, label in bars:
            axis.plot([low, high], [row + shift] * 2, color=colour, linewidth=3, alpha=0.45)
            axis.plot([mean], [row + shift], "o", color=colour, label="" if row else label)
        axis.annotate(
            f"{cell.mean:.1f} | {one.mean:.1f}",
            (max(cell.high, *one.rates), row),
            xytext=(8, 0),
            textcoords="offset points",
            verticalalignment="center",
            fontsize=8.5,
        )
    axis.set_xscale("log")
    axis.set_xlim(8, 460)
    axis.set_xticks([10, 20, 50, 100, 200], ["10", "20", "50", "100", "200"])
    axis.set_yticks(range(len(cells)), [one.cell.id for one in cells])
    axis.set_ylim(len(cells) - 0.5, -0.5)
    axis.grid(axis="x", alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
