"""Causes: each is told where most of the time is its own, and not where another cause is larger."""

from __future__ import annotations

import pytest

from simulator.inputfile import Text
from simulator.report.causes import causes_text
from simulator.run import EngineName, load_inputs, run_plan
from tests.report.causecases import CASES, Case

pytestmark = pytest.mark.compiled


def told(case: Case, engine: EngineName = "auto") -> str:
    """The first sentence about a run."""
    plan = load_inputs(Text(case.machine, "machine"), Text(case.workload, "workload")).plan()
    return causes_text(run_plan(plan, engine=engine), plan)[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_reason_of_most_of_the_time_is_told_and_no_other(case: Case) -> None:
    text = told(case)
    assert case.said in text, text
    for other in case.unsaid:
        assert other not in text, text


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: case.name)
def test_both_engines_tell_the_same(case: Case) -> None:
    assert told(case, "native") == told(case, "reference")


def test_each_reason_is_told_of_one_run_and_is_not_of_another_that_has_it_too() -> None:
    for reason in ("does not hold what is read", "first reads blocks", "waits to rewrite bytes"):
        assert any(case.said == reason for case in CASES)
        assert any(reason in case.unsaid for case in CASES)
