"""Rows of figures: what of a run its targets ask for; the rows of long runs are made once.

Of a run about which nothing else is told the totals are enough, which take less time than a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from simulator.sizing.happened import BUSIEST, HAPPENED, busiest_in, happened
from simulator.sizing.targets import figure_of, figure_of_totals, is_of_totals
from simulator.study.results import key_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.ready import Ready
    from simulator.study.executors import Executor
    from simulator.study.results import Results

Row = dict[str, Any]
"""Figures of a run by their names, and what else is told of it."""
Wanted = tuple[str, tuple["Setting", ...], int | None]
"""A run that is wanted: the name of its load, its settings, and its seed."""


class Rows:
    """Makes rows, and knows those of long runs."""

    def __init__(self, results: Results | None) -> None:
        """``results``: a store that long runs are looked for in, and go to."""
        self.results = results
        self.long: set[str] = set()
        """The loads whose runs are long."""
        self.known: dict[str, Row] = {}
        """Rows of long runs, by what they follow from."""

    def of(self, load: Ready, plan: Plan, targets: Mapping[str, Target], *, told: bool) -> Row:
        """Return the row of a plan; ``told``: with its busiest instance, and what failed."""
        told = told or not all(map(is_of_totals, targets.values()))
        if load.name not in self.long:
            return _made(load, plan, targets, told=told)
        seed = plan.seed if plan.noisy else None
        kind = f"size {' '.join(sorted(targets))}"
        key = key_of(plan.digest, seed, kind=kind if told else f"{kind}, figures")
        if key not in self.known and self.results is not None:
            self.known |= self.results.get([key])
        if key not in self.known:
            self.known[key] = _made(load, plan, targets, told=told)
            if self.results is not None:
                self.results.put({key: self.known[key]})
        return self.known[key]


def _made(load: Ready, plan: Plan, targets: Mapping[str, Target], *, told: bool) -> Row:
    """Run a plan, and return its row."""
    if not told:
        totals = load.prepared.plans.totals(plan)
        return {name: figure_of_totals(one, totals) for name, one in targets.items()}
    result = load.prepared.plans.run(plan)
    row: Row = {name: figure_of(one, result) for name, one in targets.items()}
    return row | {BUSIEST: busiest_in(result), HAPPENED: happened(plan, result)}


class Ahead:
    """Long runs of one configuration, made side by side before they are asked for."""

    def __init__(self, evaluator: Evaluator, wanted: Iterable[Wanted]) -> None:
        self._evaluator = evaluator
        self._wanted = [*dict.fromkeys(wanted)]

    def make(self, executor: Executor) -> None:
        """Make them; the evaluator knows their rows then."""
        if len(self._wanted) < 2 or executor.remote:
            return
        self._evaluator.close()
        numbers = range(len(self._wanted))
        with closing(executor.map(self, numbers, executor.processes)) as answers:
            for _, known in answers:
                self._evaluator.rows.known |= known

    def __call__(self, number: int) -> dict[str, Row]:
        """Make one; return what is known by it."""
        name, settings, seed = self._wanted[number]
        (load,) = (one for one in self._evaluator.loads.loads if one.name == name)
        before = {*self._evaluator.rows.known}
        self._evaluator.row(load, load.plan(settings, seed))
        known = self._evaluator.rows.known
        return {key: row for key, row in known.items() if key not in before}
