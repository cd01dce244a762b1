"""Fitting values of a machine to measurements, and what each measurement is by all the others.

Least squares on the simulator itself, without noise. Not modelled: errors of the measurements that
depend on each other.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import InputError
from simulator.extras import need
from simulator.study.calibration import Calibration, Comparison, Estimate
from simulator.study.fits import load_fit, prepare
from simulator.study.leastsquares import Precision, needed, precision_of, solve
from simulator.study.results import Saving
from simulator.study.search import Search, SearchProgress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.config.fit_file import Fit
    from simulator.study.executors import Executor
    from simulator.study.results import Results

    Vector = NDArray[np.float64]

_CLOSE = 1e-5
"""Distance from the least squares at which a fit to all but one measurement ends."""
_POOR = 0.5
"""A standard error, as a part of the value, from which on it is said to be poorly determined."""
_WIDEST = 100.0
"""An interval that reaches further than so many times the value is none."""


def calibrate(
    name: str,
    *,
    jobs: int | None = None,
    heard: SearchProgress = lambda _what, _runs, _rms: None,
    executor: Executor | None = None,
    results: Results | None = None,
    said: Callable[[str], None] = lambda _line: None,
) -> Calibration:
    """Fit a machine to measurements, and predict each of them from the others.

    ``name``: a fit file, or a shipped name. ``jobs``: threads; one for each processor by default.
    ``executor``: what runs instead of them. ``results``: a store, whose runs are not made again;
    ``said`` hears if one that nobody asked for cannot be written to. ConfigError or InputError if
    the fit is wrong, or SciPy is missing; KeyboardInterrupt says the best values so far.
    """
    with Saving(results, said) as saving:
        how: dict[str, Any] = {"executor": executor, "results": results, "saving": saving}
        return calibrated(load_fit(name), jobs=jobs, heard=heard, **how)


def calibrated(
    fit: Fit,
    *,
    jobs: int | None = None,
    heard: SearchProgress = lambda _what, _runs, _rms: None,
    left_out: bool = True,
    **how: Any,
) -> Calibration:
    """Fit a machine as a fit that has been read says; ``left_out``: predict each by the others.

    ``how``: the rest of what :class:`Search` takes.
    """
    need("scipy")
    search = Search(prepare(fit), jobs or os.cpu_count() or 1, heard, **how)
    try:
        return _calibration(search, left_out)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(search.best()) from None


def _calibration(search: Search, left_out: bool) -> Calibration:
    """Fit all that can be, and say how well."""
    search.start()
    free = search.search()
    if not free:
        names = _both([one.name for one in search.parameters])
        raise InputError(f"no measurement depends on {names}; fit other values, or measure others")
    (simulated,) = search.figures([search.x], range(len(search.measures)))
    assert simulated is not None  # It was run on the way.
    residuals = search.residuals([simulated[i] for i in search.fitted], search.fitted)
    jacobian = search.jacobian(residuals, free)
    known = precision_of(jacobian, float(residuals @ residuals))
    search.phase = "leave one out"
    others = (
        _leave_out(search, residuals, jacobian, free, known) if left_out else LeftOut({}, [], {})
    )
    estimates = _estimates(search, free, known, others)
    wide = len(search.parameters)
    correlation = np.full((wide, wide), math.nan)
    correlation[np.ix_(free, free)] = known.correlation
    fit = search.problem.fit
    return Calibration(
        name=fit.name,
        title=fit.title,
        machine=fit.beside(fit.machine),
        estimates=tuple(estimates),
        correlation=tuple(tuple(map(float, row)) for row in correlation),
        comparisons=tuple(
            Comparison(one, simulated[i], others.predicted.get(i))
            for i, one in enumerate(search.measures)
        ),
        warnings=tuple(_warnings(search, free, known, others, estimates)),
        runs=search.model.runs,
    )


@dataclass(frozen=True)
class LeftOut:
    """The fits to all measurements but one."""

    predicted: dict[int, float]
    """The figure of the measurement that was left out, by its number."""
    values: list[Vector]
    """Logarithms of the values of each fit."""
    alone: dict[int, list[int]]
    """Measurements without which some values are not determined, and these (of the free ones)."""


def _leave_out(
    search: Search, residuals: Vector, jacobian: Vector, free: list[int], known: Precision
) -> LeftOut:
    """Predict each measurement by a fit to all others."""
    others = LeftOut({}, [], {})
    tied = {i for group in known.tied for i in group}
    for row, i in enumerate(search.fitted if len(search.fitted) > len(free) else ()):
        lost = [one for one in needed(jacobian, row) if one not in tied]
        if lost:
            others.alone[i] = lost
            continue
        found = solve(
            search.function(free, [one for one in search.fitted if one != i]),
            search.x[free].copy(),
            search.inner_box(free),
            known=(np.delete(residuals, row), np.delete(jacobian, row, axis=0)),
            close=_CLOSE,
        )
        x = search.x.copy()
        x[free] = found.x
        (figures,) = search.figures([x], [i])
        if figures is not None:
            others.predicted[i] = figures[0]
            others.values.append(x)
    return others


def _written(search: Search, free: list[int]) -> list[float]:
    """Return what a file gets: whole numbers of steps, and the others fitted beside them."""
    best = search.x.copy()
    numbers = list(map(float, np.exp(best)))
    whole = [i for i in free if search.parameters[i].blocks]
    if whole:
        for i in whole:
            search.x[i] = math.log(search.parameters[i].rounded(numbers[i]))
        rest = [i for i in free if i not in whole]
        if rest:
            search.descend(rest)
        numbers = list(map(float, np.exp(search.x)))
        search.x = best
    return [one.rounded(number) for one, number in zip(search.parameters, numbers, strict=True)]


def _estimates(
    search: Search, free: list[int], known: Precision, others: LeftOut
) -> list[Estimate]:
    from scipy.special import stdtrit  # Student's t: the factor of an interval of 95 %.

    freedom = len(search.fitted) - len(free)
    factor = float(stdtrit(freedom, 0.975)) if freedom > 0 else math.nan
    written = _written(search, free)
    found = []
    for i, one in enumerate(search.parameters):
        value = math.exp(search.x[i])
        error = known.errors[free.index(i)] if i in free else math.nan
        good = not math.isnan(error)
        wide = math.exp(min(factor * error, 50.0)) if good else math.inf
        numbers = [math.exp(x[i]) for x in others.values]
        found.append(
            Estimate(
                parameter=one,
                value=value,
                moves=i in free,
                error=value * error if good else None,
                interval=(value / wide, value * wide) if wide < _WIDEST else None,
                spread=(min(numbers), max(numbers)) if numbers and good else None,
                written=written[i],
            )
        )
    return found


# -- what the measurements do not tell -------------------------------------------------------------


def _warnings(
    search: Search,
    free: list[int],
    known: Precision,
    others: LeftOut,
    estimates: Sequence[Estimate],
) -> Iterator[str]:
    names = [search.parameters[i].name for i in free]
    for i, one in enumerate(search.parameters):
        if i not in free:
            least, most = (one.shown(math.exp(search.reach(i, end))) for end in (-1, 1))
            yield (
                f"{one.name} moves no measurement where the fit is: from {least} to {most} nothing"
                " changes, so it is not determined; leave it out, or measure what depends on it"
            )
    for group in known.tied:
        yield (
            f"{_both([names[i] for i in group])} cannot be told apart: the measurements determine"
            " only a combination of them; fix one, or measure what one of them alone decides"
        )
    for i, j in known.close:
        yield (
            f"{names[i]} and {names[j]} are hard to tell apart: their correlation is"
            f" {known.correlation[i, j]:+.3f}; measure what only one of them decides"
        )
    for i, lost in others.alone.items():
        yield (
            f"only {search.measures[i].name} determines {_both([names[j] for j in lost])}: without"
            " it there is no prediction"
        )
    for estimate in estimates:
        yield from _doubts(estimate)


def _doubts(estimate: Estimate) -> Iterator[str]:
    one = estimate.parameter
    if estimate.error is not None and estimate.error > _POOR * estimate.value:
        share = f"{min(estimate.error / estimate.value, 99.99) * 100:.0f} %"
        more = " or more" if estimate.error > 99.99 * estimate.value else ""
        yield (
            f"{one.name} is poorly determined: its standard error is {share}{more}; measure what"
            " depends more on it"
        )
    if estimate.at_bound and estimate.moves:
        end = one.shown(one.low if estimate.at_bound == "low" else one.high)
        side = "lower" if estimate.at_bound == "low" else "upper"
        yield f"{one.name} is at the {side} end of its range, {end}"


def _both(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
