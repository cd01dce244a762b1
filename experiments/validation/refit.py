"""Refits of a machine's calibrated values after a change of its assumptions.

They start at the shipped values and minimise squares on the printed figures, with derivatives of
the shipped machine updated by Broyden's formula: some five evaluations instead of dozens. A value
that affects one figure only is fitted to that figure separately. Only if a figure remains outside
of its band, derivatives are computed again, once. A fit ends as soon as each figure is near the
middle of its band, or well inside it and improving little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.errors import InputError
from simulator.study.change import Settings
from simulator.study.leastsquares import Box, StartError, derivatives

from .attempt import RUN_ERRORS, STEP, Attempt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .ranged import Template

    Vector: TypeAlias = NDArray[np.float64]

Figures: TypeAlias = Callable[[Settings, Sequence[str]], Mapping[str, float]]
"""Simulates some figures, by their ids, with settings."""

MOST = 6
"""Maximum evaluations of a fit with derivatives of the shipped machine, and with its own."""
WITHIN = 8.0
"""Maximum factor between a fitted value and its shipped value."""


@dataclass(frozen=True, slots=True)
class Target:
    """A printed figure and its band."""

    id: str
    middle: float
    low: float
    high: float

    def residual(self, simulated: float) -> float:
        """Return the logarithm of simulated over printed, in halves of the band."""
        if not simulated > 0:
            raise ArithmeticError(f"{self.id} is {simulated}")
        return float(np.log(simulated / self.middle)) * 2 * self.middle / (self.high - self.low)

    def holds(self, simulated: float) -> bool:
        """Return whether a simulated figure is in the band."""
        return self.low <= simulated <= self.high


@dataclass(frozen=True, slots=True)
class Fitted:
    """The settings of the fitted values, and the figures that are outside of their bands."""

    settings: Settings
    outside: tuple[str, ...]
    evaluations: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A text of the machine with numbers that are fitted; zeros remain."""

    paths: tuple[str, ...]
    shipped: Template

    @property
    def moving(self) -> list[int]:
        """Indices of the fitted numbers."""
        return [i for i, one in enumerate(self.shipped.numbers) if one > 0]

    def settings(self, factors: Sequence[float]) -> Settings:
        """Return the settings that multiply each fitted number by a factor."""
        numbers = list(self.shipped.numbers)
        for i, factor in zip(self.moving, factors, strict=True):
            numbers[i] *= factor
        return tuple((path, self.shipped.text(numbers)) for path in self.paths)


@dataclass(frozen=True, slots=True)
class Own:
    """A column of derivatives with one entry, and the row of that entry."""

    column: int
    row: int
    alone: bool
    """True if no other column has an entry in the row."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Derivatives divided into columns with a row of their own each, and the rest."""

    own: tuple[Own, ...]
    columns: tuple[int, ...]
    """The other columns."""
    rows: tuple[int, ...]
    """The rows that no column owns."""


def parts_of(derived: Vector) -> Parts:
    """Divide a matrix of derivatives; a row that two columns could own has no owner.

    >>> parts = parts_of(np.array([[1.0, 0, 0], [0, 2.0, 3.0], [0, 4.0, 0]]))
    >>> parts.own
    (Own(column=0, row=0, alone=True), Own(column=2, row=1, alone=False))
    >>> parts.columns, parts.rows
    ((1,), (2,))
    """
    moves = derived != 0
    single = [c for c in range(moves.shape[1]) if moves[:, c].sum() == 1]
    row_of = {c: int(moves[:, c].argmax()) for c in single}
    rows = list(row_of.values())
    own = tuple(
        Own(c, row, bool(moves[row].sum() == 1))
        for c, row in row_of.items()
        if rows.count(row) == 1
    )
    columns, taken = {one.column for one in own}, {one.row for one in own}
    return Parts(
        own,
        tuple(c for c in range(moves.shape[1]) if c not in columns),
        tuple(r for r in range(moves.shape[0]) if r not in taken),
    )


