"""What an answer says beside the figures: margins, ties, prices, lockstep, what is drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.requirement_file import Target
from simulator.report.size import step_rows
from simulator.report.sizetrust import probability_text
from simulator.report.sizewords import margin_text
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.sizing.sized import Sized
from simulator.sizing.targets import margin, slack
from simulator.study.executors import Processes
from tests.sizing.pages import written_size
from tests.sizing.texts import COPY, requirement

TIED = """\
format: requirement/1
name: tied
machine: workstation
currency: USD
years: 2
workloads:
  copy: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}, growth: 100 %}
targets:
  - {workload: copy, elapsed: TIME}
budget: {price: 1000, power: 90 W}
catalogue:
  disk: {price: {value: 100, source: measured offer of May, note: of two}, power: 8 W}
  slot: {price: {value: 7.5, source: assumed}}
  door: {price: 1}
choices:
  disks:
    options:
      slow: {set: {disk.rate: 40 MB/s}, buys: {disk: 2, slot: 4, door: 1}}
      fast: {set: {disk.rate: 160 MB/s}, buys: {disk: 4, slot: 4, door: 1}}
      slower: {set: {disk.rate: 20 MB/s}, buys: {disk: 5, slot: 4, door: 1}}
"""


def sized(text: str, *, seed: int | None = None, **places: str) -> Sized:
    evaluator = Evaluator(Loads(requirement(text, **places)), seed=seed, replications=4)
    return Search(evaluator, executor=Processes(1)).run()


def told(found: Sized) -> str:
    return " ".join(written_size(found, "table", full=True).split())


def seconds_of_slow() -> float:
    """The time of the slow disk, of files that are four times as large."""
    found = sized(TIED, TIME="1000 s")
    assert found.winner is not None
    (one,) = found.outcome(found.winner).measured
    assert one.figure is not None
    return one.figure.mean / 1e9


# -- one base of margins --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "figure", "text"),
    [
        (Target(elapsed=220_000_000_000), 169e9, "23 % to spare"),
        (Target(elapsed=220_000_000_000), 231e9, "misses by 5 %"),
        (Target(elapsed=100_000_000_000), 300e9, "misses by 200 %"),
        (Target(capacity=20_000), 40_000, "100 % to spare"),
        (Target(stable=20.0), 5.0, "misses by 75 %"),
        (Target(read=100.0), 100.2, "0.2 % to spare"),
    ],
)
def test_margins_are_percents_of_the_target(target: Target, figure: float, text: str) -> None:
    assert margin_text(target, slack(target, figure)) == text
    sign = 1 if target.elapsed is not None else -1
    by_hand = sign * (target.limit - figure) / target.limit
    assert margin(target, slack(target, figure)) == pytest.approx(by_hand)


# -- the model's own error ------------------------------------------------------------------------


def test_the_headline_is_the_probability() -> None:
    """Nothing is drawn: the chance of the slack, by the study whose machine is nearest."""
    time = seconds_of_slow()
    near = sized(TIED, TIME=f"{1.02 * time:.6f} s")
    assert near.winner is not None
    probability = near.outcome(near.winner).probability
    assert probability is not None
    error = near.evaluator.error
    assert probability.estimate == pytest.approx(error.chance(1.02), abs=1e-4)
    share = probability_text(probability.estimate)
    assert written_size(near, "table").index("meets all targets with a probability of") < 200
    assert f"with a probability of {share}." in told(near)
    assert (
        f"This includes the model's error, taken from {error.what} (nearest: {error.machine}"
        in told(near)
    )
    run = "a run of copy-file on such a machine (time, and how busy disk is)"
    assert f"Measure first: {run}, 100 % of the variance" in told(near)
    assert f"with a probability of {share}" in written_size(near, "html")
    record = json.loads(written_size(near, "json"))["answer"]["probability"]
    assert record["estimate"] == probability.estimate
    assert record["model"]["nearest_machine"] == error.machine
    assert record["draws"] == 1


def test_the_nearest_is_told_with_its_probability() -> None:
    one = TIED.replace("      fast:", "      fastest:").replace("160 MB/s", "30 MB/s")
    missed = sized(one, TIME=f"{0.98 * seconds_of_slow():.6f} s")
    assert missed.winner is None
    share = probability_text(missed.evaluator.error.chance(0.98))
    assert f"It meets all targets with a probability of {share}." in told(missed)


# -- money and years ------------------------------------------------------------------------------


def test_prices_add_up_and_have_their_sources() -> None:
    found = sized(TIED, TIME="1000 s")
    text = told(found)
    assert "2 disk x 100 + 4 slot x 7.5 + 1 door x 1 = 231 USD" in text
    assert "769 USD left of 1,000 USD; 74 W left of 90 W" in text
    assert "1 price measured, 1 assumed, 1 without a source" in text
    assert "Loads of year 2: files of copy 4 times as large (100 % a year)." in text
    assert "measured offer of May of two" in text
    record = json.loads(written_size(found, "json"))
    answer = record["answer"]
    assert [one["together"] for one in answer["bought"]] == [200, 30, 1]
    assert sum(one["together"] for one in answer["bought"]) == answer["price"] == 231
    assert [one["source"] for one in answer["bought"]] == [
        "measured offer of May",
        "assumed",
        "unstated",
    ]
    assert (record["budget"]["price_left"], record["budget"]["power_left_W"]) == (769, 74)
    assert record["loads"]["copy"]["files_grown"] == 4
    assert "measured offer of May" in written_size(found, "html")


def test_a_budget_for_nothing_names_the_cheapest() -> None:
    """The cheapest box with two disks costs 1,200; nothing meets a time of 1 us anyway."""
    found = sized(COPY.replace("catalogue:", "budget: {price: 10}\ncatalogue:"), TIME="1 us")
    assert "Nothing that can be bought meets this. Nothing can be built within" in told(found)
    assert "the budget: the cheapest costs 1,200 USD" in told(found)


def test_growth_without_years_is_told() -> None:
    found = sized(TIED.replace("years: 2\n", ""), TIME="1000 s")
    assert "Loads of today: the growth of copy counts with 'years:' only." in told(found)
    late = COPY.replace("TIME", "1 s").replace("targets:", "years: 3\ntargets:")
    assert "Loads of today in year 3 too: none has a 'growth:'." in told(sized(late))


# -- steps, and what was not run ------------------------------------------------------------------


def test_a_step_is_worse_or_brings_nothing() -> None:
    slower = TIED.replace("slow: {set: {disk.rate: 40", "first: {set: {disk.rate: 44")
    found = sized(slower.replace("160 MB/s", "30 MB/s"), TIME="1000 s")
    assert found.winner is not None
    ((_, more, brings, _),) = step_rows(found, found.winner)
    assert more == "200 USD"
    assert brings.startswith("worse: ")
    same = sized(TIED.replace("160 MB/s", "40 MB/s"), TIME="1000 s")
    assert same.winner is not None
    assert step_rows(same, same.winner)[0][2] == "nothing"
    faster = sized(TIED, TIME="1000 s")
    assert faster.winner is not None
    assert step_rows(faster, faster.winner)[0][2].endswith("% better")


def test_the_nearest_is_run_to_its_last_target() -> None:
    """The time is missed, and the rate too: both are told, though the first ends a run."""
    rate = "  - {workload: copy, write: 90 GB/s}\n  - {capacity: 3 TB}"
    found = sized(COPY.replace("  - {capacity: 3 TB}", rate), TIME="1 ms")
    assert found.winner is None
    assert found.nearest is not None
    outcome = found.outcome(found.nearest)
    assert outcome.complete
    assert [one.target for one in outcome.measured] == [2, 0, 1]
    assert "Furthest missed: copy: " in told(found)


def test_it_is_said_why_some_cannot_be_built() -> None:
    assert "14 can be built (not with 8 disk, but box have room for 6)" in told(
        sized(COPY, TIME="1 s")
    )


def test_what_was_not_run_is_counted() -> None:
    """All combinations that can be built are discarded, left out, run, or dearer."""
    found = sized(COPY, TIME="1 s")
    record = json.loads(written_size(found, "json"))
    parts = ("discarded_by_bound", "left_out_by_short_runs", "run_whole", "not_run")
    assert sum(record[one] for one in parts) == record["buildable"]
    assert record["not_run"] > 1
    assert f"the {record['not_run']} others cost " in told(found)
    known = {*found.bounds, *found.short, *found.outcomes}
    least = min(one.price for one in found.order if one.number not in known)
    assert f"others cost {least:,.0f} USD or more and were not run" in told(found)


# -- what is drawn, and lockstep ------------------------------------------------------------------


def test_where_nothing_is_drawn_a_seed_says_so_and_one_run_is_made() -> None:
    found = sized(COPY, seed=1, TIME="1 s")
    assert found.winner is not None
    assert {one.figure.runs for one in found.outcome(found.winner).measured if one.figure} == {1}
    assert "Nothing in this machine and its loads is random" in told(found)
    assert json.loads(written_size(found, "json"))["varies"] is False
    plain = sized(COPY, TIME="1 s")
    assert "Service times do not vary." in told(plain)
    assert plain.outcome(found.winner).slack == found.outcome(found.winner).slack


def test_confidence_without_a_seed_says_nothing() -> None:
    text = COPY.replace("catalogue:", "confidence: 99 %\ncatalogue:")
    assert "do not vary, so that confidence says nothing" in told(sized(text, TIME="1 s"))


@pytest.mark.slow
def test_lockstep_is_told_where_run_warns_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Four PEs read alike; with a seed the machine's noise parts them."""
    text = """\
format: requirement/1
name: alike
machine: nwt
workloads:
  read: {workload: nwt-each}
  write: {workload: test-write-120MB}
targets: [{workload: read, elapsed: 100 s}]
catalogue: {path: {price: 1}}
choices:
  paths: {set: paths.servers, values: [4], buys: {path: 1}}
"""
    found = sized(text)
    assert "Lockstep (read): equal processes" in told(found)
    assert "as on no machine; omit --no-noise" in told(found)
    (warning,) = json.loads(written_size(found, "json"))["warnings"]
    assert "identical processes move in lockstep" in warning
    assert main(["run", "nwt", "nwt-each", "--no-limits", "--set", "paths.servers=4"]) == 0
    assert warning in capsys.readouterr().err
    assert "Lockstep" not in told(sized(text, seed=1))


