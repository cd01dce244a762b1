"""The chance that a model's error leaves a target met, by the study whose machine is nearest.

The error of a predicted time is ln(simulated / measured). Bytes over a time are a rate: an error of
a rate counts the other way, so that times and rates of a study are one sample. If a figure is
``slack`` times as good as it has to be in a run, it is as good on a machine where the error is at
least -ln(slack). A study's errors are taken for what the next machine's error may be:

- of ``ENOUGH`` or more, n of them, k of which leave the target met: k / (n + 1). The next error is
  as likely to have each place among those measured, and beyond the worst is a miss.
- of fewer, Student's t of their logarithms with n - 1 degrees of freedom, mean m and deviation s:
  T((ln(slack) + m) / (s sqrt(1 + 1 / n))), the prediction of one more value.

Nearest is the study with the machine that shares the largest part of its kinds of resources; if
that is less than ``NEAR``, all errors that there are count, of real programs too. Errors of a fit,
of numbers left out of it, are for machines with measured numbers of their own: only for that one.

Not modelled: errors that depend on the load. Figures of one machine have one error together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev, variance
from typing import TYPE_CHECKING, Any

from simulator.study.chances import student_chance, student_quantile
from simulator.study.modelerror import fits, recorded_of, studies

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.study.modelerror import Measured

ENOUGH = 20
"""Errors from which on their order is used, and not Student's t."""
NEAR = 0.5
"""The part of all kinds that either machine has, which both must have for one to be near."""
_ROUNDED = 1e-12
"""A slack that is so little less than what an error takes is enough."""


@dataclass(frozen=True)
class ModelError:
    """Errors of a study, as what the model's error on another machine may be."""

    what: str
    """Nouns of the predicted figures, and how many each."""
    where: tuple[str, ...]
    """Pages with each number."""
    logs: tuple[float, ...]
    """ln(simulated / measured) of each time, ln(measured / simulated) of each rate."""
    machine: str = ""
    """The study's machine that is nearest, empty if none is near;"""
    shared: int = 0
    """the kinds of resources that both have,"""
    kinds: int = 0
    """and those that either has."""

    def chance(self, slack: float) -> float:
        """Return the chance that a figure with this slack in a run meets its target on a machine.

        >>> errors = ModelError("", (), tuple(-0.01 * place for place in range(24)))
        >>> errors.chance(1.0), errors.chance(1.3)
        (0.04, 0.96)
        """
        if slack <= 0:
            return 0.0
        least = -math.log(slack) - _ROUNDED
        if len(self.logs) >= ENOUGH:
            return sum(one >= least for one in self.logs) / (len(self.logs) + 1)
        if math.isinf(slack):
            return 1.0
        mean, scale = self._predicted
        return student_chance((mean - least) / scale, len(self.logs) - 1)

    def needed(self, chance: float) -> float:
        """Return the least slack that has a chance of at least so much; infinite if none has."""
        count = len(self.logs)
        if count >= ENOUGH:
            place = math.ceil(chance * (count + 1) - _ROUNDED)
            return math.exp(-sorted(self.logs)[-place]) if 0 < place <= count else math.inf
        mean, scale = self._predicted
        away = student_quantile(max(chance, 1 - chance), count - 1) if chance != 0.5 else 0.0
        return math.exp(math.copysign(away, chance - 0.5) * scale - mean)

    @property
    def most(self) -> float:
        """The largest chance that any slack has."""
        return self.chance(math.inf)

    @property
    def variance(self) -> float:
        """The variance of the logarithm of the error."""
        return variance(self.logs)

    @cached_property
    def _predicted(self) -> tuple[float, float]:
        """The mean of one more value, and its standard error."""
        return fmean(self.logs), stdev(self.logs) * math.sqrt(1 + 1 / len(self.logs))

    def to_record(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "what": self.what,
            "where": list(self.where),
            "count": len(self.logs),
            "nearest_machine": self.machine,
            "kinds_shared": self.shared,
            "kinds_of_either": self.kinds,
        }


def kinds_of(machine: Machine) -> set[str]:
    """Return the kinds of resources of a machine; all caches and memories are ``store``."""
    stores = {"store"} if machine.stores else set()
    return {one.kind for one in machine.parts.values()} | stores


def nearest(kinds: Iterable[str], name: str = "") -> ModelError:
    """Return the errors of the study whose machine is nearest to one of these kinds and this name.

    Of two that are as near it is the one with more errors.

    >>> nearest(("cpu", "network", "queue", "delay", "core", "store")).machine
    'ssken/jss'
    >>> nearest(("tape", "kind of our own")).machine
    ''
    >>> nearest(("cpu", "network"), "nwt").machine
    'nwt'
    """
    own, found = {*kinds}, list[tuple[float, int, ModelError]]()
    for study, machines in studies().items():
        for other, theirs in machines.items():
            shared, either = len(own & theirs), len(own | theirs)
            error = _pooled(*recorded_of(study), other, shared, either)
            share = shared / max(1, either)
            if study in fits():
                share = 1.0 if other == name else 0.0
            found.append((share, len(error.logs), error))
    share, _, error = max(found, key=lambda one: one[:2])
    return error if share >= NEAR else _pooled(*recorded_of(None))


def _pooled(times: Sequence[Measured], rates: Sequence[Measured], *machine: Any) -> ModelError:
    """Return errors of times and of rates as one sample; ``machine``: whose they are."""
    logs = [math.log1p(error) for one in times for error in one.errors]
    logs += [-math.log1p(error) for one in rates for error in one.errors]
    what = ", ".join(f"{len(one.errors)} {one.what}" for one in (*times, *rates))
    where = tuple(dict.fromkeys(one.where for one in (*times, *rates)))
    return ModelError(what, where, tuple(logs), *machine)
