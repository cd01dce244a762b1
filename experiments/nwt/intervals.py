"""Confidence intervals of cells' means."""

from __future__ import annotations

import math
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from simulator.study.chances import student_quantile

if TYPE_CHECKING:
    from simulator.study.study_file import Cell


def mean_interval(cell: Cell) -> tuple[float, float]:
    """Return the 95 % interval of the mean of a cell's runs, in MB/s, by Student's t."""
    runs = len(cell.runs)
    half = student_quantile(0.975, runs - 1) * stdev(cell.runs) / math.sqrt(runs)
    mean = fmean(cell.runs)
    return mean - half, mean + half
