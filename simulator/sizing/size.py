"""A requirement, read and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import InputError
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.rule import REPLICATIONS, Rule
from simulator.sizing.search import Search
from simulator.study.replications import DEFAULT_SEED

if TYPE_CHECKING:
    from simulator.inputfile import Source
    from simulator.sizing.search import Sized, SizingProgress
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
    heard: SizingProgress = lambda _sized: None,
) -> Sized:
    """Find the cheapest configuration that meets a requirement: a file, or a shipped name.

    Service times vary as the machine states, and targets have to hold in each of so many
    ``replications``, the first of which has the ``seed`` (1); without ``noise`` one run is made of
    each. With ``everything`` all that no bound discards is run. Of more combinations than can all
    be looked at so many ``trials`` are, which follow from the ``search_seed``. ConfigError or
    InputError before anything runs list what is wrong; ``heard`` is told after each configuration.
    ``executor``: where runs are made; ``results``: the store that has long ones, so that none is
    made twice.
    """
    loads = Loads(source)
    offer = loads.offer
    rule = Rule.of(loads.requirement)
    runs = max(REPLICATIONS, rule.least) if replications is None else replications
    if noise and runs < rule.least:
        asked = f"that {100 * (rule.share or 0):g} % of all runs meet the targets"
        how = f"takes {rule.least} runs to know with {100 * rule.confidence:g} %"
        raise InputError(f"--replications {runs}: {asked} {how}; write {rule.least} or more")
    first = (DEFAULT_SEED if seed is None else seed) if noise else None
    evaluator = Evaluator(loads, seed=first, replications=runs, results=results)
    if offer.countable:
        for option, value in (("--trials", trials), ("--search-seed", search_seed)):
            if value is not None:
                about = f"all {offer.size:,} combinations of {loads.requirement.name} are looked at"
                raise InputError(f"{option}: {about}, and no sample of them; leave it out")
        return Search(evaluator, everything=everything, executor=executor).run(heard)
    if everything:
        raise InputError(f"--all: {offer.size:,} combinations are too many to run; leave it out")
    from simulator.sizing.sampling import SEED, TRIALS, Sampling

    sampling = Sampling(
        evaluator,
        trials=TRIALS if trials is None else trials,
        seed=SEED if search_seed is None else search_seed,
        executor=executor,
    )
    return sampling.run(heard)
