"""Assumption sweeps of a small study: how often its claims hold, and how strongly."""

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simulator.config.errors import ConfigError, Problem
from simulator.errors import InputError
from simulator.experiments.validation import assumption_tables as page
from simulator.experiments.validation import assumptions, plausible
from simulator.experiments.validation.assumed import (
    read_assumptions,
)
from simulator.experiments.validation.assumption_tables import (
    render_assumptions,
    stale_files,
)
from simulator.experiments.validation.assumptions import AssumptionSweep, sweep
from simulator.experiments.validation.kept_points import KeptPoints
from simulator.experiments.validation.ranged import template
from simulator.experiments.validation.strength import divider, exact_interval
from simulator.study.change import Change
from simulator.study.conditions import conditions
from simulator.study.study_file import Figure, Sentence, StudyFile

# -- strength -------------------------------------------------------------------------------------


def test_the_interval_of_a_share_is_the_exact_one_of_the_binomial_distribution() -> None:
    assert exact_interval(0, 10) == pytest.approx((0.0, 0.3085), abs=1e-4)  # Clopper, Pearson 1934
    assert exact_interval(1, 10) == pytest.approx((0.0025, 0.4450), abs=1e-4)
    assert exact_interval(3, 3) == pytest.approx((0.025 ** (1 / 3), 1.0), rel=1e-12)
    assert exact_interval(64, 64) == pytest.approx((0.025 ** (1 / 64), 1.0), rel=1e-12)
    assert exact_interval(0, 0) == (0.0, 1.0)


def test_the_interval_covers_a_share_that_is_known_at_least_as_often_as_it_says() -> None:
    for share in (0.05, 0.3, 0.5, 0.77, 0.97):
        chance = [math.comb(9, k) * share**k * (1 - share) ** (9 - k) for k in range(10)]
        bounds = [exact_interval(k, 9) for k in range(10)]
        covered = sum(
            p for p, (low, high) in zip(chance, bounds, strict=True) if low <= share <= high
        )
        assert covered >= 0.95


def test_no_assumption_is_blamed_where_none_divides() -> None:
    sides = {"a": ["low", "up"] * 8, "b": ["low"] * 8 + ["up"] * 8}
    assert divider(sides, [True] * 16) is None
    assert divider(sides, [True] * 15 + [False]) is None
    few = {"a": ["low"] * 14 + ["up"] * 2}  # two machines tell nothing
    assert divider(few, [True] * 14 + [False] * 2) is None
    assert divider({"b": ["low"] * 5 + ["up"] * 5}, [True] * 5 + [False] * 5) is None  # nor ten
    found = divider(sides, [True] * 8 + [False] * 8)
    assert found is not None
    assert (found.assumption, found.apart, found.worse.where) == ("b", 1.0, "up")


# -- a small study --------------------------------------------------------------------------------

TOY = """
format: assumptions/1
points: 16
refit: [{path: machine.gain, to: [level]}]
values:
  - {path: machine.size, low: 1 MB, high: 4 MB, scale: linear, why: unknown}
  - {path: machine.weight, low: 1 %, high: 100 %, why: unknown}
  - {path: machine.load, low: 1 %, high: 100 %, why: it moves nothing}
choices:
  - {name: way, path: machine.way, of: [short, long], why: unknown}
"""


@dataclass
class ToyRuns:
    """A machine whose figures are arithmetic."""

    change: Change

    def number(self, name: str, shipped: float) -> float:
        given = dict(self.change.settings)
        if f"machine.{name}" not in given:
            return shipped
        return template(given[f"machine.{name}"]).numbers[0]

    def level(self) -> float:
        if self.number("size", 2) > 3.9:
            raise ConfigError([Problem("toy", 0, 0, "size", "does not fit")])
        return self.number("gain", 5) * self.number("weight", 10) / 50


