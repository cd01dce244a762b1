"""The cheapest configuration that meets a requirement, and what would come next.

Every configuration that can be built is looked at in the order of its price, or of its total cost
of ownership if that is minimised: both are known before anything runs. A bound from its plan
discards it without a run where no run could meet a target; the others are run until the cheapest
that meets all of them is known, and the next one that does. Where runs are long, short ones tell
first which are worth a whole one (:mod:`simulator.sizing.short`); else nothing is left out by a
judgement, and the answer is that of running everything (``everything=True`` does that).

Of more combinations than can all be looked at a sample is: :mod:`simulator.sizing.sampling`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.sizing.alternatives import every_loads, joined
from simulator.sizing.configurations import MOST
from simulator.sizing.evaluate import Evaluator, How
from simulator.sizing.loads import Loads
from simulator.sizing.runs import Runs, Task
from simulator.sizing.short import CLEARLY
from simulator.sizing.sized import Sized, of_all
from simulator.sizing.targets import REPLICATIONS, column_of
from simulator.study.replications import DEFAULT_SEED

if TYPE_CHECKING:
    from simulator.inputfile import Source
    from simulator.sizing.configurations import Configuration, Offer
    from simulator.sizing.planned import Planned
    from simulator.study.executors import Executor
    from simulator.study.results import Results


def size(  # noqa: PLR0913 - one for each option
    source: Source,
    *,
    seed: int | None = None,
    noise: bool = True,
    replications: int | None = None,
    everything: bool = False,
    trials: int | None = None,
    search_seed: int | None = None,
    executor: Executor | None = None,
    results: Results | None = None,
    heard: Callable[[Sized | Planned], None] = lambda _found: None,
) -> Sized | Planned:
    """Find the cheapest configuration that meets a requirement: a file, or a shipped name.

    Of a requirement with a ``plan``: what is bought in which year.

    Service times vary as the machine states, and targets have to hold in each of so many
    ``replications``, the first of which has the ``seed`` (1), or with the probability that the
    requirement asks for by so many at most; without ``noise`` one run is made of each. With
    ``everything`` all that no bound discards is run. Of more combinations than can all be looked at
    so many ``trials`` are, which follow from the ``search_seed``. ConfigError or InputError before
    anything runs list what is wrong; ``heard`` is told after each configuration. ``executor``:
    where runs are made; ``results``: the store that has long ones, so that none is made twice.
    """
    every = every_loads(source)
    first = (DEFAULT_SEED if seed is None else seed) if noise else None

    def of(loads: Loads) -> Evaluator:
        return Evaluator(
            loads,
            seed=first,
            replications=REPLICATIONS if replications is None else replications,
            draws=replications,
            results=results,
        )

    evaluators = [of(loads) for loads in every]
    for one in evaluators:
        _check_probability(one)
    offers = [loads.offer for loads in every]
    asked = {"--trials": trials, "--search-seed": search_seed}
    if every[0].requirement.plan is not None:
        from simulator.sizing.planning import Planning

        for offer in offers:
            _check_plan(offer, {"--all": everything, **asked})
        years = range(1, int(every[0].requirement.years))
        earlier = [[of(Loads(one.text, one.alternative, year)) for year in years] for one in every]
        both = zip(earlier, evaluators, strict=True)
        return Planning([[*before, last] for before, last in both], executor).run(heard)
    _check_sample(offers, every[0].requirement.name, everything, asked)
    searches = [
        Search(one, everything=everything, executor=executor)
        if one.loads.offer.countable
        else _sampling(one, trials, search_seed, executor)
        for one in evaluators
    ]
    best = joined([search.look(heard) for search in searches])
    next(search for search in searches if search.sized is best).settle()
    return best


def _check_sample(
    offers: Sequence[Offer], name: str, everything: bool, asked: Mapping[str, int | None]
) -> None:
    """Raise InputError for options of a sample where all are looked at, and the other way round."""
    large = next((offer for offer in offers if not offer.countable), None)
    if large is not None and everything:
        raise InputError(f"--all: {large.size:,} combinations are too many to run; leave it out")
    for option, value in asked.items() if large is None else ():
        if value is not None:
            about = f"all {sum(offer.size for offer in offers):,} combinations of {name}"
            raise InputError(
                f"{option}: {about} are looked at, and no sample of them; leave it out"
            )


def _sampling(
    evaluator: Evaluator, trials: int | None, seed: int | None, executor: Executor | None
) -> Runs:
    """Return the search among more configurations than can all be looked at."""
    from simulator.sizing.sampling import SEED, TRIALS, Sampling

    return Sampling(
        evaluator,
        trials=TRIALS if trials is None else trials,
        seed=SEED if seed is None else seed,
        executor=executor,
    )


def _check_plan(offer: Offer, options: Mapping[str, object]) -> None:
    """Raise InputError for what a plan is not looked for with."""
    for option, value in options.items():
        if value not in (None, False):
            raise InputError(f"{option}: a plan needs no other runs than it makes; leave it out")
    if not offer.countable:
        about = f"{offer.size:,} combinations are too many for a plan"
        raise InputError(f"{about}; write choices that make at most {MOST:,}")


def _check_probability(evaluator: Evaluator) -> None:
    """Raise ConfigError if errors are too few to show the probability that is asked for."""
    asked, error = evaluator.wanted, evaluator.error
    modelled = any(column_of(target) for _, target in evaluator.timed)
    if asked is None or not modelled or evaluator.needs_of_any < math.inf:
        return
    place = evaluator.requirement.origin.place(("probability",))
    about = f"of {error.what} no more can be told than {100 * error.most:.1f} %"
    raise ConfigError([place.problem("probability", f"{about}; write at most so much")])


# -- searches -------------------------------------------------------------------------------------


class Search(Runs):
    """A search that looks at all configurations, the cheapest first."""

    def __init__(
        self, evaluator: Evaluator, *, everything: bool = False, executor: Executor | None = None
    ) -> None:
        """With ``everything`` all that no bound discards is run."""
        super().__init__(of_all(evaluator, everything=everything), executor)

    def _look(self) -> None:
        """Look at configurations, the cheapest first."""
        if not self.sized.everything:
            self.sized.bounds |= self._look_at_length(self.sized.order)
        self._look_on()

    def _look_on(self) -> None:
        self._carry_out(Walk(self.sized))
        self._trim()

    def _trim(self) -> None:
        """Forget what was run ahead while the answer was not known: how much depends on chance."""
        sized = self.sized
        known = {one.number for one in sized.order[: sized.end()]}
        sized.meeting = [one for one in sized.meeting if one.number in known]
        for found in (sized.outcomes, sized.bounds, sized.short):
            for number in [one for one in found if one not in known]:
                del found[number]


# -- the order in which configurations are looked at ----------------------------------------------


class Walk(Iterator["Task"]):
    """Hands out what is to be run, the cheapest first, until enough is known.

    It may have more after it had none: what short runs say decides what is run whole.
    """

    def __init__(self, sized: Sized) -> None:
        self.sized = sized
        self._place = 0
        """Place of the next configuration that was not looked at."""
        self._asked: deque[Configuration] = deque()
        """Configurations of which short runs have been asked for, but no whole run."""

    def __next__(self) -> Task:
        sized = self.sized
        for one in list(self._asked):
            outcome = sized.short.get(one.number)
            if outcome is None:
                break  # so that whole runs are in order too
            self._asked.popleft()
            if outcome.slack >= CLEARLY and sized.place(one) < sized.end():
                return one.number, self._how
        while self._place < sized.end():
            one = sized.order[self._place]
            self._place += 1
            if one.number in sized.bounds or one.number in sized.outcomes:
                continue
            bound = sized.evaluator.bound(one, every=False)
            if bound.slack < 1:
                sized.bounds[one.number] = bound
                continue
            short = sized.evaluator.short
            if short is None or not short.divisions:
                return one.number, self._how
            self._asked.append(one)
            return one.number, "short"
        raise StopIteration

    @property
    def _how(self) -> How:
        return "complete" if self.sized.everything else "run"
