"""Refits of the calibrated values of a study with tables, as ``nwtsim calibrate`` does them.

On the simulator without noise, to all cells at once; from the shipped values, with derivatives of
the shipped machine updated by Broyden's formula.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.config.errors import ConfigError
from simulator.config.fit_file import FIT
from simulator.config.formats import MACHINE
from simulator.run import load
from simulator.study.change import Settings
from simulator.study.fits import PreparedFit, study_text
from simulator.study.leastsquares import solve
from simulator.study.measurements import Reader
from simulator.study.parameters import parameters_of, settings_of
from simulator.study.search import Search
from simulator.study.study_file import load_study

from .refit import Fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float64]

_CLOSE = 1e-3
"""Tolerance of a fit, in logarithms."""


class CellRefit:
    """Fits the values in a study's calibration, for other assumptions."""

    def __init__(self, study: str) -> None:
        self.study = study
        self.derived: Vector | None = None
        """Derivatives of the shipped machine, once computed."""

    def prepare(self) -> None:
        """Compute the derivatives of the shipped machine."""
        if self.derived is None:
            search = self._search(())
            free = list(range(len(search.parameters)))
            search.start()
            (figures,) = search.figures([search.x], search.fitted)
            assert figures is not None  # It was tried already.
            self.derived = search.jacobian(search.residuals(figures, search.fitted), free)

    def fit(self, assumed: Settings) -> Fitted:
        """Return the fitted values for these assumptions; ConfigError, or InputError."""
        self.prepare()
        search = self._search(assumed)
        search.start()
        everything = list(range(len(search.parameters)))
        self._descend(search, everything)
        whole = [i for i in everything if search.parameters[i].blocks]
        for i in whole:
            one = search.parameters[i]
            search.x[i] = math.log(one.rounded(math.exp(search.x[i])))
        rest = [i for i in everything if i not in whole]
        if whole and rest:
            self._descend(search, rest)
        numbers = [
            one.rounded(number)
            for one, number in zip(search.parameters, np.exp(search.x), strict=True)
        ]
        search.x = np.log(numbers)
        (figures,) = search.figures([search.x], search.fitted)
        assert figures is not None  # It is as good as the last trial.
        measures = [search.measures[i] for i in search.fitted]
        outside = tuple(
            one.name
            for one, figure in zip(measures, figures, strict=True)
            if not one.measured.holds(figure)
        )
        return Fitted(tuple(settings_of(search.parameters, numbers)), outside, search.model.runs)

    def _descend(self, search: Search, free: list[int]) -> None:
        assert self.derived is not None
        (figures,) = search.figures([search.x], search.fitted)
        assert figures is not None
        residuals = search.residuals(figures, search.fitted)
        found = solve(
            search.function(free, search.fitted),
            search.x[free].copy(),
            search.inner_box(free),
            known=(residuals, self.derived[:, free]),
            close=_CLOSE,
        )
        search.x[free] = found.x

    @cached_property
    def _text(self) -> str:
        return study_text(load_study(self.study))

    def _search(self, assumed: Settings) -> Search:
        """Return a search that begins at the shipped values."""
        plain = FIT.parse(self._text, self.study, ())[0]
        machine = load(MACHINE, plain.machine, [one for one in assumed if _of_machine(one[0])])
        parameters, problems = parameters_of(plain, machine)
        fitted = {one.path for one in parameters}
        # The part of a value that is not fitted is in the parameters, which have the whole value.
        others = [(path, text) for path, text in assumed if path not in fitted]
        lines = [f"  {path}: {_quoted(text)}" for path, text in others]
        text = "\n".join([self._text, *(["set:", *lines, ""] if lines else [])])
        fit = FIT.parse(text, self.study, ())[0]
        reader = Reader(fit, machine, parameters)
        if problems:
            raise ConfigError(problems)
        search = Search(
            PreparedFit(fit, tuple(parameters), tuple(reader.measures())),
            1,
            lambda _what, _runs, _rms: None,
        )
        search.x = np.log([one.current for one in parameters])
        return search


def _of_machine(path: str) -> bool:
    return path.startswith("machine.")


def _quoted(text: str) -> str:
    return text if text.startswith(("{", "[")) else f'"{text}"'
