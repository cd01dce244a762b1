"""The figures of the claims of the study of merges, from simulated runs and measured times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from .compared import BY_TIMES, Figures, Seconds, cells, mean_error_percent
from .formulas import AUTHORS, Rates, by
from .runs import HDD, MERGE, MergeRuns


def _of_runs(runs: MergeRuns, *, of: Callable[[Seconds], Figures]) -> Figures:
    return of(runs.seconds)


def _beside(runs: MergeRuns) -> Figures:
    models = {"ours": runs.seconds, "authors": by(AUTHORS), "formulas": by(Rates())}
    of = cells(MERGE, HDD)
    return {f"{name}_percent": mean_error_percent(one, of) for name, one in models.items()}


CLAIMS: Mapping[str, Callable[[MergeRuns], Figures]] = {
    **{name: partial(_of_runs, of=of) for name, of in BY_TIMES.items()},
    "merge-c2": _beside,
}
