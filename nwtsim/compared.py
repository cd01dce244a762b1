"""A comparison of two results as a Python object: the causes of their difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nwtsim.paged import Paged
from nwtsim.records import dataframe_of
from nwtsim.result import Result

if TYPE_CHECKING:
    import pandas as pd

    from simulator.answers.compare import Comparison as Found
    from simulator.answers.sides import Side
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload
    from simulator.report.page import Page


class Comparison(Paged):
    """The difference of two runs, B - A: seconds by account category, which add up.

    ``print(comparison)`` writes what ``nwtsim compare`` does.
    """

    def __init__(self, found: Found) -> None:
        self._found = found

    @property
    def difference_s(self) -> float:
        """Seconds by which B takes longer; negative if it is faster."""
        return self._found.difference_ns / 1e9

    @property
    def same(self) -> bool:
        """True if both sides agree in every account category, latency and store."""
        return self._found.same

    def where(self) -> dict[str, float]:
        """Return the additional seconds of B by account category, the largest difference first.

        They are those of the process that ends last on each side, and add up to
        :attr:`difference_s`; to the nanosecond in :meth:`to_dict`.
        """
        return {one.column: one.difference_ns / 1e9 for one in self._found.elapsed.rows}

    def values(self) -> dict[str, tuple[str | None, str | None]] | None:
        """Return the values of machine and workload that differ: key -> value in A, value in B.

        None if they are unknown for a side: a result file has a digest only.
        """
        values = self._found.values
        return None if values is None else {one.key: (one.a, one.b) for one in values}

    def to_dataframe(self) -> pd.DataFrame:
        """Return all accounts as a pandas DataFrame, as in the CSV file.

        MissingExtraError without pandas.
        """
        from simulator.answers.compare import CSV_COLUMNS

        return dataframe_of(list(self._found.to_rows()), columns=list(CSV_COLUMNS))

    def _page(self) -> Page:
        from simulator.report.compare import compare_page

        return compare_page(self._found)

    def __repr__(self) -> str:
        return "<" + "\n ".join(["Comparison: B - A", *self._lines()]) + ">"

    def _lines(self) -> list[str]:
        from simulator.report.compare import answer

        return answer(self._found).splitlines()

    def _repr_html_(self) -> str:
        from nwtsim.html import shown
        from simulator.units import format_time

        rows = []
        every = (*self._found.elapsed.rows, self._found.elapsed.total)
        for one in () if self.same else every:
            times = (sum(one.a), sum(one.b), one.difference_ns)
            only = f"only in {one.only.upper()}" if one.only else ""
            rows.append((one.column, *map(format_time, times), only))
        return shown(self._lines(), (("where", "A", "B", "B - A", ""), rows))


def compare_sides(a: Result | str | Path, b: Result | str | Path) -> Comparison:
    """Compare two results, or files; see :func:`nwtsim.compare`."""
    from simulator.answers.compare import compare, differing

    (one, of_one), (other, of_other) = _side(a), _side(b)
    if of_one is not None and of_other is not None:
        return Comparison(compare(one, other, differing(of_one, of_other)))
    return Comparison(compare(one, other))


def _side(given: Result | str | Path) -> tuple[Side, tuple[Machine, Workload] | None]:
    """Return a side, and its input files if they are known."""
    from simulator.answers.sides import read_side, side_of

    if isinstance(given, Result):
        return side_of(given.to_dict(), ""), given.inputs()
    path = Path(given)
    if path.suffix == ".parquet":
        from simulator.replay.comparison import store_side

        return store_side(path), None
    return read_side(path), None
