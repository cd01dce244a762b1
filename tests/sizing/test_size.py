"""The search equals looking at everything, with prices and capacities by hand."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.plan.plan import Plan
from simulator.prepared import Plans
from simulator.report.sizewords import words_of
from simulator.result.result import Result
from simulator.run import load_plan, run_plan
from simulator.sizing import short
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from simulator.study.results import Results
from tests.sizing.pages import written_size
from tests.sizing.texts import COPY, SHORTER, requirement

SIZES = [("workload.files.source.size", "8 MB"), ("workload.files.copy.size", "8 MB")]
SPEEDS = {"slow": ("40 MB/s", 0), "fast": ("160 MB/s", 1)}


def sized(text: str, *, jobs: int = 1, everything: bool = False, seed: int | None = None) -> Sized:
    evaluator = Evaluator(Loads(requirement(text)), seed=seed, replications=4)
    return Search(evaluator, everything=everything, executor=Processes(jobs)).run()


def by_hand(limit_s: float) -> list[tuple[float, float, int, tuple[str, str, str]]]:
    """All that meets COPY: price, power and place, and what was chosen."""
    times = {}
    for name, (rate, _) in SPEEDS.items():
        settings = [*SIZES, ("machine.parts.disk.rate", rate)]
        times[name] = run_plan(load_plan("workstation", "copy-file", settings=settings)).elapsed_ns
    found = []
    grid = itertools.product((1, 2), (1, 2, 3, 4), SPEEDS)
    for number, (boxes, disks, speed) in enumerate(grid):
        more = SPEEDS[speed][1]
        pieces, holders = 2 * disks * boxes, boxes + more
        if pieces > 6 * holders:
            continue
        if times[speed] <= limit_s * 1e9 and pieces / 2 >= 3:
            price, power = 100 * pieces + 1000 * holders, 8 * pieces + 50 * holders
            found.append((price, power, number, (str(boxes), str(disks), speed)))
    return sorted(found)


@pytest.mark.few(3)
@pytest.mark.parametrize("limit", [0.01, 0.1, 0.2, 0.4, 1.0])
@pytest.mark.parametrize("everything", [False, True])
def test_the_answer_is_that_of_looking_at_everything(limit: float, everything: bool) -> None:
    expected = by_hand(limit)
    found = sized(COPY.replace("TIME", f"{limit} s"), everything=everything)
    assert [found.winner, found.runner_up][: len(expected)] == [
        one for one in (found.winner, found.runner_up) if one is not None
    ]
    assert (found.winner is None) == (not expected)
    answers = [one for one in (found.winner, found.runner_up) if one is not None]
    for one, (price, power, number, levels) in zip(answers, expected, strict=False):
        assert (one.price, one.power, one.number, one.levels) == (price, power, number, levels)
        assert found.outcome(one).meets
        assert found.outcome(one).complete


def test_processes_do_not_show() -> None:
    text = COPY.replace("TIME", "0.2 s")
    one, two = sized(text), sized(text, jobs=2)
    for form in ("table", "json", "csv"):
        assert written_size(one, form) == written_size(two, form)


def test_nothing_meets_it_and_by_how_much() -> None:
    """Both disks take longer than a millisecond; what is nearest is told, and misses."""
    found = sized(COPY.replace("TIME", "1 ms"))
    assert found.winner is None
    nearest = found.nearest
    assert nearest is not None
    assert nearest.levels[2] == "fast"
    record = json.loads(written_size(found, "json"))
    assert record["met"] is False
    assert record["answer"] is None
    slack = {one["figure"]: one["slack"] for one in record["nearest"]["targets"]}
    assert slack["elapsed"] < 0.1
    assert "Nothing that can be bought meets this." in written_size(found, "table")


def test_beyond_the_budget() -> None:
    """The cheapest that meets it costs 1,600; with 1,500 to spend it is told beside the nearest."""
    text = COPY.replace("TIME", "1 s")
    cheapest = by_hand(1.0)[0]
    assert cheapest[0] == 1600
    found = sized(text.replace("catalogue:", "budget: {price: 1500}\ncatalogue:"))
    assert found.winner is None
    assert [one.price for one in found.meeting][:1] == [1600]
    told = " ".join(written_size(found, "table").split())
    assert "Nothing within the budget meets this. Beyond it boxes 1, disks 3, speed slow" in told
    assert "does: 1,600 USD, 98 W, 3.00 TB usable; 100 USD beyond the budget of 1,500 USD." in told
    found = sized(text.replace("catalogue:", "budget: {price: 1600}\ncatalogue:"))
    assert found.winner is not None


def test_one_step_more_is_run() -> None:
    found = sized(COPY.replace("TIME", "1 s"))
    record = json.loads(written_size(found, "json"))
    steps = {one["choice"]: one["price"] for one in record["one_step_more"]}
    assert steps == {"boxes": 1600 + 1000 + 600, "speed": 2600}


def test_a_state_with_less() -> None:
    """With one of three clients less the rest have more of the disk, and the same time is met."""
    text = """\