def _claims() -> dict[str, Callable[[ToyRuns], Mapping[str, float]]]:
    return {
        "large": lambda runs: {"size": runs.number("size", 2)},
        "always": lambda runs: {"level": runs.level()},
        "odd": lambda runs: {"ratio": 1 / round(max(0.0, runs.number("size", 2) - 2))},
    }


def _even(count: int, dimensions: int, seed: int) -> Any:
    """Return points that fill a box evenly, by multiples of irrational numbers."""
    steps = np.sqrt([2, 3, 5, 7])[:dimensions]
    return (seed * 0.1 + np.arange(1, count + 1)[:, None] * steps) % 1.0


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    role = {"rule": "", "role": "predicted"}
    claims = tuple(
        Sentence(id_, "", id_, conditions=conditions([holds]), **role)
        for id_, holds in (("large", "size > 2"), ("always", "level > 0"), ("odd", "ratio > 0"))
    )
    level = Figure("level", "", "", 1.0, 0.9, 1.1, "calibrated", "")
    size = Figure("half", "", "", 2.5, 0.0, 2.5, "predicted", "")
    file = StudyFile("toy", "A toy", "", "toy", (level, size), claims)
    code = SimpleNamespace(
        begin=lambda _runs, _seed, _engine, change: ToyRuns(change),
        claims=_claims(),
        figures={"level": ToyRuns.level, "half": lambda runs: runs.number("size", 2)},
    )
    monkeypatch.setattr(plausible, "load_assumptions", lambda _name: read_assumptions(TOY, "toy"))
    monkeypatch.setattr(plausible, "load_study_file", lambda _name: file)
    monkeypatch.setattr(plausible, "experiment", lambda _name: code)
    monkeypatch.setattr(plausible, "machine_of", lambda _file, _site: None)
    stated = SimpleNamespace(path="gain", value="5 MB/s")
    monkeypatch.setattr(plausible, "provenance", lambda _machine: [stated])
    monkeypatch.setattr(assumptions, "sobol_points", _even)
    monkeypatch.setattr(assumptions, "digests", lambda _name: {"toy.yaml": "1"})
    monkeypatch.setattr(page, "digests", lambda _name: {"toy.yaml": "1"})


def _swept(folder: Path, points: int | None = 64, **options: Any) -> AssumptionSweep:
    return sweep("toy", points=points, keep=folder / "points", **options)


@pytest.mark.usefixtures("toy")
def test_claims_hold_on_the_share_of_machines_that_they_should(tmp_path: Path) -> None:
    swept = _swept(tmp_path)
    (drawn,) = swept.drawn()
    assert drawn.drawn == 64
    assert list(drawn.invalid) == ["toy: size: does not fit"]
    # From 3.9 MB on it cannot be built; a weight of 1 % needs a gain of 50, above 8 times 5.
    assert sum(drawn.invalid.values()) == pytest.approx(64 * 0.1 / 3, abs=1)
    unfitted = drawn.drawn - drawn.plausible - sum(drawn.invalid.values())
    assert drawn.unfitted == {"level": unfitted}
    assert unfitted == pytest.approx(62 * np.log(1.25 / 1.1) / np.log(100) + 1, abs=4)
    claims = {one.id: one for one in swept.claims()}
    assert claims["always"].share == 1.0
    assert claims["large"].share == pytest.approx(1.9 / 2.9, abs=0.05)
    found = claims["large"].divider
    assert found is not None
    assert (found.assumption, found.better.where) == ("size", "from 2.5 MB on")
    assert claims["odd"].broken == {"cannot be computed": claims["odd"].of - claims["odd"].passed}
    (half,) = swept.figures()
    assert half.share == pytest.approx(1.5 / 2.9, abs=0.05)
    assert [one.id for one in swept.claims()][-1] == "always"


