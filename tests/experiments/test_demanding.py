"""Demanding claims: machines of any rates and times, and how many of them bear a claim out."""

from __future__ import annotations

import json
import math
import re
from statistics import fmean
from typing import Any

import pytest

from experiments.validation.demanding import RandomMachines, demanding, is_scaled, render_demanding
from experiments.validation.plausible import Evaluator, machine_of
from experiments.validation.ranged import template
from simulator.cli.main import main
from simulator.config.sources import provenance
from simulator.study.executors import Processes

Capture = pytest.CaptureFixture[str]
LEAST, MOST = 10**-0.5, 10**0.5


def factors(number: int) -> dict[str, float]:
    """Return by how much each value of the NWT is off on a machine."""
    before = {one.path: one.value for one in provenance(machine_of(Evaluator("nwt").file))}
    settings = RandomMachines(Evaluator("nwt")).settings("", number)
    found = {}
    for path, text in settings:
        old, new = template(before[path.removeprefix("machine.")]), template(text)
        ratios = [b / a for a, b in zip(old.numbers, new.numbers, strict=True) if a]
        assert max(ratios) / min(ratios) == pytest.approx(1, rel=1e-3)  # Reads and writes alike.
        found[path] = ratios[0]
    return found


def test_all_rates_and_times_are_off_within_a_decade_each_by_its_own() -> None:
    one, again, other = factors(0), factors(0), factors(1)
    assert one == again
    assert one.keys() == other.keys()
    assert {"machine.parts.lan.rate", "machine.parts.disk.seek"} <= one.keys()
    assert not [path for path in one if re.search(r"capacity|count|block|quota|noise", path)]
    assert all(LEAST * 0.999 <= factor <= MOST * 1.001 for factor in one.values())
    assert len({round(factor, 3) for factor in one.values()}) > 0.9 * len(one)
    many = [math.log10(factor) for number in range(20) for factor in factors(number).values()]
    assert fmean(many) == pytest.approx(0, abs=0.05)
    assert min(many) < -0.45
    assert max(many) > 0.45


def test_what_is_no_rate_and_no_time_stays() -> None:
    assert not any(map(is_scaled, ("", "8 MB", "162", "10 %", "first", "[4, 8]", "1 MB")))
    assert all(
        map(is_scaled, ("10 us", "1.25 MB/s", "100 Gbit/s", "{read: 1 GiB/s, write: 2 B/s}"))
    )


@pytest.mark.slow
def test_a_claim_that_half_bear_out_is_undemanding_whoever_runs_it() -> None:
    record = demanding("orion", machines=6, executor=Processes(2))
    assert record == demanding("orion", machines=6)
    claims: dict[str, dict[str, Any]] = {one["id"]: one for one in record["claims"]}
    assert claims["orion-c2"]["undemanding"]
    assert not claims["orion-c1"]["undemanding"]
    for one in claims.values():
        assert one["undemanding"] == (2 * one["held"] >= one["of"])
        assert one["interval_95"][0] <= one["held"] / one["of"] <= one["interval_95"][1]
    table = render_demanding([record], "table")
    few = sum(not one["undemanding"] for one in claims.values())
    assert f"{few} of {len(claims)} are demanding" in table
    assert json.loads(render_demanding([record], "json")) == record


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--demanding", "3", "--ablate"], "--demanding: takes neither --ablate nor --seeds nor"),
        (["--demanding", "3", "--assumptions"], "draw other machines; write one of them"),
        (["--demanding", "0"], "--demanding"),
        (["--executor", "processes"], "go with --assumptions or --demanding"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], told: str, capsys: Capture) -> None:
    assert main(["reproduce", "orion", *words]) == 2
    assert told in " ".join(capsys.readouterr().err.split())
