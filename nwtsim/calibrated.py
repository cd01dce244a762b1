"""A fit as a Python object: estimates, measurements with predictions, and the fitted machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nwtsim.records import dataframe_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from nwtsim.arguments import ExecutorName
    from nwtsim.files import Machine
    from simulator.study.calibration import Calibration

Row = dict[str, Any]


class Calibrated:
    """Values of a machine, fitted to measurements.

    ``print(calibrated)`` writes what ``nwtsim calibrate`` does.
    """

    def __init__(self, found: Calibration) -> None:
        from simulator.report.calibration import calibration_page, fitted_machine
        from simulator.report.forms import versioned, written

        page = calibration_page(found)
        self.text = fitted_machine(found)
        """The machine file with the fitted values, which name this fit as their source."""
        self._told = written(page, "table")
        self._record: Row = versioned(page.record())

    @property
    def values(self) -> dict[str, str]:
        """The fitted values by name, as in a machine file: ``"8.3 ms"``."""
        return {one["name"]: one["written"] for one in self.estimates}

    @property
    def estimates(self) -> list[Row]:
        """A row for each value: ``estimate`` in its ``unit``, ``standard_error``, intervals."""
        return [dict(one) for one in self._record["parameters"]]

    @property
    def measurements(self) -> list[Row]:
        """A row for each measurement: ``measured``, ``simulated``, ``predicted`` by the others."""
        return [dict(one) for one in self._record["measurements"]]

    @property
    def rms(self) -> float:
        """Root mean square of the relative errors of the fit."""
        return float(self._record["rms_error"])

    @property
    def warnings(self) -> list[str]:
        """Values that the measurements do not determine."""
        return list(self._record["warnings"])

    @property
    def machine(self) -> Machine:
        """The machine with the fitted values."""
        from nwtsim.files import Machine

        return Machine(self.text)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the measurements as a pandas DataFrame; MissingExtraError without pandas."""
        return dataframe_of(self.measurements)

    def to_dict(self) -> Row:
        """Return the record of ``--format json``."""
        return dict(self._record)

    def __str__(self) -> str:
        return self._told

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"<Calibrated {self._record['machine']}: {told}>"


def calibrate(
    fit: str | Path,
    *,
    jobs: int | None = None,
    executor: ExecutorName | None = None,
    scheduler: str | None = None,
    progress: bool | None = False,
) -> Calibrated:
    """Fit values of a machine to measurements, by least squares on the simulator.

    ``fit``: a file (fit/1), the name of a shipped one or of a published study (``"nwt"``), or the
    YAML text. ``jobs``: threads, by default one for each processor; with an ``executor``, as for
    :func:`nwtsim.sweep`, its processes. ``progress`` shows a line on standard error (None: if that
    is a terminal). ConfigError or InputError if the fit is wrong, MissingExtraError without SciPy;
    KeyboardInterrupt reports the best values so far.
    """
    import sys

    from nwtsim.arguments import check_jobs, executor_of, python_words
    from nwtsim.files import source_of
    from simulator.config.fit_file import FIT
    from simulator.inputfile import Text
    from simulator.report.progress import Fitting
    from simulator.study.calibrate import calibrated
    from simulator.study.fits import load_fit

    check_jobs(jobs)
    source = source_of(fit, "fit")
    own_threads = executor is None and scheduler is None
    with (
        python_words(),
        executor_of(executor, scheduler, jobs) as runs,
        Fitting(sys.stderr, wanted=progress) as line,
    ):
        read = FIT.parse(*source, ())[0] if isinstance(source, Text) else load_fit(str(source))
        where = None if own_threads else runs
        return Calibrated(calibrated(read, jobs=jobs, heard=line.heard, executor=where))
