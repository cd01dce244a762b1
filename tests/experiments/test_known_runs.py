"""Results of runs that are kept by their plans."""

from dataclasses import replace

from simulator.experiments.ninf.runs import RunCache
from simulator.plan.plan import Plan
from simulator.run import load_plan


def test_a_plan_is_carried_out_once_whatever_its_input_was() -> None:
    plan = load_plan("ninf", "ninf-single")
    made: list[Plan] = []
    known: RunCache[int] = RunCache(2)

    def run(one: Plan) -> int:
        made.append(one)
        return len(made)

    # What the workload does not use is not in the plan.
    other = load_plan(
        "ninf",
        "ninf-single",
        settings=[("machine.services.ultrasparc-client.conversion", "9 MB/s")],
    )
    assert other.digest != plan.digest
    assert [known.result(one, run) for one in (plan, other, plan)] == [1, 1, 1]
    used = load_plan(
        "ninf", "ninf-single", settings=[("machine.services.j90.conversion", "9 MB/s")]
    )
    assert known.result(used, run) == 2
    assert known.result(replace(plan, run=1), run) == 3
    assert known.result(used, run) == 2
    assert known.result(plan, run) == 4  # Two are kept: those that were asked for last.