format: requirement/1
name: states
machine: nfs-lab
workloads:
  write: {workload: shared-file, set: {output.size: 4 MiB, input.size: 4 MiB}}
targets:
  - {workload: write, elapsed: 100 s, states: [normal, slow, fewer]}
states:
  slow: {set: {sata.rate: 1 MB/s}}
  fewer: {less: {threads: 4}}
catalogue: {thread: {price: 1}}
choices:
  threads: {set: nfsd.servers, values: [5, 8], buys: {thread: 1}}
"""
    evaluator = Evaluator(Loads(requirement(text)), seed=None, replications=1)
    outcome = evaluator((0, "complete"))
    times = {one.state: one.figure.mean for one in outcome.measured if one.figure is not None}
    sizes = [(f"workload.files.{name}.size", "4 MiB") for name in ("output", "input")]
    for state, settings in {
        "normal": [("machine.parts.nfsd.servers", "5")],
        "slow": [("machine.parts.nfsd.servers", "5"), ("machine.parts.sata.rate", "1 MB/s")],
        "fewer": [("machine.parts.nfsd.servers", "1")],
    }.items():
        plan = load_plan("nfs-lab", "shared-file", settings=[*sizes, *settings])
        assert times[state] == run_plan(plan).elapsed_ns
    assert len(set(times.values())) == 3


def test_a_state_in_which_something_fails() -> None:
    """The server's disk is away for five seconds: the targets of that state are of such a run."""
    text = """\
format: requirement/1
name: failing
machine: nfs-lab
workloads:
  copy: {workload: copy-file, set: {source.size: 64 MB, copy.size: 64 MB}}
targets:
  - {workload: copy, elapsed: 100 s, states: [normal, failed]}
states:
  failed: {set: {machine.events: [{part: sata, at: 1 s, repair: 5 s}]}}
catalogue: {thread: {price: 1}}
choices:
  threads: {set: nfsd.servers, values: [8], buys: {thread: 1}}
"""
    evaluator = Evaluator(Loads(requirement(text)), seed=None, replications=1)
    outcome = evaluator((0, "complete"))
    normal, failed = (one.figure.mean for one in outcome.measured if one.figure is not None)
    assert 4e9 < failed - normal <= 5e9
    sizes = [(f"workload.files.{name}.size", "64 MB") for name in ("source", "copy")]
    event = ("machine.events", "[{part: sata, at: 1 s, repair: 5 s}]")
    plan = load_plan("nfs-lab", "copy-file", settings=[*sizes, event])
    assert failed == run_plan(plan).elapsed_ns


