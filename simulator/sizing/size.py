"""A requirement, read and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search

if TYPE_CHECKING:
    from simulator.inputfile import Source
    from simulator.sizing.search import Heard, Sized
    from simulator.study.executors import Executor
    from simulator.study.results import Results


def size(
    source: Source,
    *,
    seed: int | None = None,
    replications: int = 10,
    everything: bool = False,
    executor: Executor | None = None,
    results: Results | None = None,
    heard: Heard = lambda _sized: None,
) -> Sized:
    """Find the cheapest configuration that meets a requirement: a file, or a shipped name.

    With a ``seed`` service times vary, and each configuration has so many ``replications``. With
    ``everything`` all that no bound discards is run. ConfigError or InputError before anything runs
    list what is wrong; ``heard`` is told after each configuration. ``executor``: where runs are
    made; ``results``: the store that has long ones, so that none is made twice.
    """
    evaluator = Evaluator(Loads(source), seed=seed, replications=replications, results=results)
    return Search(evaluator, everything=everything, executor=executor).run(heard)
