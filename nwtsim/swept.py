"""A finished sweep as a Python object: a row for each point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from nwtsim.records import dataframe_of
from nwtsim.rows import Row
from nwtsim.settings import Values, spec_of, warn_of_cost
from simulator.errors import did_you_mean
from simulator.wording import counted

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

    from simulator.config.errors import Problem
    from simulator.inputfile import Source
    from simulator.study.executors import Executor
    from simulator.study.grid import Shard
    from simulator.study.sweep import Swept

MOST_SHOWN = 20


class Sweep(Sequence[Row]):
    """The points of a sweep, in the order of the grid: the first varied value varies slowest.

    A row has the varied values, rates (``_MBps``), times (``_s``, ``_ms``), counters of the stores,
    and the name of the busiest resource. ``row.number("elapsed_s")`` is a cell with its type.
    """

    def __init__(self, swept: Swept, *, folder: str = "", named: bool = True) -> None:
        """``folder``: the folder with the points; ``named``: true if files have names."""
        self._rows = [Row(one) for one in swept.rows]
        self._swept = replace(swept, rows=self._rows)
        self._folder = folder
        self._named = named

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @property
    def varied(self) -> list[str]:
        """Names of the axes."""
        return [axis.name for axis in self._swept.sweep.axes]

    @property
    def doubts(self) -> Sequence[Problem]:
        """Warnings of settings without effect at any point."""
        return self._swept.doubts

    def best(self, column: str, *, least: bool = False) -> Row:
        """Return the row with the largest (or least) value of a column; the first of several.

        ValueError if no point has that column.
        """
        if column not in (columns := self._rows[0] if self._rows else {}):
            raise ValueError(f"no column {column!r}; {did_you_mean(column, columns)}")
        rows = [row for row in self._rows if row[column] is not None]
        if not rows:
            raise ValueError(f"no point has a {column!r}")
        return (min if least else max)(rows, key=lambda row: row[column])

    def knees(self, share: float = 0.05) -> list[Row]:
        """Return the knee of each figure and curve: the value from which doubling saves little.

        ``knee`` is the first value from which no doubling improves the figure by ``share`` or more;
        it lies above ``above`` and at or below ``up_to``. ``state`` is ``knee``, ``not reached`` or
        ``none``, and ``why`` is the reason for none. With replications there are also certain
        bounds (``surely_above``, ``surely_up_to``). Empty for more than 10,000 points.
        """
        from simulator.report.knees import knee_record
        from simulator.study.curves import families
        from simulator.study.knees import knees_of

        if not 0 < share < 1:
            raise ValueError(f"share is {share!r}; write a part from 0 to 1, like 0.05")
        found = knees_of(families(self._swept), self._swept.sweep.replications, share)
        return [Row(knee_record(one)) for one in found]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(row) for row in self._rows]

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; MissingExtraError without pandas."""
        return dataframe_of(self._rows)

    def to_xarray(self) -> xr.Dataset:
        """Return the whole grid as an xarray Dataset: a dimension for each axis.

        Coordinates of quantities are numbers, with their unit in ``attrs["units"]``; others are
        texts. Missing values are NaN. ValueError for a part of a sweep, MissingExtraError without
        xarray.
        """
        from simulator.extras import need

        if self._swept.shard is not None:
            about = "is no whole grid; join all parts with 'nwtsim sweep --merge'"
            raise ValueError(f"part {self._swept.shard} of the sweep {about}")
        need("xarray")
        from nwtsim.grids import dataset_of

        return dataset_of(self._swept, self._rows)

    def to_html(self) -> str:
        """Return the page written by ``nwtsim sweep --html``, as a text: it needs no network."""
        from simulator.report.forms import written
        from simulator.report.sweep import sweep_page

        folder = Path(self._folder) if self._folder else None
        return written(sweep_page(self._swept, folder, repeated=self._named), "html")

    def plot(self) -> Figure:
        """Draw the rates over the one or two varied values; MissingExtraError without matplotlib.

        ValueError if more values vary.
        """
        from simulator.extras import need

        need("matplotlib")
        from simulator.report.plots import draw_sweep

        return draw_sweep(self._swept)

    def __repr__(self) -> str:
        return f"<{str(self).rstrip()}>"

    def __str__(self) -> str:
        from simulator.report.lined import table

        columns = self._columns()
        rows = [[_cell(row[key]) for key in columns] for row in self._rows[:MOST_SHOWN]]
        more = len(self) - len(rows)
        text = table(
            columns, rows, "l" * len(self.varied) + "r" * (len(columns) - len(self.varied))
        )
        last = f"\n... and {more:,} more" if more > 0 else ""
        return f"Sweep of {counted(len(self), 'point')}\n{text}{last}"

    def _repr_html_(self) -> str:
        from nwtsim.html import shown

        columns = self._columns()
        rows = [[_cell(row[key]) for key in columns] for row in self._rows[:MOST_SHOWN]]
        return shown([f"Sweep of {counted(len(self), 'point')}"], (columns, rows))

    def _columns(self) -> list[str]:
        figures = ("read_MBps", "write_MBps", "elapsed_s", "job_p99_ms", "bottleneck", "limit")
        return [*self.varied, *(one for one in figures if any(row.get(one) for row in self._rows))]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def run_sweep(
    machine: Source,
    workload: Source,
    vary: Mapping[str, Values],
    settings: list[tuple[str, str]],
    *,
    executor: Executor,
    out: str | Path | None,
    shard: Shard | None,
    progress: bool | None,
    **how: Any,
) -> Sweep:
    """Run a sweep in a folder, which is removed afterwards if it has no name.

    ``how`` has the seed, the engine, and the choice of limits.
    """
    import tempfile

    from nwtsim.files import named
    from simulator.report.sweep import write_sweep
    from simulator.report.versions import versions
    from simulator.study.folder import writing_to
    from simulator.study.grid import make_sweep
    from simulator.study.sweep import run_sweep as run_all

    names, files = named(machine, workload)
    specs = [(name, spec_of(values)) for name, values in vary.items()]
    sweep = make_sweep(names[0], names[1], vary=specs, settings=settings, files=files, **how)
    with tempfile.TemporaryDirectory() as folder, of_no_folder("sweep", wanted=out is None):
        place = Path(folder if out is None else out)
        with writing_to(place):
            swept = run_all(
                sweep,
                place,
                versions=versions(),
                executor=executor,
                files=files,
                said=warn_of_cost,
                shard=shard,
                progress=progress,
            )
            if shard is not None and out is not None:  # The command then accepts it as a part.
                write_sweep(swept, place, plot=False)
            return Sweep(swept, folder="" if out is None else str(out), named=files == (None, None))


_KEPT = r"(?s)(?:; |\n)?[\d,]+ of [\d,]+ points are kept in .*"


@contextmanager
def of_no_folder(call: str, *, wanted: bool) -> Iterator[None]:
    """Remove a temporary folder's name from errors."""
    from simulator.errors import InputError
    from simulator.plan.errors import SimulationError

    try:
        yield
    except (KeyboardInterrupt, InputError, SimulationError) as error:
        if wanted:
            about = f"; {call}(..., out='FOLDER') keeps the points that are done"
            error.args = (re.sub(_KEPT, about, str(error)),)
        raise
