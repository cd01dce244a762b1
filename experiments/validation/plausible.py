"""One machine drawn from a study's assumptions: fitted again, with the results of claims."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from simulator.config.formats import MACHINE
from simulator.config.sources import provenance
from simulator.errors import InputError
from simulator.run import load
from simulator.shipped import shipped_root
from simulator.study.change import Change, Settings
from simulator.study.ledger import figure_result, sentence_result
from simulator.study.studies import DEFAULT_SEED, experiment
from simulator.study.study_file import (
    CALIBRATED,
    PREDICTED,
    Figure,
    Sentence,
    StudyFile,
    load_study_file,
)

from .assumed import Assumptions, load_assumptions, site_of
from .attempt import RUN_ERRORS
from .ranged import template
from .refit import Fitted, Refit, Target, Variable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.config.machine_file import Machine
    from simulator.run import EngineName
    from simulator.study.experiment import Experiment

    Vector: TypeAlias = NDArray[np.float64]

Row: TypeAlias = dict[str, Any]
"""Outcome of a point, as stored: JSON."""
NOT_COMPUTED = "cannot be computed"
OUTSIDE = "inside the band"
"""Condition of a figure."""
_KEPT = 3
"""Number of settings whose runs are cached: a fit's best is among its last."""


class Fit(Protocol):
    """Fits calibrated values again."""

    derived: Vector | None
    """Derivatives of the shipped machine, once computed."""

    def prepare(self) -> None:
        """Compute them."""
        ...

    def fit(self, assumed: Settings) -> Fitted:
        """Return the fitted values for some assumptions."""
        ...


@dataclass
class Evaluator:
    """Runs the points of a study; it is created anew in another process."""

    study: str
    seed: int = DEFAULT_SEED
    runs: int | None = None
    engine: EngineName = "auto"
    derived: dict[str, Vector] = field(default_factory=dict)
    """Derivatives of the shipped machine for each site, once computed."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Evaluator, (self.study, self.seed, self.runs, self.engine, self.derived)

    def __call__(self, task: tuple[int, tuple[float, ...]]) -> Row:
        """Return the row of a point, from its number and its coordinates.

        ``sites``: the outcome of each fit; ``verdicts``: violated conditions of each claim and
        figure; ``skipped``: untestable ones, with the reason.
        """
        number, point = task
        settings = self.assumptions.settings(point)
        row: Row = {"point": number, "sites": {}, "verdicts": {}, "figures": {}, "skipped": {}}
        for site in self.sites:
            mine = tuple(one for one in settings if site_of(one[0]) in ("", site))
            self._site(row, site, mine)
        return row

    def prepare(self) -> None:
        """Compute the derivatives of the shipped machine, with which all points begin."""
        for site, fit in self.fits.items():
            fit.derived = self.derived.get(site)
            fit.prepare()
            if fit.derived is not None:
                self.derived[site] = fit.derived

    # -- what a study consists of ------------------------------------------------------------

    @cached_property
    def assumptions(self) -> Assumptions:
        """The file of assumptions."""
        return load_assumptions(self.study)

    @cached_property
    def file(self) -> StudyFile:
        """The study's file."""
        return load_study_file(self.study)

    @cached_property
    def code(self) -> Experiment[Any]:
        """The study as code."""
        return experiment(self.study)

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites of the study; one without a name in a study of one machine."""
        return tuple(self.assumptions.sites) or ("",)

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """Refits of the calibrated values of each site."""
        if self.assumptions.by_calibration:
            from .refit_cells import CellRefit

            return {"": CellRefit(self.study)}
        return {site: self._refit(site) for site in self.sites}

    def _refit(self, site: str) -> Refit:
        refits = [one for one in self.assumptions.refits if one.site == site]
        texts = {one.path: one.value for one in provenance(machine_of(self.file, site))}
        variables = []
        for one in refits:
            path = one.paths[0].removeprefix(f"{site}:").removeprefix("machine.")
            if path not in texts:
                raise InputError(f"{self.study}/assumptions.yaml: refit: no value {one.paths[0]}")
            variables.append(Variable(one.paths, template(texts[path])))
        named = {id_ for one in refits for id_ in one.to}
        targets = [
            Target(one.id, _middle(one), one.low, one.high)
            for one in self.file.figures
            if one.role == CALIBRATED
            and not one.contradicted
            and (one.id in named or not self.assumptions.sites)
        ]
        return Refit(variables, targets, self._figures)

    # -- simulation ----------------------------------------------------------------------------

    _begun: OrderedDict[Settings, Any] = field(default_factory=OrderedDict, repr=False)

    def _begin(self, settings: Settings) -> Any:
        """Return the runs with some settings, cached."""
        if settings not in self._begun:
            change = Change(settings)
            self._begun[settings] = self.code.begin(self.runs, self.seed, self.engine, change)
            while len(self._begun) > _KEPT:
                self._begun.popitem(last=False)
        self._begun.move_to_end(settings)
        return self._begun[settings]

    def _figures(self, settings: Settings, ids: Sequence[str]) -> Mapping[str, float]:
        runs = self._begin(settings)
        return {
            one.id: figure_result(one, runs, self.code.figures).simulated
            for one in self.file.figures
            if one.id in ids
        }

    def _site(self, row: Row, site: str, settings: Settings) -> None:
        try:
            fitted: Fitted = self.fits[site].fit(settings)
        except RUN_ERRORS as error:
            row["sites"][site] = {"invalid": _first_line(error)}
            return
        row["sites"][site] = {
            "fitted": dict(fitted.settings),
            "outside": list(fitted.outside),
            "evaluations": fitted.evaluations,
        }
        if fitted.outside:
            return
        final = (*settings, *fitted.settings)
        for claim in self.file.claims:
            if not claim.untestable and self.assumptions.site_of(claim.id) == site:
                self.decide(row, final, claim)
        for figure in self.file.figures:
            if figure.role == PREDICTED and self.assumptions.site_of(figure.id) == site:
                self._compare(row, final, figure)

    def decide(self, row: Row, settings: Settings, claim: Sentence) -> None:
        """Put the verdict on a claim, with some settings, into a row."""
        try:
            made = sentence_result(claim, self._begin(settings), self.code.claims)
        except (InputError, *RUN_ERRORS) as error:
            if isinstance(error, ArithmeticError):
                row["verdicts"][claim.id] = [NOT_COMPUTED]
            else:
                row["skipped"][claim.id] = _first_line(error)
        except (ValueError, LookupError):
            row["verdicts"][claim.id] = [NOT_COMPUTED]
        else:
            row["verdicts"][claim.id] = [] if made.holds else list(made.broken) or [claim.rule]

    def _compare(self, row: Row, settings: Settings, figure: Figure) -> None:
        try:
            made = figure_result(figure, self._begin(settings), self.code.figures)
        except (*RUN_ERRORS, ValueError, LookupError) as error:
            row["skipped"][figure.id] = _first_line(error)
        else:
            row["verdicts"][figure.id] = [] if made.inside else [OUTSIDE]
            row["figures"][figure.id] = made.simulated


def machine_of(
    study: StudyFile, site: str = "", settings: Sequence[tuple[str, str]] = ()
) -> Machine:
    """Return the shipped machine of a study, or of one of its sites, with settings."""
    if not site:
        return load(MACHINE, study.machine, settings)
    return load(MACHINE, shipped_root("experiments") / study.name / f"{site}.yaml", settings)


def _middle(figure: Figure) -> float:
    return (figure.low + figure.high) / 2 if figure.value is None else figure.value


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