def test_growth_and_weights() -> None:
    """Twice as much after a year of 100 %; the mean of two loads by their weights."""
    text = """\
format: requirement/1
name: growing
machine: workstation
years: 1
workloads:
  small: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}, weight: 3}
  large: {workload: copy-file, growth: 100 %}
targets: [{elapsed: 1000 s}]
catalogue: {disk: {price: 1}}
choices:
  disks: {set: disk.rate, values: [50 MB/s, 100 MB/s], unit: 50 MB/s, buys: {disk: 1}}
"""
    evaluator = Evaluator(Loads(requirement(text)), seed=None, replications=1)
    outcome = evaluator((1, "complete"))
    rate = ("machine.parts.disk.rate", "100 MB/s")
    double = [(f"workload.files.{name}.size", "2 GB") for name in ("source", "copy")]
    small, large = (
        run_plan(load_plan("workstation", "copy-file", settings=[rate, *sizes])).elapsed_ns
        for sizes in (SIZES, double)
    )
    figure = outcome.measured[0].figure
    assert figure is not None
    assert figure.mean == pytest.approx((3 * small + large) / 4)


def test_noise_makes_replications_and_intervals() -> None:
    text = """\
format: requirement/1
name: noisy
machine: nwt
workloads:
  write: {workload: test-write, set: {output.size: 20 MB}}
targets: [{workload: write, elapsed: TIME}]
catalogue: {path: {price: 1}}
choices:
  rate: {set: paths.rate, values: [20 MB/s, 40 MB/s], unit: 20 MB/s, buys: {path: 1}}
"""
    found = sized(text.replace("TIME", "100 s"), seed=7)
    (one,) = found.outcome(found.winner).measured if found.winner else ()
    assert one.figure is not None
    assert one.figure.runs == 4
    assert len(set(one.figure.values)) == 4
    half = one.figure.half_width
    assert half
    # Met by the mean alone is not enough: the bound has to be on the good side.
    close = (one.figure.mean + half / 4) / 1e9
    (number,) = [found.winner.number] if found.winner else ()
    evaluator = Evaluator(Loads(requirement(text, TIME=f"{close:.6f} s")), seed=7, replications=4)
    assert not evaluator((number, "complete")).meets


def test_short_runs_leave_out_only_what_whole_runs_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short, "LONG_S", 0.0)
    monkeypatch.setattr(short, "SHORT_S", 1e-5)
    found, whole = sized(SHORTER), sized(SHORTER, everything=True)
    assert found.evaluator.short is not None
    assert found.evaluator.short.divisions
    assert found.winner == whole.winner
    assert found.runner_up == whole.runner_up
    left_out = [one for one in found.short if one not in found.outcomes]
    assert left_out or not found.short
    assert not [one for one in left_out if whole.outcomes[one].meets]


def test_long_runs_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second search finds them in the store, and says the same."""
    monkeypatch.setattr(short, "LONG_S", 0.0)
    monkeypatch.setattr(short, "SHORT_S", 1e9)  # They cannot be made short.
    made: list[str] = []
    run = Plans.run

    def counted(plans: Plans, plan: Plan, **how: Any) -> Result:
        made.append(plan.digest)
        return run(plans, plan, **how)

    monkeypatch.setattr(Plans, "run", counted)
    texts, counts = [], []
    for _ in range(2):
        made.clear()
        with Results(tmp_path / "results.sqlite") as results:
            loads = Loads(requirement(COPY, TIME="0.2 s"))
            evaluator = Evaluator(loads, seed=None, replications=1, results=results)
            found = Search(evaluator, executor=Processes(1)).run()
        texts.append(written_size(found, "json"))
        counts.append(len(made))
    assert texts[0] == texts[1]
    assert counts[0] > counts[1] == 1  # It is seen how long runs are.


def test_the_page_says_what_the_screen_does() -> None:
    found = sized(COPY.replace("TIME", "0.2 s"))
    text = written_size(found, "html")
    winner = found.winner
    assert winner is not None
    assert f"Buy {words_of(found, winner)}: {winner.price:,.0f} USD" in text
    for title in ("Targets", "Pieces and prices", "One step more", "To run it again"):
        assert f">{title}</h2>" in text
    assert "<code>nwtsim size</code>" in text
