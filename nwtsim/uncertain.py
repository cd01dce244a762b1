"""Uncertainty of the figures of a run, as a Python object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from nwtsim.paged import Paged
from nwtsim.records import dataframe_of
from simulator.errors import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure as Drawn

    from nwtsim.calls import Engine
    from nwtsim.files import Machine, Workload
    from nwtsim.settings import Settings, Value
    from simulator.report.page import Page
    from simulator.study.sample import Index
    from simulator.study.uncertainty import Moved, Uncertainty

Row = dict[str, Any]
Ends = tuple[float, float]
POINTS = 64
"""Default number of points of each half of the sample."""
REPLICATIONS = 16
"""Default number of runs with the files' values."""


class Figure(NamedTuple):
    """One figure of a run, and its uncertainty from three independent sources."""

    written: float
    """Its value with the files' values, without noise."""
    from_runs: Ends | None
    """Interval of the mean over the replications; None if they do not vary."""
    from_values: Ends | None
    """Range over the drawn machines; None if no value affects a figure."""
    model: list[Row]
    """Errors that validation measured for such figures: ``what``, ``where``, ``errors``."""


class Ranked(NamedTuple):
    """Effect of one value on a figure, by explained variance."""

    value: str
    """Its path, or those of a group, like ``parts.disk.rate``."""
    range: str
    default: bool
    """True if the range is the program's default, since the file has none."""
    low: float | None
    """The figure with the value at its 5 % quantile, all others as in the files."""
    high: float | None
    """The figure with the value at its 95 % quantile."""
    explains: float
    """First-order Sobol index: the part of the variance that vanishes if the value is known."""
    explains_interval: Ends
    total: float
    """Total Sobol index: the part of the variance in which the value is involved."""
    total_interval: Ends
    leaves: float
    """Remaining spread if the value is known."""


class Uncertain(Paged):
    """Uncertainty of figures; ``print(uncertain)`` writes what ``nwtsim uncertainty`` does."""

    def __init__(self, found: Uncertainty, figure: str, command: tuple[str, ...] = ()) -> None:
        """``command``: the words of the equivalent command; empty if there are none."""
        self._found = found
        self._command = command
        self.figure = figure
        """The figure by which values are ranked, such as ``elapsed_s``."""

    @property
    def figures(self) -> dict[str, Figure]:
        """Uncertainty of each figure of the run, by name."""
        return {name: self._figure(name) for name in self._found.figures}

    @property
    def ranked(self) -> list[Ranked]:
        """Values that affect :attr:`figure`, the most important to measure first."""
        return self.ranked_for(self.figure)

    @property
    def measure_first(self) -> str | None:
        """The value that explains most of :attr:`figure`; None if none affects it."""
        ranked = self.ranked
        return ranked[0].value if ranked else None

    @property
    def confidence(self) -> float:
        """Confidence of the intervals."""
        return self._found.confidence

    @property
    def seeds(self) -> dict[str, int]:
        """``runs``: seed of the replications; ``values``: seed of the drawn machines."""
        return {"runs": self._found.seed, "values": self._found.value_seed}

    def ranked_for(self, figure: str) -> list[Ranked]:
        """Return the values that affect another figure; InputError if the run does not have it."""
        from nwtsim.arguments import python_words
        from simulator.study.uncertainty import read_figure

        with python_words():
            self._found.check(read_figure(figure))
        return [_ranked(figure, *one) for one in self._found.ranked(figure)]

    def _figure(self, name: str) -> Figure:
        from simulator.study.modelerror import model_error

        repeated, spread = self._found.repeated.figure(name), self._found.spread(name)
        varies = repeated is not None and repeated.varies and bool(repeated.deviation)
        return Figure(
            self._found.written[name],
            repeated.interval if repeated is not None and varies else None,
            None if spread is None else spread.interval,
            [one.to_record() for one in model_error(name)],
        )

    def to_dataframe(self, which: Literal["values", "machines"] = "values") -> pd.DataFrame:
        """Return a pandas DataFrame; MissingExtraError without pandas.

        ``values``: a row for each figure and value that affects it, with its indices; ``machines``:
        a row for each drawn machine, with its values and its figures.
        """
        from simulator.report.uncertainty import CSV_COLUMNS, machine_rows, value_rows

        if which == "values":
            return dataframe_of(value_rows(self._found), columns=list(CSV_COLUMNS))
        if which != "machines":
            raise ValueError(
                f"{which!r} is no table; {did_you_mean(which, ('values', 'machines'))}"
            )
        head, *rows = machine_rows(self._found)
        return dataframe_of(rows, columns=head)

    def plot(self) -> Drawn:
        """Draw the tornado of :attr:`figure`; MissingExtraError without matplotlib."""
        from simulator.extras import need

        need("matplotlib")
        from simulator.report.uncertainty import draw_tornado

        return draw_tornado(self._found, self.figure)

    def _page(self) -> Page:
        from simulator.report.uncertainty import uncertainty_page

        return uncertainty_page(self._found, self.figure, self._command)

    def __repr__(self) -> str:
        about = f"{self._found.workload} on {self._found.machine}"
        return f"<Uncertain {about}: measure first {self.measure_first or 'nothing'}>"


