"""Knees of curves whose answer is known by hand, and what replications leave open."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.config.axis import read_axis
from simulator.study.curves import Curve, families, idle, measured, same
from simulator.study.figures import COLUMNS, RUNS, Row
from simulator.study.grid import Sweep
from simulator.study.knees import Knee, knee_of, knees_of
from simulator.study.replications import Replications, seed_of
from simulator.study.sweep import Swept

DOUBLED = "1..64 x2"


def curve(spec: str, height: Callable[[float], float], figure: str = "read_MBps") -> Curve:
    """A figure as a function of the value."""
    axis = read_axis("clients", "workload.jobs.0.processes", spec)
    values = tuple(height(float(number)) for number in axis.numbers or ())
    runs = tuple((value,) for value in values)
    return Curve(axis, figure, (), values, runs, (False,) * len(values))


def knee(spec: str, height: Callable[[float], float], **how: Any) -> Knee:
    share = {"share": how.pop("share")} if "share" in how else {}
    return knee_of(curve(spec, height, **how), None, **share)


def listed(spec: str, *values: float, figure: str = "read_MBps") -> Knee:
    """The knee of values that are given one by one."""
    found = iter(values)
    return knee(spec, lambda _: next(found), figure=figure)


def texts(one: Knee) -> tuple[str | None, str | None, str | None]:
    """The knee, and between which values of the grid it lies."""
    return one.text(one.at), one.text(one.bounds[0]), one.text(one.bounds[1])


# -- by hand: min(a x, b) -------------------------------------------------------------------------


def bound(x: float) -> float:
    """Clients at 10 MB/s each, and a disk of 50 MB/s: it binds at 5 clients."""
    return min(10 * x, 50)


def test_the_knee_is_where_the_other_resource_binds() -> None:
    found = knee(DOUBLED, bound)
    assert (found.state, *texts(found)) == ("knee", "8", "4", "8")
    assert [one.change for one in found.doublings] == pytest.approx([1, 1, 0.25, 0, 0, 0])
    assert not any(one.between for one in found.doublings)
    assert found.last_paying is not None
    assert found.last_paying.start == 4


def test_a_finer_grid_tells_it_closer() -> None:
    assert texts(knee("1..64 +1", bound)) == ("5", "4", "5")


def test_times_are_better_if_they_fall() -> None:
    found = knee(DOUBLED, lambda x: 1000 / bound(x), figure="elapsed_s")
    assert (found.state, *texts(found)) == ("knee", "8", "4", "8")
    assert found.doublings[2].change == pytest.approx(-0.2)
    assert knee(DOUBLED, lambda x: 1000 / bound(x)).why == "more makes it lower, by up to 80 %"
    assert knee(DOUBLED, bound, figure="elapsed_s").why == "more makes it longer, by up to 400 %"


def test_a_grid_that_ends_before_does_not_reach_it() -> None:
    found = knee("1..8 x2", bound)  # The last doubling, from 4 to 8, still brings a quarter.
    assert (found.state, *texts(found)) == ("not reached", None, "4", None)


@pytest.mark.parametrize(("share", "wanted"), [(0.05, "16"), (0.12, "8"), (0.3, "4"), (0.01, None)])
def test_the_share_decides(share: float, wanted: str | None) -> None:
    rates = iter((10, 20, 25, 28, 28.5, 29))  # +100 %, +25 %, +12 %, +1.8 %, +1.75 %
    found = knee("2..64 x2", lambda _: next(rates), share=share)
    assert found.text(found.at) == wanted


def test_exactly_the_share_pays() -> None:
    assert texts(listed("1..8 x2", 100, 200, 210, 210))[0] == "4"
    assert texts(listed("1..8 x2", 100, 200, 209.9, 209.9))[0] == "2"


def test_a_plateau_before_the_last_step_is_no_knee() -> None:
    assert texts(listed("1..32 x2", 10, 10, 10, 90, 90, 90)) == ("8", "4", "8")


def test_values_between_those_of_the_grid_are_interpolated() -> None:
    found = knee("1..1024 x4", lambda x: x**0.5)
    assert [one.change for one in found.doublings] == pytest.approx([2**0.5 - 1] * 10)
    assert all(one.between for one in found.doublings)
    assert texts(knee("1..1024 x4", bound)) == ("16", "4", "16")


def test_what_comes_after_the_last_double_counts() -> None:
    """From 1 to 2 nothing changes; from 1.5 to 3 it does."""
    assert listed("1,2,3", 10, 10, 14).state == "not reached"
    assert listed("1,2,3,4", 10, 14, 14, 14).at == 2


# -- none -----------------------------------------------------------------------------------------


def test_a_flat_curve_has_none() -> None:
    assert knee(DOUBLED, lambda _: 7.0).why == "flat"
    found = listed("1..8 x2", 100, 102, 99, 103)
    assert (found.state, found.why, found.at) == ("none", "flat, within 3.9 %", None)


def test_a_curve_with_a_hump_or_a_valley_has_none() -> None:
    assert listed("1..16 x2", 10, 20, 40, 30, 20).why == "not monotone, best at 4"
    assert listed("1..16 x2", 10, 5, 4, 8, 30).why == "not monotone, worst at 4"
    assert listed("1..16 x2", 10, 5, 4, 8, 30, figure="elapsed_s").why == "not monotone, best at 4"


def test_going_back_by_less_than_the_share_is_no_hump() -> None:
    assert texts(listed("1..16 x2", 10, 20, 41, 40, 40)) == ("4", "2", "4")
    assert listed("1..16 x2", 10, 20, 43, 40, 40).why == "not monotone, best at 4"


def test_curves_without_doublings_or_with_zeros() -> None:
    assert listed("4,5,6", 1, 2, 3).why == "no value has its double within the grid"
    assert listed("1,2,4", 0, 1, 2).why == "0 at 1"
    assert texts(listed("0,1,2,4,8", 0, 10, 20, 20, 20)) == ("2", "1", "2")  # 0 has no double.


def test_the_order_of_the_values_does_not_matter() -> None:
    orders = itertools.permutations((1, 4, 8, 16))
    found = {texts(knee(",".join(map(str, order)), bound)) for order in orders}
    assert found == {("8", "4", "8")}


# -- replications ---------------------------------------------------------------------------------


def noisy(rates: Sequence[float], spread: float, runs: int, *, common: bool = True) -> Curve:
    """A curve whose runs vary: all its values by the same factor in each run, or each alone."""
    axis = read_axis("clients", "p", f"1..{2 ** (len(rates) - 1)} x2")
    draw = random.Random(5)
    factors = [1 + spread * draw.uniform(-1, 1) for _ in range(runs)]
    values = tuple(
        tuple(rate * (factor if common else 1 + spread * draw.uniform(-1, 1)) for factor in factors)
        for rate in rates
    )
    means = tuple(sum(one) / runs for one in values)
    return Curve(axis, "read_MBps", (), means, values, (True,) * len(rates))


RATES = (10.0, 20.0, 40.0, 48.0, 49.0, 49.5)


def test_paired_differences_are_sure_where_single_intervals_are_not() -> None:
    replications = Replications(8)
    paired = knee_of(noisy(RATES, 0.2, 8), replications)
    assert paired.sure
    assert texts(paired) == ("8", "4", "8")
    alone = knee_of(noisy(RATES, 0.2, 8, common=False), replications)
    assert not alone.sure
    low, high = alone.surely
    assert low is not None
    assert low <= 4
    assert high is None or high > 8


def test_one_run_that_varies_says_nothing_surely() -> None:
    found = knee_of(noisy(RATES, 0.01, 1), Replications(1))
    assert texts(found) == ("8", "4", "8")
    assert found.surely == (None, None)
    assert not found.sure


def test_who_looks_often_is_sure_less_often() -> None:
    rates = [10 * 1.03**power for power in range(7)]
    made = noisy([5.0, *rates], 0.012, 8, common=False)
    once, often = (knee_of(made, how) for how in (Replications(8), Replications()))
    assert sum(one.sure for one in often.doublings) < sum(one.sure for one in once.doublings)


def test_points_that_do_not_vary_and_points_with_fewer_runs_are_compared() -> None:
    base = noisy(RATES, 0.01, 16)
    runs = (*base.runs[:4], base.runs[4][:8], (RATES[5],))
    mixed = Curve(base.axis, base.figure, (), base.values, runs, (True,) * 5 + (False,))
    found = knee_of(mixed, Replications())
    assert found.sure
    assert texts(found) == ("8", "4", "8")


@pytest.mark.parametrize(
    ("gains", "above", "up_to"),
    [
        ((1.0, 1.0, 0.3, 0.09, 0.03, 0.01), 8, 16),
        ((1.0, 0.0499, 0.0499, 0.0499, 0.0499, 0.0499, 0.0499), 1, 2),  # Six chances to be wrong.
    ],
)
def test_the_interval_holds_the_knee_at_its_rate(
    gains: Sequence[float], above: float, up_to: float
) -> None:
    """Of runs whose true rates are known, 95 % say nothing of the knee that is wrong."""
    rates = list(itertools.accumulate(gains, lambda rate, gain: rate * (1 + gain), initial=10.0))
    axis = read_axis("clients", "p", f"1..{2 ** len(gains)} x2")
    draw, wrong, decided, many = random.Random(11), 0, 0, 400
    for _ in range(many):
        runs = tuple(tuple(rate * draw.gauss(1, 0.03) for _ in range(8)) for rate in rates)
        means = tuple(sum(one) / 8 for one in runs)
        made = Curve(axis, "read_MBps", (), means, runs, (True,) * len(rates))
        low, high = knee_of(made, Replications(8)).surely
        wrong += (low is not None and low > above) or (high is not None and high < up_to)
        decided += low is not None
    assert wrong <= 0.05 * many + 3 * (0.05 * 0.95 * many) ** 0.5
    assert decided > 0.9 * many


# -- of a sweep -----------------------------------------------------------------------------------


def swept(height: Callable[[Row], float], *vary: tuple[str, str]) -> Swept:
    """A sweep whose write rate is a function of the values of a point."""
    axes = tuple(read_axis(name, name, spec) for name, spec in vary)
    sweep = Sweep("nwt", "test-write", (), axes)
    rows = []
    for number in range(sweep.size):
        values = sweep.values(number)
        rate = height(values)
        rows.append({**values, **dict.fromkeys(COLUMNS, 0), "write_MBps": rate, "elapsed_s": 100})
    return Swept(sweep, {}, tuple(rows), 0)


def test_each_value_of_another_axis_has_a_curve() -> None:
    made = swept(
        lambda row: min(10 * row["n"], 10 * row["m"], 80), ("n", "1..32 x2"), ("m", "4,8,16")
    )
    knees = [one for one in knees_of(families(made)) if one.curve.figure == "write_MBps"]
    assert [(one.curve.axis.name, one.curve.name, one.text(one.at)) for one in knees[:3]] == [
        ("n", "m=4", "4"),
        ("n", "m=8", "8"),
        ("n", "m=16", "8"),
    ]
    assert [one.curve.axis.name for one in knees[3:]] == ["m"] * 6
    lines = families(made)[1]
    assert lines.figure == "write_MBps"
    assert [[one.name for one in group] for group in lines.groups()] == [["m=4"], ["m=8", "m=16"]]


def test_curves_within_half_a_percent_are_the_same() -> None:
    rates = {"a": 100.0, "b": 100.4, "c": 100.6}
    made = swept(lambda row: rates[row["policy"]] * row["n"], ("n", "1,2,4"), ("policy", "a,b,c"))
    family = families(made)[1]
    assert [len(group) for group in family.groups()] == [2, 1]
    assert same(family.curves[:2])
    assert not same(family.curves)
    assert idle(families(made)) == {"n": ["elapsed_s"], "policy": ["elapsed_s"]}


def test_words_and_seeds_have_no_knees() -> None:
    for name, spec in (("policy", "nwt,flang"), ("seed", "1,2,4,8")):
        made = swept(lambda _: 1.0, (name, spec))
        assert not measured(made.sweep.axes[0])
        assert knees_of(families(made)) == []


def test_runs_of_points_are_those_of_their_rows() -> None:
    made = swept(lambda row: 10.0 * row["n"], ("n", "1,2"))
    rows = [{**made.rows[0], RUNS: {"write_MBps": [9.0, 11.0]}}, {**made.rows[1], RUNS: {}}]
    family = families(Swept(made.sweep, {}, rows, 0))[1]
    assert family.curves[0].runs == ((9.0, 11.0), (20.0,))
    assert family.curves[0].drawn == (True, False)


# -- of the command -------------------------------------------------------------------------------

READS = ("sweep", "nwt", "test-read", "--set", "workload.files.input.size=8 MB", "--jobs", "1")


def said(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, Any]:
    """What a sweep prints, and its manifest."""
    assert main([*READS, *words, "--no-plot", "--out", str(folder)]) == 0
    return capsys.readouterr().out, json.loads((folder / "sweep.json").read_text("utf-8"))


def test_the_command_says_where_it_stops_and_what_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--vary", "clients=1..16 x2", "--vary", "policy=nwt,nwt-predicted"]
    text, manifest = said(tmp_path, capsys, *words)
    assert "Elapsed time, read rate: the same for all values of policy within 0.5 %" in text
    assert "Where another doubling stops paying (less than 5 % better):" in text
    assert {"axis": "policy", "figures": ["elapsed_s", "read_MBps"]} in manifest["same"]
    rates = [one for one in manifest["knees"] if one["figure"] == "read_MBps"]
    assert [one["others"] for one in rates] == [{"policy": "nwt"}, {"policy": "nwt-predicted"}]
    row = next(line for line in text.splitlines() if line.startswith("read rate"))
    assert f"{rates[0]['above']} - {rates[0]['up_to']}" in row
    part, manifest = said(tmp_path / "part", capsys, *words, "--shard", "1/2")
    assert "doubling" not in part
    assert "knees" not in manifest


def test_replications_of_points_are_kept_and_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, manifest = said(tmp_path, capsys, "--vary", "clients=1..8 x2", "--replications", "6")
    assert "95 % from run to run" in text
    (rate,) = [one for one in manifest["knees"] if one["figure"] == "read_MBps"]
    assert {"surely_above", "surely_up_to", "sure"} <= rate.keys()
    points = json.loads((tmp_path / "points.json").read_text("utf-8"))
    for point in points:
        assert sum(point[RUNS]["read_MBps"]) / 6 == pytest.approx(point["read_MBps"])
        assert RUNS not in (tmp_path / "points.csv").read_text("utf-8").splitlines()[0].split(",")
    one, other = (point[RUNS]["elapsed_s"] for point in points[:2])
    seeds = [seed_of(1, run) for run in range(6)]
    alone = nwtsim.run("nwt", "test-read", dict([READS[4].split("=")]), seed=seeds[3], clients=2)
    assert other[3] == alone.elapsed_s
    assert len(set(one)) == 6


def test_python_has_them_for_any_share() -> None:
    found = nwtsim.sweep(
        "workstation",
        "copy-file",
        {"disk.rate": "20 MB/s..5 GB/s x2"},
        {"workload.files.*.size": "10 MB"},
    )
    times = [row["elapsed_s"] for row in found]
    for share in (0.05, 0.25, 0.4):
        one = found.knees(share)[0]
        paying = [n for n in range(7) if times[n + 1] <= (1 - share) * times[n]]
        after = [row["disk.rate"] for row in found][paying[-1] + 1 : -1]
        assert (one["figure"], one["knee"]) == ("elapsed_s", after[0] if after else None)
    assert found.knees()[0]["state"] == "not reached"
    with pytest.raises(ValueError, match="write a part from 0 to 1"):
        found.knees(5)


def test_two_values_tell_no_knee() -> None:
    """Where it lies between them is interpolated; the grid that would tell is named."""
    two = listed("64 MB,1 GB", 50, 100)
    assert (two.state, two.at, two.doublings) == ("none", None, ())
    assert two.why == "two values tell none; vary 64 MB..1 GB x2"