@pytest.mark.usefixtures("toy")
def test_a_sweep_goes_on_where_it_was_interrupted_and_says_the_same(tmp_path: Path) -> None:
    whole = render_assumptions([_swept(tmp_path / "..", 8).to_json()], "json")
    (tmp_path / ".." / "points").unlink()
    done = []

    def heard(share: float) -> None:
        done.append(share)
        if len(done) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"3 of 8 points are kept in .*points"):
        _swept(tmp_path, 8, heard=heard)
    again: list[float] = []
    assert render_assumptions([_swept(tmp_path, 8, heard=again.append).to_json()], "json") == whole
    assert again == [0.5, 0.625, 0.75, 0.875, 1.0]
    more = _swept(tmp_path, 12)
    assert len(more.rows) == 12


@pytest.mark.usefixtures("toy")
def test_a_kept_point_with_another_digit_is_told_and_run_again(tmp_path: Path) -> None:
    whole = _swept(tmp_path, 8).to_json()
    with sqlite3.connect(tmp_path / "points") as database:
        changed = 'replace("row", \'"point": 2\', \'"point": 7\')'
        database.execute(f"UPDATE results SET \"row\" = {changed} WHERE key = '00000002'")
    database.close()
    again = _swept(tmp_path, 8)
    assert again.to_json() == whole
    (told,) = map(str, again.damaged)
    about = "warning: point 3 is not as it was written; it is run again"
    assert told == f"{tmp_path / 'points'}: {about}"
    assert not (tmp_path / "points.lock").exists()


@pytest.mark.usefixtures("toy")
def test_points_of_another_sweep_are_not_mixed_in(tmp_path: Path) -> None:
    _swept(tmp_path, 4)
    with pytest.raises(InputError, match=r"points of another sweep \(seed differs\)"):
        _swept(tmp_path, 4, seed=7)
    (tmp_path / "points").write_text("something else\n")
    with pytest.raises(InputError, match="is damaged, or no store"):
        _swept(tmp_path, 4)
    with pytest.raises(InputError, match="there is no such folder"):
        sweep("toy", points=1, keep=tmp_path / "none" / "points")


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    (tmp_path / "points").touch()
    with KeptPoints(tmp_path / "points", {"study": "toy"}) as kept:
        kept.add({"point": 0, "verdicts": {}})
    with KeptPoints(tmp_path / "points", {"study": "toy"}) as kept:
        assert list(kept.rows) == [0]


@pytest.mark.usefixtures("toy")
def test_the_table_says_what_breaks_a_claim_and_the_page_what_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = json.loads(render_assumptions([_swept(tmp_path).to_json()], "json"))
    text = render_assumptions([record], "table")
    assert "64 machines drawn over 4 assumptions (seed 1998)" in text
    assert "size > 2 (" in text
    assert "size: 2" in text  # the assumption, and how many of how many
    assert stale_files(record) == []
    monkeypatch.setattr(page, "stored_record", lambda name: record if name == "nwt" else None)
    section = "\n".join(page.assumption_section("nwt"))
    assert "Stale" not in section
    assert "| large " in section  # the weak one
    assert "All others that can be tested hold on 95 % of them or more." in section
    assert page.assumption_section("orion") == []
    monkeypatch.setattr(page, "digests", lambda _name: {"toy.yaml": "2"})
    assert stale_files(record) == ["toy.yaml"]
    assert page.assumption_section("nwt")[-1].startswith(
        "**Stale**: since this sweep was run, `toy."
    )


@pytest.mark.parametrize(
    ("plausible", "warned"), [(0, ""), (3, "may hold on as few as 29 % of"), (10, "")]
)
def test_few_plausible_machines_are_warned_of(plausible: int, warned: str) -> None:
    share = {"passed": plausible, "of": plausible, "share": 1.0, "interval_95": [0.0, 1.0]}
    claim = {"id": "c", "role": "predicted", "expected": True, **share}
    machine = {"site": "", "drawn": 12, "plausible": plausible, "not_fitted": 0, "invalid": 0}
    record = {"title": "T", "varied": 2, "seed": 1, "machines": [machine], "claims": [claim]}
    text = render_assumptions([{**record, "figures": [], "skipped": {}}], "table")
    assert ("Warning" in text) == bool(warned)
    assert warned in text