def _ranked(figure: str, moved: Moved, index: Index) -> Ranked:
    values = moved.group.values
    low, high = moved.ends(figure)
    return Ranked(
        moved.group.name,
        "; ".join(one.words() for one in values),
        any(one.default for one in values),
        low,
        high,
        index.first,
        index.first_interval,
        index.total,
        index.total_interval,
        index.left,
    )


def uncertainty(  # noqa: PLR0913 - one for each option
    machine: str | Path | Machine,
    workload: str | Path | Workload,
    settings: Settings | None = None,
    *,
    figure: str = "elapsed_s",
    points: int = POINTS,
    value_seed: int = 1,
    seed: int | None = None,
    engine: Engine = "auto",
    replications: int | str = REPLICATIONS,
    confidence: float | str | None = None,
    precision: float | str | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    progress: bool | None = False,
    **keywords: Value,
) -> Uncertain:
    """Compute the uncertainty of a run's figures: from run to run, from values, of the model.

    ``figure``: the one by which values are ranked. ``points``: 2 ``points`` machines are drawn from
    the ranges of assumed or calibrated values, and ``points`` more for each value that affects a
    figure; a power of two. ``value_seed``: seed of these machines; ``seed``, ``replications``,
    ``confidence`` and ``precision`` as for :func:`nwtsim.run`. ``out``: a folder that stores the
    machines' runs, from which an interrupted study resumes. ``progress`` shows bars on standard
    error (None: if that is a terminal). MissingExtraError without SciPy; InputError for a figure
    that the run does not have.
    """
    import tempfile
    from pathlib import Path as Folder

    from nwtsim.again import command_of
    from nwtsim.arguments import check_jobs, check_seed, python_words, replications_of
    from nwtsim.files import given, named
    from nwtsim.settings import listener, pairs_of, warn_of_cost
    from nwtsim.swept import of_no_folder
    from simulator.extras import need
    from simulator.report.uncertainty import words_of_study
    from simulator.report.versions import versions
    from simulator.run import prepare_run
    from simulator.study.folder import writing_to
    from simulator.study.grid import Sweep
    from simulator.study.replications import DEFAULT_SEED
    from simulator.study.uncertainty import read_figure, read_points, uncertainty_of

    check_seed(seed)
    check_seed(value_seed, "value_seed")
    check_jobs(jobs)
    wanted = replications_of(replications, confidence, precision)
    assert wanted is not None
    sources = given(machine, workload)
    fixed = sources[2] + pairs_of(settings, keywords)
    with python_words():
        read_figure(figure)
        count = read_points(str(points))
        need("scipy")
        first = DEFAULT_SEED if seed is None else seed
        asked = prepare_run(*sources[:2], fixed, seed=first, engine=engine, hears=listener())
        names, files = named(*sources[:2])
        base = Sweep(*names, asked.inputs.settings, (), asked.seed, engine)
        with (
            tempfile.TemporaryDirectory() as folder,
            of_no_folder("uncertainty", wanted=out is None),
        ):
            place = Folder(folder if out is None else out)
            with writing_to(place):
                found = uncertainty_of(
                    asked,
                    base,
                    place,
                    points=count,
                    value_seed=value_seed,
                    replications=wanted,
                    versions=versions(),
                    files=files,
                    jobs=jobs,
                    progress=progress,
                    said=warn_of_cost,
                )
        found.check(figure)
    words = command_of(asked, "uncertainty")
    study = words_of_study(figure, count, value_seed)
    return Uncertain(found, figure, (*words, *study, *wanted.options()) if words else ())
