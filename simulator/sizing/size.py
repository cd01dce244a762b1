"""A requirement, read and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import InputError
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.study.replications import DEFAULT_SEED

if TYPE_CHECKING:
    from simulator.inputfile import Source
    from simulator.sizing.search import Heard, Sized
    from simulator.study.executors import Executor
    from simulator.study.results import Results


REPLICATIONS = 10
"""Runs of each configuration whose runs vary, if the user says nothing."""


def size(  # noqa: PLR0913 - one for each option
    source: Source,
    *,
    seed: int | None = None,
    noise: bool = True,
    replications: int = REPLICATIONS,
    everything: bool = False,
    trials: int | None = None,
    search_seed: int | None = None,
    executor: Executor | None = None,
    results: Results | None = None,
    heard: Heard = lambda _sized: None,
) -> Sized:
    """Find the cheapest configuration that meets a requirement: a file, or a shipped name.

    Each configuration that may meet it has so many ``replications``, the first of which has the
    ``seed`` (1); without ``noise`` service times do not vary, and one run is made of each. With
    ``everything`` all that no bound discards is run. Of more combinations than can all be looked at
    so many ``trials`` are, which follow from the ``search_seed``. ConfigError or InputError before
    anything runs list what is wrong; ``heard`` is told after each configuration. ``executor``:
    where runs are made; ``results``: the store that has long ones, so that none is made twice.
    """
    seed = (DEFAULT_SEED if seed is None else seed) if noise else None
    loads = Loads(source)
    offer = loads.offer
    evaluator = Evaluator(loads, seed=seed, replications=replications, results=results)
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
