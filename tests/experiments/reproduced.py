"""Each study carried out once in a process of tests, with its own number of repetitions."""

from __future__ import annotations

from functools import cache

from simulator.experiments.nwt.predictions import predictions
from simulator.experiments.orion import laws
from simulator.study.ledger import Ledger
from simulator.study.studies import reproduce_study


@cache
def work_told(name: str) -> tuple[Ledger, list[float]]:
    """Return what a study came to, and the shares of its work that were told meanwhile."""
    laws._few_runs.cache_clear()  # Another test may have had them fitted.
    told: list[float] = []
    return reproduce_study(name, tell=told.append), told


predicted = cache(predictions)
"""What simulator and formulas predict of a study, made once."""


def reproduced(name: str) -> Ledger:
    """Return what a study came to."""
    return work_told(name)[0]