def test_noise_is_drawn_unless_it_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "copying.yaml"
    file.write_text(COPY.replace("TIME", "1 s"))
    for more, seed in (["--replications", "4"], 1), ([], 1), (["--no-noise"], None):
        assert main(["size", str(file), "--format", "json", "--jobs", "1", *more]) == 0
        assert json.loads(capsys.readouterr().out)["seed"] == seed
    assert main(["size", str(file), "--no-noise", "--seed", "2"]) == 2
    assert "--no-noise leaves out what --seed is about" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("store", "kept"),
    [(False, "nothing is kept (--no-store)"), (True, "long runs are kept: the same command goes")],
)
def test_an_interrupted_search_says_what_it_has(
    store: bool,
    kept: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    drawn = []

    def stop(_: object, text: Callable[[], str]) -> None:
        drawn.append(text())
        if "run whole" in text() and "best so far" in text():
            raise KeyboardInterrupt

    monkeypatch.setattr("simulator.report.progress.SizingLine.offer", stop)
    file = tmp_path / "asked.yaml"
    file.write_text(COPY.replace("TIME", "1 s"), encoding="utf-8")
    keeps = ["--store", str(tmp_path / "store")] if store else ["--no-store"]
    assert main(["size", str(file), "--jobs", "1", *keeps]) == 130
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("interrupted: ")
    assert "looked at" in said
    assert "best so far: " in said
    assert kept in said
    assert all(re.search("about .* left", line) for line in drawn)


def test_a_search_says_what_it_takes_before_its_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(COPY.replace("TIME", "1 s"), encoding="utf-8")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simulator.sizing.evaluate.Short.at", stop)
    assert main(["size", str(file), "--jobs", "1", "--no-store", "--progress"]) == 130
    told = capsys.readouterr().err
    assert re.search(r"\d+ configurations, estimated at [\d.]+ .?s each: at most about \d+ s", told)


def test_warnings_are_told_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six million samples take memory; lockstep is told with the answer."""
    (tmp_path / "train.yaml").write_text(
        "format: workload/2\nname: train\nfiles: {data: {size: 1 GB, exists: true}}\n"
        "jobs:\n  - name: a\n"
        "    phases: [{do: load, file: data, record: 1 MB, batch: 1000, batches: 6, time: 1 ms}]\n"
    )
    text = COPY.replace("workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}", "W")
    (tmp_path / "asked.yaml").write_text(
        text.replace("{W}", "train.yaml").replace("TIME", "1000 s"), encoding="utf-8"
    )
    monkeypatch.setattr("simulator.kinds.phases.load.MOST_BYTES", 500_000)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simulator.sizing.evaluate.Short.at", stop)
    assert main(["size", str(tmp_path / "asked.yaml"), "--jobs", "1", "--no-store"]) == 130
    told = capsys.readouterr().err
    assert "warning: jobs.0.phases.0.batches: 6,000 samples of all processes are listed" in told
    assert "lockstep" not in told


def test_the_screen_is_one_screen() -> None:
    found = sized(TIED, TIME=f"{1.02 * seconds_of_slow():.6f} s")
    lines = written_size(found, "table").splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 30
    assert lines[2].startswith("Buy ")


# -- the front ------------------------------------------------------------------------------------

NEARLY = TIED.replace(
    "      slower: {set: {disk.rate: 20 MB/s}, buys: {disk: 5, slot: 4, door: 1}}\n",
    "      same: {set: {disk.rate: 160.001 MB/s}, buys: {disk: 5, slot: 4, door: 1}}\n",
).replace("price: 1000", "price: 2000")


def of_all(text: str, time_s: float) -> Sized:
    asked = requirement(text, TIME=f"{time_s:.9f} s")
    evaluator = Evaluator(Loads(asked), seed=None, replications=1)
    return Search(evaluator, everything=True, executor=Processes(1)).run()


def front(text: str, time_s: float) -> list[tuple[str, ...]]:
    return [one.levels for one in of_all(text, time_s).front()]


def test_what_is_better_by_less_than_a_thousandth_is_one_point_of_the_front() -> None:
    assert front(NEARLY, 1000.0) == [("slow",), ("fast",)]
    assert front(NEARLY.replace("160.001", "161"), 1000.0) == [("slow",), ("fast",), ("same",)]


def test_what_just_meets_a_target_is_a_point_of_its_own() -> None:
    """Cheaper and slower by less than a thousandth, and it misses."""
    found, took = of_all(NEARLY, 1000.0), {}
    for one in found.order:
        (each,) = found.outcomes[one.number].measured
        assert each.figure is not None
        took[one.levels] = each.figure.mean / 1e9
    between = (took["fast",] + took["same",]) / 2
    assert took["same",] < between < took["fast",] < 1.001 * took["same",]
    assert front(NEARLY, between) == [("fast",), ("same",)]  # A bound discards the slow one.


def test_the_front_is_drawn_as_stairs_where_prices_are(tmp_path: Path) -> None:
    """Of 208 and 438 USD: an axis from 200 to 450."""
    need, page = tmp_path / "need.yaml", tmp_path / "page.html"
    need.write_text(NEARLY.replace("TIME", "1000 s"), encoding="utf-8")
    assert main(["size", str(need), "--all", "--jobs", "1", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    drawn = text[text.index("Price and what the worst figure has to spare") :]
    (line,) = re.findall(r'<polyline points="([^"]*)"', drawn)[:1]
    corners = [tuple(map(float, one.split(","))) for one in line.split()]
    assert len(corners) == 4
    assert corners[0][1] == corners[1][1] > corners[2][1] == corners[3][1]
    assert corners[1][0] == corners[2][0] < corners[3][0]
    assert corners[0][0] < 0.2 * corners[3][0]
    assert ">the answer</text>" in drawn
