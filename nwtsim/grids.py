"""A finished grid as an xarray Dataset: named dimensions, numbers with units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.config.axis import Axis
    from simulator.study.figures import Row
    from simulator.study.sweep import Swept

_OF_AXES = {"bytes": "B", "ns": "ns", "Bps": "B/s", "percent": "%"}
_OF_FIGURES = {"MBps": "MB/s", "s": "s", "ms": "ms", "ns": "ns", "percent": "%"}
"""End of a column's name -> its unit."""


def dataset_of(swept: Swept, rows: Sequence[Row]) -> xr.Dataset:
    """Return the rows of a whole grid, in its order: the first axis varies slowest."""
    sweep = swept.sweep
    names = [axis.name for axis in sweep.axes]
    shape = [len(axis.texts) for axis in sweep.axes]
    figures = {
        name: (names, _column([row.get(name) for row in rows]).reshape(shape), _units(name))
        for name in sweep.figures
    }
    about: dict[str, Any] = {"machine": sweep.machine, "workload": sweep.workload}
    if sweep.seed is not None:
        about["seed"] = sweep.seed
    return xr.Dataset(figures, {axis.name: _coordinate(axis) for axis in sweep.axes}, about)


def _coordinate(axis: Axis) -> tuple[str, Any, dict[str, str]]:
    units = {"units": _OF_AXES[axis.unit]} if axis.unit else {}
    return axis.name, np.array(axis.texts if axis.numbers is None else axis.numbers), units


def _column(values: list[Any]) -> Any:
    """Return values as numbers, None as NaN; names and flags as objects."""
    if all(one is None or isinstance(one, int | float) for one in values):
        if any(one is None for one in values):
            return np.array([np.nan if one is None else one for one in values], float)
        return np.array(values)
    return np.array(values, object)


def _units(name: str) -> dict[str, str]:
    unit = _OF_FIGURES.get(name.rpartition("_")[2]) if "_" in name else None
    return {} if unit is None else {"units": unit}
