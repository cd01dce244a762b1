"""What the shipped requirements buy, in runs with 200 seeds that the search has not seen.

Long runs are made short, and multiplied by whole over short of the first, as in the search: shorter
ones vary more, so that this asks for more than whole ones would.
"""

from __future__ import annotations

import pytest

from nwtsim import requirements
from nwtsim.files import source_of
from simulator.sizing.draws import Draws
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.search import size
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes

OTHER, COUNT = 7_000_001, 200


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(requirements()))
def test_an_answer_meets_its_targets_with_the_probability_that_is_asked_for(name: str) -> None:
    found = size(source_of(name, "requirement"), executor=Processes(2))
    assert isinstance(found, Sized)
    assert found.winner is not None
    wanted = found.evaluator.wanted
    assert wanted is not None
    evaluator = Evaluator(found.evaluator.loads, seed=OTHER, replications=COUNT, draws=COUNT)
    evaluator.short = found.evaluator.short
    draws = Draws(evaluator, found.winner, whole=True)
    draws._take(draws.rows(0))
    made = dict(Processes(2).map(draws.rows, range(1, COUNT), 2))
    for number in range(1, COUNT):
        draws._take(made[number])
    seen = draws.probability
    assert len(seen.draws) == COUNT
    assert seen.by_runs >= wanted
    assert seen.estimate >= wanted
