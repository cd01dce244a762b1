"""Rows of figures: plans of other seeds, totals in place of results, runs that are made ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.load import load_file
from simulator.config.lowering.plan import make_plan
from simulator.config.requirement_file import FIGURES, Target
from simulator.inputfile import Text
from simulator.prepared import Prepared
from simulator.run import run_plan
from simulator.sizing import short
from simulator.sizing.draws import KNOWN
from simulator.sizing.evaluate import Evaluator, How
from simulator.sizing.loads import Loads
from simulator.sizing.targets import Outcome, figure_of, figure_of_totals, is_of_totals
from simulator.study.executors import Processes
from tests.sizing.texts import SHORTER, requirement, searched

JOB = """\
format: workload/2
name: job
files: {data: {size: 40 MB, exists: true}, out: {size: 8 MB}}
jobs:
  - {name: job, processes: 4, record: 1 MB, policy: posix, phases: [PHASE]}
"""
RACK = """\
format: machine/2
name: rack
nodes: {client: {count: 4}, server: {count: 3}}
parts:
  cpu: {kind: cpu, at: client, copy_rate: 5 GB/s}
  lan: {kind: network, at: [client, server], rate: 1 GB/s}
  disk: {kind: disk, at: server, count: 2, rate: 100 MB/s, seek: 4 ms, noise: {request: 10 %}}
filesystems:
  home: [{stripe: 1 MB, over: 1, of: disk, placement: PLACE}, {route: [lan], request: 1 MB}, disk]
"""
READ = "{do: read, file: data}"
DRAWN = {
    "nothing": ("round-robin", READ, "", False),
    "where files begin": ("random", "{do: write, file: out}", "", True),
    "starts": ("round-robin", READ, "skew: 1 s, ", True),
    "lengths": (
        "round-robin",
        "{do: read, file: data, record: {draw: uniform, from: 1 MB, to: 2 MB}}",
        "",
        True,
    ),
    "places": (
        "round-robin",
        "{do: read, file: data, offset: 0 B, size: 8 MB, order: random}",
        "",
        True,
    ),
    "times": ("round-robin", "{do: compute, time: 1 s, spread: 10 %}", "", True),
}


@pytest.mark.parametrize("what", DRAWN)
def test_the_plan_of_another_seed_is_what_is_made_anew(what: str) -> None:
    """Rows are kept where none follows from the seed; for what is drawn they are not."""
    place, phase, more, draws = DRAWN[what]
    machine = Text(RACK.replace("PLACE", place), "rack.yaml")
    job = JOB.replace("PHASE", phase).replace("record: 1 MB, ", f"record: 1 MB, {more}", 1)
    workload = Text(job, "job.yaml")
    files = load_file(MACHINE, machine), load_file(WORKLOAD, workload)
    prepared = Prepared(machine, workload)
    first = prepared.plan(seed=1)
    for seed in (2, 1, None):
        plan = prepared.plan(seed=seed)
        anew = make_plan(*files, seed=seed or 0, noisy=seed is not None)
        assert plan == anew or what == "lengths"  # These are compared by what runs do with them.
        assert prepared.plans.run(plan).elapsed_ns == run_plan(anew).elapsed_ns
        if seed == 2:
            assert (plan.processes is first.processes) is not draws


@pytest.mark.parametrize(
    ("machine", "workload"),
    [("nwt", "test-write"), ("nwt", "test-read-parallel"), ("workstation", "copy-file")],
)
def test_totals_have_the_figures_of_results(machine: str, workload: str) -> None:
    prepared = Prepared(machine, workload)
    plan = prepared.plan(seed=3)
    result, totals = prepared.plans.run(plan), prepared.plans.totals(plan)
    targets = [Target(workload=None, **{figure: "1 s"}) for figure in ("elapsed", "end")]
    targets += [Target(**{figure: "1 s"}) for figure in ("read_time", "write_time")]
    targets += [Target(**{figure: "1 MB/s"}) for figure in ("read", "write", "stable")]
    for one in targets:
        assert is_of_totals(one)
        assert figure_of_totals(one, totals) == figure_of(one, result)
    assert {one.figure for one in targets} <= {*FIGURES}
    assert not is_of_totals(Target(elapsed="1 s", job="a"))
    assert not is_of_totals(Target(read_p95="1 s"))


class Elsewhere(Processes):
    """Counts the tasks that are handed out."""

    tasks = 0

    def map(self, work: Any, tasks: Any, most: int) -> Any:
        for task, answer in super().map(work, tasks, most):
            self.tasks += 1
            yield task, answer


def evaluated(how: How, executor: Processes | None, text: str) -> Any:
    evaluator = Evaluator(Loads(requirement(text)), seed=1, replications=3, draws=8)
    one = evaluator.loads.offer.configuration(evaluator.loads.offer.size - 1)
    evaluator.refer_to(one)
    assert evaluator.short is not None
    assert evaluator.short.divisions
    return evaluator((one.number, how), executor)


@pytest.mark.parametrize("how", sorted({*get_args(How)} - {"short", "run"}))
@pytest.mark.parametrize("probability", ["", "probability: 60 %\n"])
def test_whole_runs_are_made_side_by_side(
    how: How, probability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in each state; what is found is as if they were made one after the other."""
    monkeypatch.setattr(short, "LONG_S", 0.0)
    monkeypatch.setattr(short, "SHORT_S", 1e-5)
    text = SHORTER.replace("catalogue:", f"{probability}{STATES}catalogue:")
    text = text.replace("end: 12 s}]", "end: 12 s, states: [normal, slower]}]")
    executor = Elsewhere(2)
    assert evaluated(how, executor, text) == evaluated(how, None, text)
    made = executor.tasks > 0
    assert made is (how in KNOWN or not probability)


STATES = "states: {slower: {set: {array.seek: 60 ms}}}\n"


def noted(look: Callable[..., Outcome], partial: list[bool]) -> Callable[..., Outcome]:
    def looked(*given: Any, **how: Any) -> Outcome:
        found = look(*given, **how)
        partial.append(found.partial)
        return found

    return looked


@pytest.mark.parametrize("longer", [False, True])
def test_the_nearest_is_by_all_states(longer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What misses a target in the first state is looked at in no other, until it may be nearest."""
    if longer:
        monkeypatch.setattr(short, "LONG_S", 0.0)
        monkeypatch.setattr(short, "SHORT_S", 1e-5)
    text = SHORTER.replace("catalogue:", f"{STATES}catalogue:")
    text = text.replace("end: 12 s}]", "end: 2 s, states: [normal, slower]}]")

    partial: list[bool] = []
    for name in ("bound", "predicted"):
        monkeypatch.setattr(Evaluator, name, noted(getattr(Evaluator, name), partial))

    def found(*, everything: bool) -> Any:
        return searched(Loads(requirement(text)), everything=everything)

    quick, whole = found(everything=False), found(everything=True)
    assert quick.winner is whole.winner is None
    assert quick.nearest == whole.nearest
    assert any(partial)
