"""The rule by which runs that differ in their draws meet a target: each of them, or a share.

Without a ``share`` in the requirement each of the runs that are made has to meet each target, and a
figure is that of the worst. That N runs of N do shows, at the confidence C, that at least
(1 - C)^(1/N) of all runs do: the largest share of which N runs in a row would still be a chance of
1 - C. With a ``share`` it is judged by the one of the runs in order that the quantile of all runs
is on the good side of, at the confidence; that takes as many runs as :meth:`Rule.least`.

Not modelled: means. Half of the runs miss a target that the mean run just meets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.requirement_file import TIMES
from simulator.sizing.figures import meets, slack
from simulator.sizing.measured import Measured
from simulator.study.replications import Replicated

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target
    from simulator.study.replications import Meets, Sense

REPLICATIONS = 5
"""Runs that have to meet each target, if the user says nothing."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule by which a requirement judges the figures of several runs."""

    confidence: float
    share: float | None

    @classmethod
    def of(cls, requirement: Requirement) -> Rule:
        """Return the rule of a requirement."""
        return cls(requirement.confidence, requirement.share)

    @property
    def least(self) -> int:
        """The least number of runs that can meet a target.

        >>> Rule(0.95, 0.9).least, Rule(0.95, None).least
        (29, 1)
        """
        if self.share is None:
            return 1
        return math.ceil(math.log(1 - self.confidence) / math.log(self.share) - 1e-9)

    def shown(self, runs: int) -> float:
        """Return the share of all runs that meets a target at least, if all that were made do.

        >>> round(Rule(0.95, None).shown(5), 3)
        0.549
        """
        return float((1 - self.confidence) ** (1 / runs))

    def is_missed(self, target: Target, values: Sequence[float | None]) -> bool:
        """Return whether runs miss a target, whatever others would say."""
        known = [one for one in values if one is not None]
        if self.share is None or len(known) < len(values):
            return len(known) < len(values) or not all(meets(target, one) for one in known)
        return bool(known) and self._by_share(target, known).fails

    def measured(
        self, at: tuple[int, str], target: Target, values: Sequence[float | None]
    ) -> Measured:
        """Return what runs say of a target; ``at``: its place in the file, and the state."""
        known = tuple(one for one in values if one is not None)
        if not known or len(known) < len(values):
            return Measured(*at, None, 0.0)
        figure = Replicated(known, self.confidence, varies=len(known) > 1)
        judged: float | None = (max if target.figure in TIMES else min)(known)
        if self.share is not None and figure.varies:
            judged = self._by_share(target, known).bound
        room = 0.0 if judged is None else slack(target, judged)
        return Measured(*at, figure, room, judged=judged)

    def _by_share(self, target: Target, values: Sequence[float]) -> Meets:
        sense: Sense = "at most" if target.figure in TIMES else "at least"
        return Replicated(tuple(values), self.confidence).meets(target.limit, sense, self.share)