class Refit:
    """Fits some values of a machine to some figures, repeatedly for different assumptions."""

    def __init__(
        self,
        variables: Sequence[Variable],
        targets: Sequence[Target],
        figures: Figures,
        *,
        most: int = MOST,
    ) -> None:
        self.variables = variables
        self.targets = targets
        self._figures = figures
        self.most = most
        self.derived: Vector | None = None
        """Derivatives of the shipped machine, once computed."""
        wide = sum(len(one.moving) for one in variables)
        self.box = Box(np.full(wide, -np.log(WITHIN)), np.full(wide, np.log(WITHIN)))

    def settings(self, x: Vector) -> Settings:
        """Return the settings of the variables for logarithms of their factors."""
        factors = iter(np.exp(x))
        return tuple(
            setting
            for one in self.variables
            for setting in one.settings([next(factors) for _ in one.moving])
        )

    def prepare(self) -> None:
        """Compute the derivatives of the shipped machine; InputError if it has no figures."""
        if self.derived is not None or not self.variables:
            return
        start = np.zeros_like(self.box.low)
        every = range(len(self.targets))

        def tried(x: Vector) -> Vector | None:
            try:
                return self.residuals((), x, every)
            except RUN_ERRORS:
                return None

        first = tried(start)
        if first is None:
            raise InputError("the shipped machine cannot be run")
        try:
            self.derived = derivatives(
                lambda points: [tried(x) for x in points], start, first, self.box, STEP
            )
        except StartError:
            raise InputError("beside the shipped machine nothing can be run") from None

    @cached_property
    def parts(self) -> Parts:
        """Values with a figure of their own, on the shipped machine."""
        assert self.derived is not None
        return parts_of(self.derived)

    def fit(self, assumed: Settings) -> Fitted:
        """Return the fitted values for these assumptions.

        Raises an exception in ``RUN_ERRORS`` if the shipped values cannot be run with them.
        """
        self.prepare()
        one = _OneFit(self, assumed)
        outside = one.outside() if self.derived is None else one.carried_out()
        return Fitted(self.settings(one.x), outside, one.evaluations)

    def simulated(self, assumed: Settings, x: Vector, rows: Sequence[int]) -> list[float]:
        """Simulate the figures of some targets."""
        ids = [self.targets[row].id for row in rows]
        found = self._figures((*assumed, *self.settings(x)), ids)
        return [found[id_] for id_ in ids]

    def residuals(self, assumed: Settings, x: Vector, rows: Sequence[int]) -> Vector:
        """Return the residuals of some targets."""
        found = self.simulated(assumed, x, rows)
        pairs = zip(rows, found, strict=True)
        return np.array([self.targets[row].residual(figure) for row, figure in pairs])


class _OneFit:
    """One fit, for some assumptions."""

    def __init__(self, refit: Refit, assumed: Settings) -> None:
        self.refit = refit
        self.assumed = assumed
        self.x = np.zeros_like(refit.box.low)
        """Current point, in logarithms of factors."""
        self.evaluations = 0

    def carried_out(self) -> tuple[str, ...]:
        """Fit, and return the figures that are outside of their bands.

        First each figure that one value alone affects: if it cannot be brought into its band, the
        fit ends, and names no other figure. Then the values that affect several figures, without
        figures that have a value of their own, which follow. If any is outside then, all are fitted
        together with derivatives of this machine.
        """
        parts, box, most = self.refit.parts, self.refit.box, self.refit.most
        for one in parts.own:
            if one.alone:
                self._own(one)
                if self._is_hopeless(one):
                    return (self.refit.targets[one.row].id,)
        if parts.columns and parts.rows:
            assert self.refit.derived is not None
            derived = self.refit.derived[np.ix_(parts.rows, parts.columns)]
            attempt = self._attempt(parts.rows, parts.columns)
            attempt.descend(box, derived, most)
            self._take(attempt)
        for one in parts.own:
            if not one.alone:
                self._own(one)
        if not (outside := self.outside()):
            return ()
        attempt = self._attempt(range(len(self.refit.targets)), range(len(self.x)))
        if (fresh := attempt.derivatives(box)) is not None:
            attempt.descend(box, fresh, most)
        self._take(attempt)
        return self.outside() if fresh is not None else outside

    def outside(self) -> tuple[str, ...]:
        """Return the figures that are outside of their bands."""
        targets = self.refit.targets
        self.evaluations += 1
        found = self.refit.simulated(self.assumed, self.x, range(len(targets)))
        pairs = zip(targets, found, strict=True)
        return tuple(one.id for one, figure in pairs if not one.holds(figure))

    def _own(self, own: Own) -> None:
        """Fit a value to its own figure."""
        refit = self.refit
        assert refit.derived is not None
        attempt = self._attempt([own.row], [own.column])
        attempt.approach(refit.box, float(refit.derived[own.row, own.column]), 2 * refit.most)
        self._take(attempt)

    def _is_hopeless(self, own: Own) -> bool:
        """Return whether a figure is outside of its band, and no other value affects it."""
        (figure,) = self.refit.simulated(self.assumed, self.x, [own.row])
        if self.refit.targets[own.row].holds(figure):
            return False
        others = [column for column in range(len(self.x)) if column != own.column]
        attempt = self._attempt([own.row], others)
        moved = attempt.derivatives(self.refit.box) if others else np.zeros(0)
        self._take(attempt)
        return moved is not None and not moved.any()

    def _attempt(self, rows: Sequence[int], columns: Sequence[int]) -> Attempt:
        refit, assumed = self.refit, self.assumed
        return Attempt(lambda at: refit.residuals(assumed, at, rows), self.x, columns)

    def _take(self, attempt: Attempt) -> None:
        self.x = attempt.x
        self.evaluations += attempt.evaluations
