"""What is told of the nearest where nothing meets a requirement, and what it takes to find it."""

from __future__ import annotations

import io
from pathlib import Path

from simulator.report.progress import SizingLine
from simulator.sizing.runs import MOST_NEAREST
from simulator.sizing.search import size
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.pages import said

DISKS = """\
format: requirement/1
name: disks
currency: EUR
machine: m.yaml
workloads: {job: w.yaml}
targets: [{workload: job, elapsed: LIMIT}, {workload: job, read: RATE}]
catalogue: {disk: {price: 100}}
choices:
  disks: {set: disk.count, values: VALUES, buys: {disk: 1}}
"""
MACHINE = """\
format: machine/2
name: m
nodes: {client: {count: 1}, disk: {count: 1}}
parts:
  lan: {kind: network, at: [client, disk], rate: LAN}
  platter: {kind: queue, at: disk, rate: 100 MB/s}
filesystems: {home: {tiers: [{stripe: 1 MB, of: disk}, {route: [lan]}, platter]}}
"""
JOB = """\
format: workload/2
name: w
files: {data: {size: 400 MB, exists: true}}
jobs: [{name: a, record: 8 MB, phases: [{do: read, file: data}]}]
"""


def sized(folder: Path, *, lan: str = "1 GB/s", more: str = "", **places: str) -> Sized:
    """Search among 1, 2 and 4 disks of 100 MB/s, from which 400 MB are read."""
    (folder / "m.yaml").write_text(MACHINE.replace("LAN", lan))
    (folder / "w.yaml").write_text(JOB)
    text = DISKS + more
    for word, value in {
        "LIMIT": "0.8 s",
        "RATE": "1 MB/s",
        "VALUES": "[1, 2, 4]",
        **places,
    }.items():
        text = text.replace(word, value)
    (folder / "disks.yaml").write_text(text)
    found = size(str(folder / "disks.yaml"), executor=Processes(1))
    assert isinstance(found, Sized)
    return found


def test_the_option_every_missed_target_its_gap_and_what_to_try(tmp_path: Path) -> None:
    found = sized(tmp_path, RATE="500 MB/s")
    told = said(found)
    assert found.winner is None
    assert found.nearest is not None
    assert found.nearest.levels == ("4",)
    time, rate = (each.judged for each in found.outcome(found.nearest).measured)
    assert time is not None
    assert rate is not None
    assert time >= 1e9  # 400 MB of 400 MB/s.
    assert (
        f"Nearest: disks 4: 400 EUR. It misses job: time, which is {time / 1e9:.2f} s and" in told
    )
    over, short = time / 1e6 - 800, 500 - rate / 1e6
    assert f"has to be at most 800 ms: {over:.0f} ms ({over / 8:.0f} %) too much; and job" in told
    assert f"has to be at least 500 MB/s: {short:.0f} MB/s ({short / 5:.0f} %) too little." in told
    assert "Next: more of disks: its last step, to 4, made job: time 1." in told


def test_of_a_step_that_brings_little_the_limit_is_told_instead(tmp_path: Path) -> None:
    """Through a port of 5 MB/s: 80 s, and the disks beside it are 4 s, 2 s or 1 s."""
    told = said(sized(tmp_path, lan="5 MB/s"))
    assert "Next: client.lan.in (" in told
    assert "limits job: time: write a choice of more or faster ones." in told


def test_a_budget_that_would_be_enough(tmp_path: Path) -> None:
    told = said(sized(tmp_path, LIMIT="2 s", more="budget: {price: 200}\n"))
    assert "It misses job: time, which is 2.48 s and has to be at most 2.00 s" in told
    assert "Next: a budget for 400 EUR." in told


def test_what_the_error_of_the_model_needs_is_in_the_gap(tmp_path: Path) -> None:
    found = sized(tmp_path, LIMIT="1.6 s", more="probability: 90 %\n")
    assert found.nearest is not None
    each = found.outcome(found.nearest).measured[0]
    assert each.judged is not None
    needed = 1600 / each.needs
    assert each.judged < 1.6e9 < each.judged * each.needs
    assert f"to be at most 1.60 s ({needed / 1000:.2f} s with the model's error): " in said(found)


