"""Bounds of a configuration's targets: what no run can be better than, without a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.plan.bounds import BOUNDED, Bounds
from simulator.sizing.targets import Measured, Outcome, slack
from simulator.study.replications import Replicated

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target
    from simulator.config.settings import Setting
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.ready import Ready


class Bounded:
    """Bounds of the configurations of a requirement."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._last: dict[str, tuple[object, Bounds]] = {}
        """The last settings of each load, and the bounds with these."""

    def outcome(self, one: Configuration, *, every: bool) -> Outcome:
        """Return the best that runs of a configuration can be, in ``every`` state.

        Else a target that is missed ends it.
        """
        evaluator = self._evaluator
        found = [*evaluator.capacity(one)]
        for state in evaluator.states:
            if not every and any(item.slack < item.needs for item in found):
                return Outcome(one.number, tuple(found), complete=False, runs=0, partial=True)
            settings = evaluator.loads.offer.settings_in(one, state)
            for index, target in evaluator.timed:
                if state in target.in_states and target.workload is not None:
                    found.append(self._bounded(index, target, state, settings))
        return Outcome(one.number, tuple(found), complete=False, runs=0)

    def _bounded(
        self, index: int, target: Target, state: str, settings: tuple[Setting, ...]
    ) -> Measured:
        (load,) = (one for one in self._evaluator.loads.loads if one.is_asked(target))
        best = None
        if target.figure in BOUNDED:
            best = self._of(load, settings).best(target.figure, target.job)
        figure = Replicated((best,), varies=False) if best is not None else None
        room = math.inf if best is None else slack(target, best)
        needs = self._evaluator.needs(target)
        return Measured(index, state, figure, room, by="bound", judged=best, needs=needs)

    def _of(self, load: Ready, settings: tuple[Setting, ...]) -> Bounds:
        """Return the bounds of a load; what it asks for is counted again only if that changes."""
        seed = self._evaluator.first_seed(load)
        asked, last = self._last.get(load.name, (None, None))
        if last is None or asked != (settings, seed):
            last = Bounds(load.plan(settings, seed), last)
            self._last[load.name] = (settings, seed), last
        return last