def test_a_figure_that_no_run_has(tmp_path: Path) -> None:
    told = said(sized(tmp_path, RATE="1 MB/s}, {workload: job, write: 1 MB/s"))
    assert "job: rate of writing, of which a run has no figure (it has to be at least 1" in told


def test_a_missed_capacity_has_no_probability(tmp_path: Path) -> None:
    sizes = {"price: 100": "price: 100, size: 100 GB"}
    found = sized(tmp_path, LIMIT="9 s}, {capacity: 1 TB", **sizes)
    told = said(found)
    assert not found.precise
    assert "misses usable capacity, which is 400 GB and has to be at least 1.00 TB: 600 GB" in told
    assert "with a probability" not in told


def test_an_interrupted_search_tells_it_too(tmp_path: Path) -> None:
    with SizingLine(io.StringIO(), 1, wanted=False) as line:
        line.heard(sized(tmp_path))
        told = line.interrupted("stopped", kept=True)
    assert "none meets it so far, the nearest: 400 EUR, disks 4. It misses job: time, which" in told
    assert "; long runs are kept" in told


# -- the search for it ----------------------------------------------------------------------------

TWO = """\
alternatives:
  disks: {machine: m.yaml, choices: {disks: {set: disk.count, values: [4], buys: {disk: 1}}}}
  slow:
    machine: m.yaml
    set: {lan.rate: 50 MB/s, lan.latency: 1 ms}
    choices: {disks: {set: disk.count, values: [1, 2], buys: {disk: 1}}}
"""


def test_the_nearest_is_that_of_running_everything(tmp_path: Path) -> None:
    """Only some are run in full, and one is drawn, by no more draws than one that is not bought."""
    values = {"VALUES": "[4, 1, 3, 2, 6, 12, 5, 8, 16, 7, 9, 11, 10, 13, 14, 15]"}
    found = sized(tmp_path, **values)
    assert found.nearest is not None
    whole = [one for one in found.outcomes.values() if one.complete]
    assert len(whole) <= MOST_NEAREST
    drawn = [one for one in whole if one.probability is not None]
    assert [one.number for one in drawn] == [found.nearest.number]
    evaluator = found.evaluator
    every = [evaluator.outcome(one, complete=True) for one in found.order]
    best = max(one.slack for one in every)
    assert found.outcome(found.nearest).slack == best


def test_an_alternative_that_is_not_bought_is_not_drawn(tmp_path: Path) -> None:
    """Its probability is not told where the other one meets everything."""
    text = DISKS[: DISKS.index("choices")].replace("machine: m.yaml\n", "") + TWO
    sized(tmp_path, LIMIT="9 s")  # The files are written.
    (tmp_path / "two.yaml").write_text(text.replace("LIMIT", "2 s").replace("RATE", "1 MB/s"))
    found = size(str(tmp_path / "two.yaml"), executor=Processes(1))
    assert isinstance(found, Sized)
    assert found.winner is not None
    slow = found.alternatives["slow"]
    assert slow.nearest is not None
    assert slow.outcome(slow.nearest).complete
    assert slow.outcome(slow.nearest).probability is None
    assert not slow.precise
    (tmp_path / "two.yaml").write_text(text.replace("LIMIT", "1 s").replace("RATE", "1 MB/s"))
    nothing = size(str(tmp_path / "two.yaml"), executor=Processes(1))
    assert isinstance(nothing, Sized)
    assert [len(one.precise) for one in nothing.alternatives.values()] == [1, 0]
    told = io.StringIO()
    with SizingLine(told, 1, wanted=True) as line:
        for one in (*nothing.alternatives.values(), nothing):  # The nearest is drawn at the end.
            line.heard(one)
    assert told.getvalue().count("estimated at") == 1  # Bounds discard all of the other.
